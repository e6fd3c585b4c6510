"""A list that nobody heard of yet: one row declares it, and it is everywhere.

The generated files of ``transforms/`` are those that the rows make. What dbt tells of the list is
read in ``tests/engines/test_dbt.py``.
"""

import shutil
from dataclasses import replace
from decimal import Decimal

import duckdb
import pytest

from bench import staging
from pipelines.transform import dbt
from pipelines.transform.models import PROJECT
from shopmirror.main import main
from sources.repair_shop import repair_shop
from sources.repair_shop.schema import endpoints
from sources.repair_shop.schema.endpoints import rows_of
from sources.repair_shop.schema.shapes import Table
from tests.fakes.loopback import Loopback, Reply
from tests.few_models import build_few

ROW = """
["/gadgetLoans"]
one = "loan of a gadget"
columns = "name deposit:amount returned:flag created_date:moment due_date:moment"
references = ["customer"]
detail = true
means.deposit = "What the customer left for it."
means.is_returned = "Whether it is back."
[["/gadgetLoans".children]]
name = "parts"
one = "part lent with a gadget"
columns = "id name quantity:number"
"""
(GADGETS,) = rows_of(ROW)
ROWS = [
    {
        "id": n,
        "name": f"Lamp {n}",
        "deposit": "$ 12.50",
        "returned": "Yes" if n % 2 else "No",
        "created_date": f"0{n}-Mar-2026",
        "customer": {"id": 7, "name": "Ana"},
        "parts": [{"id": 1, "name": "Bulb", "quantity": 2}] * (n == 1),
    }
    for n in (3, 2, 1)
]


@pytest.fixture
def declared():
    endpoints.declare(GADGETS)
    yield
    del endpoints._ENDPOINTS[GADGETS.table]


@pytest.fixture
def home(plain_folder, tmp_path, monkeypatch, empty):
    """A home from before the list, whose service has nothing but it now."""
    shutil.copytree(empty, tmp_path / "home")

    def answer(seen):
        first = dict(seen.query).get("page", "1") == "1"
        rows = ROWS if seen.path == "/v1/gadgetLoans" and first else []
        return Reply(body=rows[::-1] if dict(seen.query).get("sort") == "oldest" else rows)

    with Loopback() as service:
        service.otherwise = answer
        monkeypatch.setenv("SHOPMIRROR_HOME", str(tmp_path / "home"))
        for name, value in {
            "base_url": service.base_url,
            "api_key": "k",
            "timezone": "America/Guatemala",
            "minute_seconds": "0.2",
        }.items():
            monkeypatch.setenv(f"SOURCES__REPAIR_SHOP__{name.upper()}", value)
        yield tmp_path / "home"


def test_files_that_follow_from_the_lists_are_as_make_models_writes_them():
    assert staging.stale(PROJECT) == []


@pytest.mark.usefixtures("declared")
def test_one_row_is_a_list(home, tmp_path, monkeypatch):
    build_few(monkeypatch)
    assert main(["sync", "gadgetLoans"]) == 0
    with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as connection:
        ask = connection.execute
        assert ask("select id, deposit from raw.gadget_loans order by id").fetchall() == [
            (n, Decimal("12.5")) for n in "123"
        ]
        assert ask("select parent_id, quantity from raw.gadget_loans__parts").fetchall()
        (proof,) = ask("select distinct resource from ops.completeness").fetchall()
        assert proof == ("gadget_loans",)
    resource = repair_shop().resources["gadget_loans"]
    assert resource.compute_table_schema()["columns"]["deposit"]["data_type"] == "decimal"
    monkeypatch.setattr(dbt, "find_spec", lambda _name: None)
    assert main(["dictionary", "--out", "docs/m.html"]) == 0
    assert "marts.daily_sales" in (tmp_path / "docs" / "tables.html").read_text(encoding="utf-8")
    assert not (tmp_path / "docs" / "m.html").exists()


@pytest.mark.usefixtures("declared")
def test_a_column_needs_a_meaning(monkeypatch):
    for said, fault in (
        ({"one": "oddity"}, r"oddities\.whatnot: say what it means"),
        ({"one": "oddity", "means": {"whatever": "A word."}}, "no column is called whatever"),
        ({"one": "oddity", "staged": {"whatever": "one"}}, "no column is called whatever"),
    ):
        shape = Table("whatnot created_date:moment", words=said)
        odd = replace(GADGETS, path="/oddities", shape=shape)
        monkeypatch.setitem(endpoints._ENDPOINTS, "oddities", odd)
        with pytest.raises(staging.Unsaid, match=fault):
            staging.files(PROJECT)
    with pytest.raises(TypeError, match="sorted"):
        rows_of(ROW + "sorted = true\n")
    with pytest.raises(ValueError, match="a list for table 'gadget_loans' already"):
        endpoints.declare(GADGETS)
