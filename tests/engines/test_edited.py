"""Models that an analyst edited, at a PostgreSQL beside the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pipelines.destinations.build import build_there, own_figures
from pipelines.destinations.load import destination
from pipelines.load.pairing import BUILT
from pipelines.sync.session import made_of
from pipelines.transform import models
from tests.engines.postgres import do
from tests.ledgers import LoadedHome
from tests.warehouse import edited


def _invoice(id: str, amount: str, status: str) -> dict[str, Any]:
    date = "2026-01-05T10:00:00-06:00"
    return {"id": id, "amountTotal": amount, "status": status, "createdDate": date}


def test_an_edited_project_makes_the_same_at_postgresql_as_in_the_file(
    loaded: LoadedHome, company: str, tmp_path: Path
) -> None:
    mine = edited.write(tmp_path / "mine")

    def night(*asked: str) -> list[list[tuple[Any, ...]]]:
        home = loaded.home
        models.build(home.build_warehouse, home=home.path, shops=loaded.shops, project=mine)
        loaded.ledger.set_value("", BUILT, made_of(loaded.ledger, home, loaded.shops, mine))
        with destination(home, loaded.ledger, "company") as there:
            there.load(loaded.feed.log, ["main"], figures=own_figures(home, mine))
            assert build_there(there, mine)
        found = [do(company, sql) for sql in asked]
        assert found == [loaded.query(sql) for sql in asked]
        return found

    loaded.load("ticket_invoices", _invoice("a", "10", "Paid"), _invoice("b", "20", "Due"))
    pivot = "select shop_id, paid, due from marts.by_status"
    seed = "select shop_id, region from marts.regions"
    visits, statuses, regions = night(edited.ASKED, pivot, seed)
    assert visits == [("a", 10, edited.CUT_OFF), ("b", 20, edited.CUT_OFF)]
    assert (statuses, regions) == ([("main", 1, 1)], [("main", "North")])
    # One changed, which stands there once, and a status is new, which is a column more.
    changed = _invoice("a", "15", "Paid"), _invoice("c", "1", "Void")
    loaded.load("ticket_invoices", *changed, minute=1)
    visits, statuses = night(edited.ASKED, "select shop_id, paid, due, void from marts.by_status")
    assert visits == [(id, n, edited.CUT_OFF) for id, n in (("a", 15), ("b", 20), ("c", 1))]
    assert statuses == [("main", 1, 1, 1)]
