"""What is wrong with a mirror, told from its evidence and its runs.

Data flow: rows of ``ops.completeness`` and ``ops.runs``, as the ledger has them or as they were
published -> :class:`~pipelines.monitor.severity.Problem`. Used by ``status``, the verdict of a
sync, the closing report and the dashboard. Makes no request and opens no file.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from pipelines.language import Text
from pipelines.monitor.severity import RULES, Kind, Problem
from pipelines.reconcile.books import Books

STALE_HOURS = 36
"""A mirror older than this missed a night."""
_ENDS = {
    "failed": (Kind.FAILED, Text("failed")),
    "incomplete": (Kind.UNPROVEN, Text("incomplete")),
    "differs": (Kind.DIFFERS, Text("differs")),
}
"""Outcome of a run -> what is wrong; of an exit code 3 it is the service that was not reached."""
_BY_CODE = {2: Kind.MISCONFIGURED, 3: Kind.UNREACHED}
"""Whatever the outcome is called: a key or a setting, and a service that was not there."""
_AGAIN = re.compile(r"^Incomplete \([^)]*\): ")
"""How the message of an incomplete run begins."""
_TOLD_BY_EVIDENCE = frozenset({Kind.UNPROVEN, Kind.DIFFERS})


def doubts(evidence: Iterable[Mapping[str, Any]]) -> list[Problem]:
    """What the newest evidence does not prove; ``evidence`` is rows of ``ops.completeness``.

    A proven scan with a reason proves what it showed; the reason says what it did not show and is
    kept all the same (rows that vanished too many at once).
    """
    found: list[Problem] = []
    for row in evidence:
        shop, resource = row["shop_id"], row["resource"]
        reason = row.get("reason")
        if row.get("state") == "open":
            found.append(Problem(Kind.UNFINISHED, "not finished", shop, resource))
        elif not row["is_proven"]:
            found.append(Problem(Kind.UNPROVEN, reason or "not proven", shop, resource))
        elif reason:
            found.append(Problem(Kind.VANISHED, reason, shop, resource))
    return list(dict.fromkeys(found))


def outdated(compared: Mapping[str, Books]) -> list[Problem]:
    """Shops whose reports were compared before documents came that they count."""
    return [
        Problem(
            Kind.UNFINISHED,
            Text(
                "{n} period(s) of the reports are to be compared anew: documents came since",
                n=one.outdated,
            ),
            shop,
        )
        for shop, one in compared.items()
        if one.outdated
    ]


def age(as_of: datetime | None, now: datetime, shop: str = "") -> list[Problem]:
    """Whether a mirror that is proven as of a moment missed a night; None: no such moment."""
    if as_of is None:
        text = Text("as of when it is complete is not known until it is read")
        return [Problem(Kind.STALE, text, shop)]
    hours = (now - as_of).total_seconds() / 3600
    if hours <= STALE_HOURS:
        return []
    return [Problem(Kind.STALE, Text("the mirror is {hours} hours old", hours=round(hours)), shop)]


def runs(newest_first: Sequence[Mapping[str, Any]], *, is_running: bool) -> list[Problem]:
    """What went wrong with the newest runs, and no later run has made good.

    Only a run of at least the same shops and lists makes a failure good: not one of a few lists,
    not a reconciliation. A run without an end was cut off, unless ``is_running`` says that one is
    at work; only the newest can be.
    """
    found: list[Problem] = []
    later: list[frozenset[str]] = []
    for place, run in enumerate(newest_first):
        if place == 0 and is_running and run["outcome"] is None:
            continue
        asked = _asked(str(run["command"]))
        # Of a chain's run it is enough that each shop it left incomplete was read again.
        left = [asked | {"--shop", name} for name in (run.get("shops") or "").split(", ") if name]
        if not all(any(wider <= one for wider in later) for one in left or [asked]):
            problems = _ended(run)
            # What a run left in doubt or differing, evidence and comparison tell as they stand now.
            found += [p for p in problems if place == 0 or p.kind not in _TOLD_BY_EVIDENCE]
        if run["outcome"] != RULES[Kind.STOPPED].outcome:
            later.append(asked)
    return found


def _asked(command: str) -> frozenset[str]:
    """What a run was asked for: the fewer words, the more it did, and a plain sync does it all."""
    return frozenset(("sync", *command.split()))


def _ended(run: Mapping[str, Any]) -> list[Problem]:
    outcome, command = run["outcome"], run["command"]
    if outcome in (None, RULES[Kind.CUT_OFF].outcome):
        text = Text(
            "The last run ({command}) was cut off; the next sync goes on from there",
            command=command,
        )
        return [Problem(Kind.CUT_OFF, text)]
    if run["exit_code"] in (0, RULES[Kind.STOPPED].exit_code):
        return []
    kind, ended = _ENDS.get(outcome, (Kind.FAILED, outcome))
    if run["exit_code"] in _BY_CODE:
        kind = _BY_CODE[run["exit_code"]]
    text = Text(
        "The last run ({command}) ended {outcome}: {why}",
        command=command,
        outcome=ended,
        why=_AGAIN.sub("", run["message"] or ""),
    )
    return [Problem(kind, text, run.get("shops") or "")]
