"""Fields without end make no columns without end, and nothing that they say is lost."""

import json
import shutil
from typing import Any

from pipelines.home import Home
from sources.repair_shop.schema.arrow import tables_of
from sources.repair_shop.schema.width import (
    MOST_COLUMNS,
    MOST_NESTED,
    MOST_NESTED_COLUMNS,
    narrowed,
)
from tests.clean.test_arrow import ZONES, page
from tests.ledgers import LoadedHome


def keyed_by_id(start: int, count: int) -> list[dict[str, Any]]:
    return [{"id": n, "by": {f"k{n}": f"v{n}"}} for n in range(start, start + count)]


def words(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: json.loads(row["_unreadable"] or "{}") for row in rows for name in (row["id"],)}


def test_the_first_fields_become_columns_and_stay_them():
    first = tables_of([page(keyed_by_id(0, 150), "customers")], ZONES)
    found, fields = narrowed("customers", first, {})
    assert found["customers"].equals(first["customers"])
    second = tables_of([page(keyed_by_id(100, 150), "customers")], ZONES)
    found, again = narrowed("customers", second, fields)
    assert again["customers"][:150] == fields["customers"]
    assert len(again["customers"]) == MOST_COLUMNS
    rows = found["customers"].to_pylist()
    noted = words(rows)
    for row in rows:
        number = row["id"]
        name = f"by__k{number}"
        assert (row.get(name) or noted[number].get(name)) == f"v{number}"
    assert narrowed("customers", second, again)[1] == again


def test_nested_lists_beyond_the_limit_are_kept_as_words():
    rows = [{"id": n, f"list{n}": [{"a": n, "deep": [{"b": "x"}]}]} for n in range(30)]
    found, fields = narrowed("customers", tables_of([page(rows, "customers")], ZONES), {})
    lists = [name for name in found if name != "customers"]
    assert len(lists) == MOST_NESTED == len(fields[""])
    noted = words(found["customers"].to_pylist())
    for number in range(30):
        name = f"list{number}"
        if f"customers__{name}" in found:
            (row,) = found[f"customers__{name}"].to_pylist()
            deep = f"customers__{name}__deep"
            assert row["a"] == str(number)
            assert deep in found or "x" in row["_unreadable"]
        else:
            (row,) = json.loads(noted[str(number)][name])
            assert row["a"] == str(number)
            assert "x" in row["_unreadable"]


def test_lines_with_endless_fields_keep_them_as_words():
    lines = [{"id": n, f"f{n}": "x"} for n in range(80)]
    tables = tables_of([page([{"id": 1, "lines": lines}])], ZONES)
    found, fields = narrowed("ticket_invoices", tables, {})
    assert len(fields["ticket_invoices__lines"]) == MOST_NESTED_COLUMNS
    kept = json.dumps(found["ticket_invoices__lines"].to_pylist())
    assert all(f"f{n}" in kept for n in range(80))


def test_a_warehouse_takes_night_after_night_of_new_fields(tmp_path, empty):
    home = LoadedHome(Home(shutil.copytree(empty, tmp_path / "home")))
    for night in range(3):
        home.load("brands", *keyed_by_id(night * 120, 120), minute=night)
    (count,) = home.query(
        "SELECT count(*) FROM information_schema.columns WHERE table_schema = 'raw' "
        "AND table_name = 'brands' AND column_name LIKE 'by\\_\\_%' ESCAPE '\\'"
    )[0]
    assert count == MOST_COLUMNS
    assert home.query(
        "SELECT count(*) FROM raw.brands WHERE _unreadable LIKE '%by\\_\\_%' ESCAPE '\\'"
    ) == [(160,)]
