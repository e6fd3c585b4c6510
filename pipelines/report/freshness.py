"""How far the figures of a report can be trusted: what is not proven, and as of when they are.

Data flow: ``ops.completeness``, and the runs since it was published -> the banner, the seal and the
footnote of a report, the head of the page.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from pipelines.home import LEDGER, is_syncing
from pipelines.language import Text
from pipelines.language.words import list_name
from pipelines.monitor import health
from pipelines.monitor.severity import Kind, Problem, worst
from pipelines.publish.published import Published
from pipelines.report.figures import Caution
from sources.repair_shop.ledger import Ledger, LedgerError

_LISTS = ("tickets", "ticket_invoices", "pos_orders", "payments")
"""What a closing report is made of; it is as old as the oldest of them."""
_RUNS = 10
_SHOWN = 6
"""Lists in doubt that are named."""
_EVIDENCE = ("resource", "kind", "is_proven", "began_at")


def problems(
    warehouse: Published, shops: Sequence[str], now: datetime, runs: Sequence[Problem] = ()
) -> list[Problem]:
    """What keeps the figures of these shops from being relied on, gravest first.

    Of the evidence that was published with them, of their age at ``now``, and of the ``runs`` that
    failed (:func:`runs_since`): they have not brought what the figures lack.
    """
    found = _doubts(warehouse, shops)
    moment = as_of(warehouse, shops)
    if moment is not None or not found:
        found += health.age(moment, now)
    found += [problem for problem in runs if problem.rule.spoils]
    return sorted(found, key=lambda problem: -problem.rule.severity)


def cautions(problems: Sequence[Problem], *, many_shops: bool) -> tuple[Caution, ...]:
    """The banner over the figures: a line for each problem, lists in doubt together in one."""
    lists = [problem for problem in problems if problem.resource]
    lines = [
        Caution(severity=problem.rule.severity, text=problem.text)
        for problem in problems
        if not problem.resource
    ]
    if lists:
        pairs = sorted({(p.resource, p.shop if many_shops else "") for p in lists})
        names = [
            Text("{list} ({shop})", list=list_name(name), shop=shop) if shop else list_name(name)
            for name, shop in pairs[:_SHOWN]
        ]
        if len(pairs) > _SHOWN:
            names.append(Text("others"))
        text = Text("Not proven complete at the last sync: {lists}.", lists=names)
        lines.append(Caution(severity=worst(lists), text=text))
    return tuple(sorted(lines, key=lambda line: -line.severity))


def _doubts(warehouse: Published, shops: Sequence[str]) -> list[Problem]:
    """Lists whose newest evidence does not prove them, or that were not read yet."""
    if not warehouse.has("ops.completeness", "resource", "is_proven"):
        return []
    rows = warehouse.rows(
        "select * from ops.completeness where list_contains($shops, shop_id)",
        {"shops": list(shops)},
    )
    found = health.doubts(rows)
    proven = {(row["shop_id"], row["resource"]) for row in rows if row["is_proven"]}
    # A first load that was stopped leaves no evidence of the lists it did not reach.
    found += [
        Problem(Kind.UNREAD, "never read whole", shop, resource)
        for shop in shops
        for resource in _LISTS
        if (shop, resource) not in proven
    ]
    return found


def runs_since(warehouse: Published) -> list[Problem]:
    """What went wrong with the runs that the ledger knows, else with those that were published."""
    home = warehouse.path.parent
    if (home / LEDGER).exists():
        try:
            ledger = Ledger(home / LEDGER)
        except LedgerError as error:
            return [Problem(Kind.FAILED, str(error))]
        try:
            # Asked before and after: one may begin or end in between.
            is_running = is_syncing(home)
            newest = ledger.last_runs(_RUNS)
            return health.runs(newest, is_running=is_running or is_syncing(home))
        finally:
            ledger.close()
    if not warehouse.has("ops.runs", "command", "started_at", "outcome", "exit_code", "message"):
        return []
    newest = warehouse.rows(
        "select command, outcome, exit_code, message from ops.runs order by started_at desc "
        "limit $most",
        {"most": _RUNS},
    )
    # Published in the middle of a first load: its run has no end yet.
    return health.runs(newest, is_running=True)


def as_of(warehouse: Published, shops: Sequence[str]) -> datetime | None:
    """What the service changed before this moment is in the figures of all these shops.

    The oldest of the newest proven looks at the lists that sales and tickets come from: a sync of
    one shop, or of one list, makes nothing else newer. A look counts from its beginning.
    """
    if not warehouse.has("ops.completeness", *_EVIDENCE):
        return _last_run(warehouse)
    row = warehouse.row(
        """
        with looks as (
            select
                shop_id, resource,
                greatest(
                    -- A list read whole for the first time is as old as its first part.
                    min(began_at) filter (where kind = 'full'),
                    max(began_at) filter (where kind in ('head', 'updated'))
                ) as began_at
            from ops.completeness
            where list_contains($shops, shop_id) and list_contains($lists, resource) and is_proven
                -- A look in the future was dated by a clock that was wrong.
                and began_at <= now()
            group by all
        )
        select min(began_at) as at, count(began_at) as lists from looks
        """,
        {"shops": list(shops), "lists": list(_LISTS)},
    )
    return row["at"] if row["lists"] == len(shops) * len(_LISTS) else None


def _last_run(warehouse: Published) -> datetime | None:
    """When the last sync that got through began, for a warehouse without evidence."""
    if not warehouse.has("ops.runs", "command", "started_at", "exit_code"):
        return None
    value: datetime | None = warehouse.row(
        "select max(started_at) as at from ops.runs "
        "where command like 'sync%' and (exit_code is null or exit_code in (0, 1))"
    )["at"]
    return value
