"""Models that an analyst edited, at a PostgreSQL beside the file."""

from __future__ import annotations

from pathlib import Path

from tests.engines.beside import Beside, invoice
from tests.warehouse import edited


def test_an_edited_project_makes_the_same_at_postgresql_as_in_the_file(
    company: Beside, tmp_path: Path
) -> None:
    mine = edited.write(tmp_path / "mine")
    company.load("ticket_invoices", invoice("a", "10"), invoice("b", "20", status="Due"))
    company.night(mine)
    visits = [("a", 10, edited.CUT_OFF), ("b", 20, edited.CUT_OFF)]
    assert company.ask(edited.ASKED) == visits
    assert company.ask("select shop_id, paid, due from marts.by_status") == [("main", 1, 1)]
    assert company.ask("select shop_id, region from marts.regions") == [("main", "North")]
    # One changed, which stands there once, and a status is new, which is a column more.
    changed = invoice("a", "15"), invoice("c", "1", status="Void")
    company.load("ticket_invoices", *changed, minute=1)
    company.night(mine)
    visits = [(id, n, edited.CUT_OFF) for id, n in (("a", 15), ("b", 20), ("c", 1))]
    assert company.ask(edited.ASKED) == visits
    assert company.ask("select paid, due, void from marts.by_status") == [(1, 1, 1)]
