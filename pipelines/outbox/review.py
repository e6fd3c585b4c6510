"""What a person does with a change that did not go through: send it again, or forget it."""

from pathlib import Path
from typing import Any

from pipelines.outbox.errors import InputRefused
from pipelines.outbox.store import Outbox

_UNCHANGED = "Nothing was changed"


def retry(home: Path, number: int, *, by: str) -> str:
    """Queue a change again; what that means for it, in words.

    A conflict is based anew on the value the service showed, so that ours goes over it. A change
    in doubt is sent again on the word of a person who has looked.
    """
    with Outbox(home) as outbox, outbox.transaction():
        change = outbox.get(number)
        if change.merged_into is not None and change.state == "in_doubt":
            raise InputRefused(
                [f"it was sent with change {change.merged_into}; retry that one"], _UNCHANGED
            )
        if change.state == "queued":
            return f"{change.what} is queued already."
        if change.state in ("done", "sending"):
            raise InputRefused(
                [f"{change.what} is {change.state} and cannot be sent again"], _UNCHANGED
            )
        # Those sent along with it keep the basis each was queued with.
        base: dict[str, Any] = {}
        told = f"{change.what} is queued again."
        if change.state == "in_doubt":
            # Whoever looked knows better than another look would.
            base = {"doubted_since": None, "is_copied": 0}
            told = f"{change.what} is queued and will be sent again, though it may be applied."
        if change.state == "conflict":
            base = {"base": {"seen": change.progress.get("seen", {})}}
            told = f"{change.what} is queued again, over the value the service shows now."
        outbox.set(
            [change, *outbox.changes(merged_into=number, states=[change.state])],
            "retry",
            f"by {by}, was {change.state}",
            state="queued",
            reason="",
            progress={},
            lookups=0,
            next_lookup=None,
            for_person=0,
            merged_into=None,
            **base,
        )
        return told


def discard(home: Path, number: int, *, by: str) -> str:
    """Take a change out of the queue; its history stays. The state becomes ``rejected``."""
    with Outbox(home) as outbox, outbox.transaction():
        change = outbox.get(number)
        if change.state in ("done", "sending"):
            raise InputRefused(
                [f"{change.what} is {change.state} and cannot be discarded"], _UNCHANGED
            )
        along = outbox.changes(merged_into=number) if change.state == "in_doubt" else []
        outbox.set(
            [change, *along],
            "discarded",
            f"by {by}, was {change.state}",
            state="rejected",
            reason=f"discarded by {by}",
            next_lookup=None,
            for_person=0,
        )
        return f"{change.what} is discarded."
