"""How far figures can be relied on: what is not proven, as of when they are, which runs failed.

Data flow: rows of ``ops.completeness`` and ``ops.runs``, as the ledger has them or as they were
published -> :class:`~pipelines.monitor.severity.Problem`. Used by ``status``, the verdict of a
sync, the closing report and the page. Makes no request.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from pipelines.home import LEDGER, has_room, is_syncing
from pipelines.language import Text
from pipelines.language.words import list_name
from pipelines.monitor.severity import Kind, Problem
from pipelines.publish.published import Published
from pipelines.reconcile.books import Books
from pipelines.settings import HOME_ID
from pipelines.transform.findings import EMPTY, NONE
from sources.repair_shop.ledger import Ledger, LedgerError

_LISTS = ("tickets", "ticket_invoices", "pos_orders", "payments")
"""What a closing report is made of; it is as old as the oldest of them."""
_RUNS = 10
_NEWEST = (
    "select command, outcome, exit_code, message from ops.runs {} order by started_at desc "
    "limit $most"
)
STALE_HOURS = 36
"""A mirror older than this missed a night."""
_ENDS = {
    "failed": (Kind.FAILED, Text("failed")),
    "incomplete": (Kind.UNPROVEN, Text("incomplete")),
    "differs": (Kind.DIFFERS, Text("with differences")),
}
"""Outcome of a run -> what is wrong; of an exit code 3 it is the service that was not reached."""
_BY_CODE = {2: Kind.MISCONFIGURED, 3: Kind.UNREACHED}
"""Whatever the outcome is called: a key or a setting, and a service that was not there."""
_AGAIN = re.compile(r"^Incomplete \([^)]*\): ")
"""How the message of an incomplete run begins."""
_RUNNING = "running"
_TOLD_BY_EVIDENCE = frozenset({Kind.UNPROVEN, Kind.DIFFERS})


@dataclass(frozen=True)
class Evidence:
    """What the warehouse says of how far its figures go, asked once for all shops."""

    now: datetime
    ages: Mapping[str, datetime | None]
    """Shop -> what the service changed before this moment is in its figures."""
    doubts: Sequence[Problem]
    runs: Sequence[Problem]

    def as_of(self, shops: Sequence[str]) -> datetime | None:
        """The moment up to which the figures of all these shops go; None where one has none."""
        moments = [self.ages.get(name) for name in shops]
        return None if None in moments else min(filter(None, moments), default=None)

    def problems(self, shops: Sequence[str]) -> list[Problem]:
        """What keeps the figures of these shops from being relied on, gravest first."""
        found = [problem for problem in self.doubts if problem.shop in shops]
        old = [name for name in shops if age(self.ages.get(name), self.now)]
        if len(old) == len(shops):  # told once, not for each
            moment = self.as_of(shops)
            found += age(moment, self.now) if moment is not None or not found else []
        for name in old if len(old) < len(shops) else ():
            if self.ages.get(name) is not None or name not in {problem.shop for problem in found}:
                found += age(self.ages.get(name), self.now, name)
        for problem in self.runs:
            theirs = problem.shop.split(", ") if problem.shop else shops
            if problem.kind.spoils and not set(theirs).isdisjoint(shops):
                found.append(problem)
        return sorted(found, key=lambda problem: -problem.kind.severity)


def published(
    warehouse: Published, shops: Sequence[str], now: datetime, compared: Mapping[str, Books]
) -> Evidence:
    """Of the proofs published with the figures, of their age at ``now``, of the reports compared,
    and of the runs that failed since: they have not brought what the figures lack.
    """
    rows = warehouse.rows(
        "select * from ops.completeness where list_contains($shops, shop_id)",
        {"shops": list(shops)},
    )
    proven = {(row["shop_id"], row["resource"]) for row in rows if row["is_proven"]}
    unread = [
        # A first load that was stopped leaves no evidence of the lists it did not reach.
        Problem(Kind.UNREAD, "never read whole", shop, resource)
        for shop in shops
        for resource in _LISTS
        if (shop, resource) not in proven
    ]
    late = behind(warehouse, shops)
    # Of a shop that is behind, the evidence is of newer rows than the figures.
    ages = as_of(rows, now) | {problem.shop: None for problem in late}
    return Evidence(
        now=now,
        ages={name: ages.get(name) for name in shops},
        doubts=[*doubts(rows), *unread, *late, *outdated(compared), *uncounted(warehouse, shops)],
        runs=runs_since(warehouse),
    )


def behind(warehouse: Published, shops: Sequence[str]) -> list[Problem]:
    """Shops of whose rows a server holds newer ones, or others, than its reports are made of."""
    if not _is_published_there(warehouse):
        return []
    rows = warehouse.rows(
        "select shop_id from ops.shop_owners where list_contains($shops, shop_id) "
        "and (made_of is null or made_of is distinct from published_of) order by 1",
        {"shops": list(shops)},
    )
    return [not_given(row["shop_id"]) for row in rows]


def not_given(shop: str) -> Problem:
    """That readers have older rows of a shop than are here."""
    return Problem(Kind.UNFINISHED, Text("its newest rows are in no report yet"), shop)


def given(warehouse: Published) -> datetime | None:
    """Since when readers of a server have had its reports; None where that is not known."""
    if not _is_published_there(warehouse):
        return None
    value: datetime | None = warehouse.row(
        "select max(cast(publication.at as timestamp with time zone)) as at from ops.publication"
    )["at"]
    return value


def _is_published_there(warehouse: Published) -> bool:
    """Whether a server is read whose reports a home published: of others nobody says of what."""
    return bool(warehouse.server) and warehouse.has("ops.publication")


def runs_since(warehouse: Published) -> list[Problem]:
    """What went wrong with the runs that the ledger knows, else with those that were published.

    Of a server: with those of this home's ledger, and those that the other homes told it. They
    concern the shops of their home alone.
    """
    home, own, found = warehouse.home, "", []
    if (home / LEDGER).exists():
        try:
            ledger = Ledger(home / LEDGER)
        except LedgerError as error:
            return [Problem(Kind.FAILED, str(error))]
        with closing(ledger):
            own = ledger.value("", HOME_ID) or ""
            found = [*no_room(home), *failures(newest_runs(home, ledger))]
        if not warehouse.server:
            return found
    if not warehouse.has("ops.shop_owners"):
        return failures(warehouse.rows(_NEWEST.format(""), {"most": _RUNS}))
    homes = warehouse.rows(
        "select home_id, string_agg(shop_id, ', ' order by shop_id) as shops "
        "from ops.shop_owners group by 1 order by 2"
    )
    if own not in (one["home_id"] for one in homes):
        homes.append({"home_id": own, "shops": ""})
    of_home = _NEWEST.format("where home_id = $home")
    return [
        replace(problem, shop=problem.shop or one["shops"])
        for one in homes
        for problem in (
            found
            if one["home_id"] == own
            else failures(warehouse.rows(of_home, {"home": one["home_id"], "most": _RUNS}))
        )
    ]


def as_of(rows: Iterable[Mapping[str, Any]], now: datetime) -> dict[str, datetime | None]:
    """Shop -> what the service changed before this moment is in its figures; ``rows`` are those of
    ``ops.completeness``, as published or as the ledger has them.

    The oldest of the newest proven looks at the lists that sales and tickets come from: a sync of
    one list makes nothing else newer. A look counts from its beginning, a list read whole for the
    first time from that of its first part. None where a list was never proven.
    """
    looks: dict[tuple[str, str], datetime] = {}
    firsts: dict[tuple[str, str], datetime] = {}
    for row in rows:
        if not row["is_proven"] or row["resource"] not in _LISTS:
            continue
        key = (row["shop_id"], row["resource"])
        # As text in the ledger, as a moment in the warehouse.
        began = datetime.fromisoformat(str(row["began_at"]))
        if began > now:  # dated by a clock that was wrong
            continue
        if row["kind"] == "full":
            firsts[key] = min(firsts.get(key, began), began)
        elif row["kind"] in ("head", "updated"):
            looks[key] = max(looks.get(key, began), began)
    newest = {key: max(filter(None, (firsts.get(key), looks.get(key)))) for key in firsts | looks}
    found: dict[str, datetime | None] = {}
    for shop in {shop for shop, _list in newest}:
        moments = [newest.get((shop, name)) for name in _LISTS]
        found[shop] = None if None in moments else min(filter(None, moments))
    return found


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
            found.append(Problem(Kind.UNFINISHED, reason or "not finished", shop, resource))
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


_UNREAD = Text("{list}: {n} row(s) have no '{column}' that can be read, and count in no report")
_DROPPED = Text("{list}: the service no longer gives '{column}', and {n} row(s) have none now")
_UNKNOWN = Text("{list}: {n} row(s) have a field '{unknown}' that nobody knows, and no '{column}'")
_NONE = Text("no row is shown, though {n} row(s) of other lists name one")


def uncounted(warehouse: Published, shops: Sequence[str]) -> list[Problem]:
    """Lists whose rows lack a field that figures need, under a name and in a form that we know; and
    those that show no row though rows of others name one.

    Rows without a day or an amount count in no report; of payments no report of the service says
    so.
    """
    if not warehouse.has("ops.findings"):
        return []
    rows = warehouse.rows(
        "select distinct name, records, meaning from ops.findings where starts_with(name, $begin) "
        "order by all",
        {"begin": EMPTY},
    )
    found = []
    for row in rows:
        _begin, table, column, shop = row["name"].split(":", 3)
        unknown = row["meaning"]
        if column == NONE:
            found.append(Problem(Kind.UNPROVEN, Text(_NONE, n=row["records"]), shop, table))
            continue
        said = _UNREAD if unknown == column else _UNKNOWN if unknown else _DROPPED
        named = list_name(table.replace("__", ":"))
        text = Text(said, list=named, n=row["records"], column=column, unknown=unknown)
        found.append(Problem(Kind.UNCOUNTED, text, shop))
    return [problem for problem in found if problem.shop in shops]


def age(as_of: datetime | None, now: datetime, shop: str = "") -> list[Problem]:
    """Whether a mirror that is proven as of a moment missed a night; None: no such moment."""
    if as_of is None:
        text = Text("it is not known when the mirror was last complete")
        return [Problem(Kind.STALE, text, shop)]
    hours = (now - as_of).total_seconds() / 3600
    if hours <= STALE_HOURS:
        return []
    return [Problem(Kind.STALE, Text("the mirror is {hours} hours old", hours=round(hours)), shop)]


def no_room(home: Path) -> list[Problem]:
    """Whether the disk is so full that no run can say that it failed."""
    text = Text("No sync can begin, since the disk is full: make room, then run 'shopmirror sync'")
    return [] if has_room(home) else [Problem(Kind.FAILED, text)]


def newest_runs(home: Path, ledger: Ledger, most: int = _RUNS) -> list[dict[str, Any]]:
    """The newest runs of a home, newest first; one without an end is at work, or was cut off."""
    # Asked before and after: one may begin or end in between.
    was_running, found = is_syncing(home), ledger.last_runs(most)
    is_running = was_running or is_syncing(home)
    for place, run in enumerate(found):
        if run["outcome"] is None:
            is_at_work = place == 0 and is_running
            run["outcome"] = _RUNNING if is_at_work else Kind.CUT_OFF.outcome
    return found


def failures(newest_first: Sequence[Mapping[str, Any]]) -> list[Problem]:
    """What went wrong with the newest runs, and no later run has made good.

    Only a run of at least the same shops and lists makes a failure good: not one of a few lists,
    not a reconciliation. The newest may be at work; one that was published then has no end yet.
    """
    found: list[Problem] = []
    later: list[frozenset[str]] = []
    for place, run in enumerate(newest_first):
        if place == 0 and run["outcome"] in (_RUNNING, None):
            continue
        # The fewer words a run was asked with, the more it did: a plain sync does it all.
        asked = frozenset(("sync", *str(run["command"]).split()))
        # Of a chain's run it is enough that each shop it left incomplete was read again.
        left = [asked | {"--shop", name} for name in (run.get("shops") or "").split(", ") if name]
        if not all(any(wider <= one for wider in later) for one in left or [asked]):
            problems = _ended(run)
            # What a run left in doubt or differing, evidence and comparison tell as they stand now.
            found += [p for p in problems if place == 0 or p.kind not in _TOLD_BY_EVIDENCE]
        if run["outcome"] != Kind.STOPPED.outcome:
            later.append(asked)
    return found


def _ended(run: Mapping[str, Any]) -> list[Problem]:
    outcome, command = run["outcome"], run["command"]
    if outcome in (None, Kind.CUT_OFF.outcome):
        text = Text(
            "The last run ({command}) was cut off; the next sync goes on from there",
            command=command,
        )
        return [Problem(Kind.CUT_OFF, text, _concerned(run))]
    if run["exit_code"] in (0, Kind.STOPPED.exit_code):
        return []
    kind, ended = _ENDS.get(outcome, (Kind.FAILED, outcome))
    if run["exit_code"] in _BY_CODE:
        kind = _BY_CODE[run["exit_code"]]
    text = Text(
        "The last run ({command}) ended {outcome}: {why}",
        command=command,
        outcome=ended,
        # A sentence of ours is in the catalogue, what the service or the network said is not.
        why=Text(_AGAIN.sub("", run["message"] or "")),
    )
    return [Problem(kind, text, _concerned(run))]


def _concerned(run: Mapping[str, Any]) -> str:
    """The shops that a run left incomplete, else the one it was asked for; empty: all."""
    asked: str = run["command"].partition(" --shop ")[2]
    return run.get("shops") or asked
