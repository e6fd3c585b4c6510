"""How far the figures of a report can be trusted: what is not proven, and as of when they are.

Data flow: ``ops.completeness``, and the runs since it was published -> the banner, the seal and the
footnote of a report, the head of the page, and what ``status`` says of other homes' shops.
"""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime

from pipelines.destinations.settings import HOME_ID
from pipelines.home import LEDGER, is_syncing
from pipelines.language import Text
from pipelines.monitor import health
from pipelines.monitor.severity import Kind, Problem
from pipelines.publish.published import Published
from pipelines.reconcile.books import books
from sources.repair_shop.ledger import Ledger, LedgerError

_LISTS = ("tickets", "ticket_invoices", "pos_orders", "payments")
"""What a closing report is made of; it is as old as the oldest of them."""
_RUNS = 10
_NEWEST = (
    "select command, outcome, exit_code, message from ops.runs {} order by started_at desc "
    "limit $most"
)


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
    if warehouse.has("marts.reconciliation"):
        found += health.outdated(books(warehouse, shops, now.date()))
    for problem in runs:
        theirs = problem.shop.split(", ") if problem.shop else shops
        if problem.rule.spoils and not set(theirs).isdisjoint(shops):
            found.append(problem)
    return sorted(found, key=lambda problem: -problem.rule.severity)


def _doubts(warehouse: Published, shops: Sequence[str]) -> list[Problem]:
    """Lists whose newest evidence does not prove them, or that were not read yet."""
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
    return found + behind(warehouse, shops)


def behind(warehouse: Published, shops: Sequence[str]) -> list[Problem]:
    """Shops of whose rows a server holds newer ones, or others, than its reports are made of."""
    if not _is_published_there(warehouse):
        return []
    rows = warehouse.rows(
        "select shop_id from ops.shop_owners where list_contains($shops, shop_id) "
        "and (made_of is null or made_of is distinct from published_of) order by 1",
        {"shops": list(shops)},
    )
    text = Text("its newest rows are in no report yet")
    return [Problem(Kind.UNFINISHED, text, row["shop_id"]) for row in rows]


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
            # Asked before and after: one may begin or end in between.
            is_running = is_syncing(home)
            newest = ledger.last_runs(_RUNS)
            own = ledger.value("", HOME_ID) or ""
            found = health.runs(newest, is_running=is_running or is_syncing(home))
        if not warehouse.server:
            return found
    if not warehouse.has("ops.shop_owners"):
        # Published in the middle of a first load: its run has no end yet.
        return health.runs(warehouse.rows(_NEWEST.format(""), {"most": _RUNS}), is_running=True)
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
            else health.runs(
                warehouse.rows(of_home, {"home": one["home_id"], "most": _RUNS}), is_running=True
            )
        )
    ]


def as_of(warehouse: Published, shops: Sequence[str]) -> datetime | None:
    """What the service changed before this moment is in the figures of all these shops.

    The oldest of the newest proven looks at the lists that sales and tickets come from: a sync of
    one shop, or of one list, makes nothing else newer. A look counts from its beginning.
    """
    if behind(warehouse, shops):
        return None  # the evidence is of newer rows than the figures
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
