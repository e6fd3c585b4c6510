"""What a person does with a change that did not go through, or with a copied queue, and what there
is to do."""

from collections.abc import Mapping
from pathlib import Path

from pipelines.outbox.change import Change, State
from pipelines.outbox.errors import InputRefused
from pipelines.outbox.order import waits_for
from pipelines.outbox.origin import bind, find, locked, shown_address, take
from pipelines.outbox.store import Outbox
from pipelines.settings import Settings, ShopSettings
from sources.repair_shop.budget.clock import SystemClock


def retry(home: Path, number: int, *, by: str) -> str:
    """Approve that a change is sent again; what that means for it, in words.

    One that may have been applied stays in doubt: the next push looks once more, takes it for done
    if there is proof, and sends it else. A conflict is sent over the value that the service showed.
    """
    with Outbox(home) as outbox, outbox.transaction():
        change = outbox.get(number)
        if change.state is State.QUEUED:
            return f"{change.what} is queued already."
        _refuse_settled(change, "sent again")
        why = f"by {by}; it was {change.state}" + (f": {change.reason}" if change.reason else "")
        if change.fence is not None:
            # Before anybody was asked, what was found is nobody's to judge.
            known = f", knowing: {change.reason}" if change.needs_person else ""
            is_again = change.state is State.IN_DOUBT and change.approved_by
            outbox.move(
                change, State.IN_DOUBT, "retry", why, approved_by=by, needs_person=0, looks=0,
                look_at=0.0, reason=change.reason if is_again else f"approved by {by}{known}",
            )  # fmt: skip
            return f"{change.what} is looked for once more by the next push, then sent."
        outbox.move(change, State.QUEUED, "retry", why, reason="", needs_person=0, looks=0)
        is_over = change.state is State.CONFLICT
        over = ", over the value that the service showed" if is_over else ""
        return f"{change.what} is queued again{over}."


def discard(home: Path, number: int, *, by: str) -> str:
    """Take a change out of the queue: ``rejected``. Its history stays, and what is known of it, so
    that a retry looks for it first. Of one that is done and that its record does not show, that is
    told no more."""
    with Outbox(home) as outbox, outbox.transaction():
        change = outbox.get(number)
        if outbox.ask("acknowledge", number=number):
            outbox.note(number, "seen", f"by {by}: the record may be as it is")
            return f"{change.what} is done; that its record does not show it is told no more."
        _refuse_settled(change, "discarded")
        outbox.move(
            change, State.REJECTED, "discarded", f"by {by}; it was {change.state}",
            reason=f"discarded by {by}", look_at=None, needs_person=0, approved_by=None,
        )  # fmt: skip
        sent = " It may have been applied all the same." if change.state == "in_doubt" else ""
        return f"{change.what} is discarded.{sent}"


def _refuse_settled(change: Change, how: str) -> None:
    if change.state in (State.DONE, State.SENDING):
        told = f"{change.what} is {change.state} and cannot be {how}"
        raise InputRefused([told], "Nothing was changed")


def adopt(
    settings: Settings,
    shop: str | None = None,
    *,
    by: str,
    from_address: str | None = None,
    clock: SystemClock | None = None,
) -> list[str]:
    """Make a copied queue the one of this machine and folder, for one shop or for all. Bind their
    open changes to the key of today; what that came to, in words.

    Changes queued for another address are bound to today's only if ``from_address`` names it.
    Nothing is sent. :class:`PushBusy` while a push is at work.
    """
    told: list[str] = []
    Outbox(settings.home, clock).close()
    with locked(settings.home), Outbox(settings.home, clock) as outbox, outbox.transaction():
        found = find(outbox)
        take(outbox, found)
        if found.standing == "foreign":
            told.append(f"{outbox.path} is the queue from now on ({found.why}).")
        adopted = [one for one in settings.chosen(shop) if outbox.ask("adopt", shop=one.name)]
        for one in adopted:
            told.append(f"What waits for shop '{one.name}' is looked up before it is sent.")
        for one in settings.chosen(shop):
            told += _rebind(outbox, one, by, from_address)
    return told or ["Nothing was to be adopted: the queue and its changes belong here."]


def _rebind(outbox: Outbox, shop: ShopSettings, by: str, from_address: str | None) -> list[str]:
    service, now = bind(outbox, shop), shown_address(shop.base_url)
    others = outbox.ask("bound_to_others", shop=shop.name, service=service)
    wanted = {now, shown_address(from_address)} if from_address else {now}
    ours = [row["number"] for row in others if row["address"] in wanted]
    for number in ours:
        outbox.ask("rebind", number=number, service=service)
        outbox.note(number, "adopted", f"by {by}: for {now} with the key of today")
    told = []
    if ours:
        told.append(
            f"{len(ours)} change(s) of shop '{shop.name}' are for {now} and its key of today."
        )
    for address in sorted({row["address"] for row in others} - wanted):
        told.append(
            f"Changes of shop '{shop.name}' were queued for {address} and stay so. Is that the "
            f"same shop: 'shopmirror queue adopt --shop {shop.name} --from {address}'."
        )
    return told


def next_step(outbox: Outbox, change: Change, held_back: Mapping[int, str]) -> str:
    """What becomes of a change next, or what a person is to do, in one line. ``held_back``: of
    :func:`~pipelines.outbox.origin.held_back`."""
    number, told = change.number, _sentence(change.reason)
    held = held_back.get(number, "")
    if change.state is State.QUEUED:
        again = f"the next push tries again ({change.reason})" if change.reason else ""
        first = held or waits_for(outbox, change) or again
        return first or "the next push sends it"
    if change.state is State.CONFLICT:
        does = "writes yours over it" if change.op == "update" else "sends it all the same"
        return f"{told} 'queue retry {number}' {does}, 'queue discard {number}' drops it"
    if change.state is State.SENDING:
        return "a push is at it; after a crash it is looked for"
    if change.state is State.IN_DOUBT:
        if waits := held if held.startswith("waits") else waits_for(outbox, change):
            return f"{waits}; then it is looked for"
        if change.approved_by:
            return f"approved by {change.approved_by}: the next push looks once more, then sends it"
        if not change.needs_person:
            return f"the next push looks for it ({change.reason})"
        sends = f"'queue retry {number}' sends it, 'queue discard {number}' lets it be"
        return f"{told} Look at the service: if it was not done, {sends}"
    if change.state is State.REJECTED and not change.reason.startswith("discarded"):
        anew, there = f"'queue discard {number}' and queue it anew", " at the service"
        mend = f"Mend it{there if change.attempts else ''}, then 'queue retry {number}'"
        return f"{told} {mend}; or {anew}"
    return change.reason


def _sentence(reason: str) -> str:
    return reason if reason.endswith((".", "?", "!", ".)")) else f"{reason}."
