"""The technician's part of the page: the reports compared, the first load, the runs, the lists."""

from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import streamlit as st

from pipelines.dashboard.asked import Names, Rows, cached
from pipelines.dashboard.table import Listing, draw
from pipelines.dashboard.view import Selection
from pipelines.home import LEDGER, is_syncing
from pipelines.language import Text, _, shown
from pipelines.language.words import list_name
from pipelines.monitor import freshness
from pipelines.monitor.severity import Kind
from pipelines.publish.published import Published, published, read_from
from pipelines.report import figures
from pipelines.settings import SettingsError, load_settings
from pipelines.sync.plan import Plan, plan
from sources.repair_shop.ledger import Ledger, LedgerError
from sources.repair_shop.schema.endpoints import ENDPOINTS

_RUNS = 40
_RUN_TABLE = Listing(
    "runs", "started_at ended_at command outcome requests rows message", Text("Runs")
)
_LISTS = Listing("lists", "shop list rows proven doubted checked", Text("Lists"))


def mirror(selection: Selection) -> None:
    """How far a first load is, what ran, and what each list holds."""
    left = to_go(selection.home)
    if left is not None:
        text = _(
            "The first load is not over: at least {requests} requests to go, {minutes} minutes.",
            requests=sum(left.requests.values()),
            minutes=max(1, round(left.minutes)),
        )
        if unknown := sum(left.unknown.values()):
            text += " " + _("The size of {n} lists is not known yet.", n=unknown)
        st.info(text)
    draw(selection, _RUN_TABLE, runs(selection.home))
    rows = lists(selection.home, selection.names)
    draw(selection, _LISTS, [row | {"list": shown(list_name(row["list"]))} for row in rows])


@cached
def lists(warehouse: Published, names: Names) -> Rows:
    """Each list: how it is proven, and the rows there are (not those of each scan added up)."""
    rows = warehouse.rows(
        """
        select shop_id as shop, resource as list,
            count(*) filter (where is_proven and coalesce(reason, '') = '') as proven,
            count(*) filter (where not is_proven or coalesce(reason, '') <> '') as doubted,
            max(checked_at) as checked
        from ops.completeness where list_contains($shops, shop_id)
        group by 1, 2 order by doubted desc, shop, list
        """,
        {"shops": list(names)},
    )
    counts = _counts(warehouse, names)
    return [row | {"rows": counts.get((row["shop"], row["list"]), 0)} for row in rows]


def _counts(warehouse: Published, names: Names) -> dict[tuple[str, str], int]:
    """(shop, list) -> rows that exist at the service."""
    parts = []
    for endpoint in ENDPOINTS.values():
        kinds = endpoint.variant_columns
        if warehouse.has(f"raw.{endpoint.table}", "shop_id", "_deleted_at", *kinds):
            name = " || ':' || ".join([f"'{endpoint.table}'", *kinds])
            parts.append(
                f"select shop_id, {name} as name, count(*) as rows from raw.{endpoint.table} "  # noqa: S608 - declared names
                "where list_contains($shops, shop_id) and _deleted_at is null group by all"
            )
    if not parts:
        return {}
    found = warehouse.rows(" union all ".join(parts), {"shops": list(names)})
    return {(row["shop_id"], row["name"]): row["rows"] for row in found}


def runs(home: Path) -> Rows:
    """The newest runs, newest first: ``command, started_at, ended_at, outcome, requests, rows``.

    Those the ledger knows, else (and of a PostgreSQL, with all homes that load it) those that were
    published; times are in UTC, and the outcome of a run that is at work is ``running``.
    """
    found: Rows = []
    if not read_from() and (home / LEDGER).exists():
        with suppress(LedgerError), closing(Ledger(home / LEDGER)) as ledger:
            found = ledger.last_runs(_RUNS)
    for place, run in enumerate(found):
        for moment in ("started_at", "ended_at"):
            run[moment] = datetime.fromisoformat(run[moment]) if run[moment] else None
        if run["outcome"] is None:
            run["outcome"] = "running" if place == 0 and is_syncing(home) else "killed"
    return found or _published_runs(home)


@cached
def _published_runs(warehouse: Published) -> Rows:
    return warehouse.rows(
        "select command, started_at, ended_at, outcome, requests, rows, message "
        "from ops.runs order by started_at desc limit $most",
        {"most": _RUNS},
    )


def to_go(home: Path) -> Plan | None:
    """What the first load still has to do; None when it is over, or no settings say how."""
    if read_from():
        return None  # what others have to read, their own homes know
    with published(home) as warehouse:
        names = list(figures.shops(warehouse))
        doubts = freshness.evidence(warehouse, names, datetime.now(UTC), {}).doubts
    if not any(problem.kind in (Kind.UNREAD, Kind.UNFINISHED) for problem in doubts):
        return None
    try:
        settings = load_settings()
        return plan(settings) if settings.home.absolute() == home.absolute() else None
    except (SettingsError, LedgerError):
        return None
