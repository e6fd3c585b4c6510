"""The technician's part of the page: the runs, and what each list holds."""

from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from pipelines.dashboard.asked import Names, cached
from pipelines.dashboard.table import Listing, draw
from pipelines.dashboard.view import Selection
from pipelines.home import LEDGER
from pipelines.language import Text, shown
from pipelines.language.words import list_name
from pipelines.monitor.evidence import newest_runs
from pipelines.publish.published import Published, Rows, read_from
from sources.repair_shop.ledger import Ledger, LedgerError
from sources.repair_shop.schema.endpoints import ENDPOINTS

_RUNS = 40
_RUN_TABLE = Listing(
    "runs", "started_at ended_at command outcome requests rows message", Text("Runs")
)
_LISTS = Listing("lists", "shop list rows proven doubted checked", Text("Lists"))


def mirror(selection: Selection) -> None:
    """What ran, and what each list holds."""
    draw(selection, _RUN_TABLE, list(map(_in_words, runs(selection.home))))
    rows = lists(selection.home, selection.names)
    draw(selection, _LISTS, [row | {"list": shown(list_name(row["list"]))} for row in rows])


def _in_words(run: dict[str, Any]) -> dict[str, Any]:
    """A run whose message, where it is a sentence of ours, is said in the language at work."""
    message = run["message"] or ""
    return run | {"message": shown(Text(message))}


@cached
def lists(warehouse: Published, names: Names) -> Rows:
    """Each list: how it is proven, and the rows there are (not those of each scan added up)."""
    there = ["select null::varchar as shop_id, null::varchar as list, 0 as rows"]
    for endpoint in ENDPOINTS.values():
        kinds = endpoint.variant_columns
        if warehouse.has(f"raw.{endpoint.table}", "shop_id", "_deleted_at", *kinds):
            name = " || ':' || ".join([f"'{endpoint.table}'", *kinds])
            there.append(
                f"select shop_id, {name}, count(*) from raw.{endpoint.table} "  # noqa: S608 - declared names
                "where list_contains($shops, shop_id) and _deleted_at is null group by all"
            )
    return warehouse.rows(
        f"""
        select proof.shop_id as shop, resource as list,
            coalesce(any_value(there.rows), 0) as rows,
            count(*) filter (where is_proven and coalesce(reason, '') = '') as proven,
            count(*) filter (where not is_proven or coalesce(reason, '') <> '') as doubted,
            max(checked_at) as checked
        from ops.completeness as proof
        left join ({" union all ".join(there)}) as there
            on there.shop_id = proof.shop_id and there.list = resource
        where list_contains($shops, proof.shop_id)
        group by 1, 2 order by doubted desc, shop, list
        """,  # noqa: S608 - declared names
        {"shops": list(names)},
    )


def runs(home: Path) -> Rows:
    """The newest runs, newest first: ``command, started_at, ended_at, outcome, requests, rows``.

    Those the ledger knows, else (and of a PostgreSQL, with all homes that load it) those that were
    published; times are in UTC, and the outcome of a run that is at work is ``running``.
    """
    found: Rows = []
    if not read_from() and (home / LEDGER).exists():
        with suppress(LedgerError), closing(Ledger(home / LEDGER)) as ledger:
            found = newest_runs(home, ledger, _RUNS)
    for run in found:
        for moment in ("started_at", "ended_at"):
            run[moment] = datetime.fromisoformat(run[moment]) if run[moment] else None
    return found or _published_runs(home)


@cached
def _published_runs(warehouse: Published) -> Rows:
    return warehouse.rows(
        "select command, started_at, ended_at, outcome, requests, rows, message "
        "from ops.runs order by started_at desc limit $most",
        {"most": _RUNS},
    )
