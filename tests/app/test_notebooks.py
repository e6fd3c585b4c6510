"""Every notebook runs top to bottom, and what it says is what the service's own records say.

The expectations are made from the sandbox's generated records, not from the warehouse: the way
from there to a notebook's figures goes through HTTP, the mirror and the models.
"""

import ast
import base64
import itertools
import json
import re
import shutil
import socket
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import nbformat
import pytest

from notebooks import build, house_style
from pipelines.report import Period, closing_report
from pipelines.report.figures import Figures
from sandbox.generator import generate
from shopmirror.main import main

NAMES = [path.stem for path in build.notebooks()]


# The first test mirrors the shop and runs all notebooks: minutes on a busy machine.
pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="session")
def home(mirrored, tmp_path_factory):
    """A home folder with the published warehouse of a tiny sandbox shop."""
    return shutil.copytree(mirrored, tmp_path_factory.mktemp("notebooks") / "home")


@pytest.fixture(scope="session")
def poor(mirrored, tmp_path_factory):
    """A home of a shop with nothing but two months of sales."""
    home = shutil.copytree(mirrored, tmp_path_factory.mktemp("poor") / "home")
    with duckdb.connect(str(home / "warehouse.duckdb")) as warehouse:
        for schema, name in warehouse.execute(
            "select schema_name, table_name from duckdb_tables() "
            "where schema_name in ('raw', 'intermediate', 'marts') and table_name <> 'calendar'"
        ).fetchall():
            warehouse.execute(f"delete from {schema}.{name}")
        months = "select distinct cast(date_trunc('month', day) as date) from marts.calendar"
        _, first, _, _, fourth = warehouse.execute(f"{months} order by 1 limit 5").fetchall()
        for day in (first, fourth):
            for statement in (
                "daily_sales (shop_id, day, total, ticket_total, pos_total) "
                "values ('main', $1, 60, 60, 0)",
                "monthly_sales (shop_id, month, total, ticket_total, pos_total) "
                "values ('main', $1, 60, 60, 0)",
                "documents (shop_id, document_type, document_id, created_day) "
                "values ('main', 'pos_order', $1, $1)",
            ):
                warehouse.execute(f"insert into marts.{statement}", day)
    return home


@pytest.fixture(scope="session")
def both(home, poor, tmp_path_factory):
    """The notebooks over the tiny shop and over the poor one; for each: name -> with outputs.

    One after the other in one kernel that forgets each before the next: what costs is starting
    Python, pandas and the drawing of charts fourteen times. Nothing of another is left but what is
    imported, so each has to switch on the style itself.
    """
    together, code = nbformat.v4.new_notebook(), nbformat.v4.new_code_cell
    books = [[nbformat.read(path, as_version=4) for path in build.notebooks()] for _ in range(2)]
    for shop, of_shop in zip((home, poor), books, strict=True):
        for book in of_shop:
            assert any("house_style.use()" in cell.source for cell in book.cells)
            turn = code(f"import os; os.environ['SHOPMIRROR_HOME'] = {str(shop)!r}")
            together.cells += [turn, *book.cells, code("%reset -f")]
    for place, cell in enumerate(together.cells):
        cell["id"] = f"cell-{place}"
    file = tmp_path_factory.mktemp("together") / "all.ipynb"
    nbformat.write(together, file)
    cells = iter(build.run(file, home).cells)
    for book in itertools.chain(*books):
        assert not next(cells).outputs
        book.cells = list(itertools.islice(cells, len(book.cells)))
        assert not next(cells).outputs
    return [dict(zip(NAMES, of_shop, strict=True)) for of_shop in books]


@pytest.fixture(scope="session")
def ran(both):
    """The notebooks over the tiny shop; name -> with outputs."""
    return both[0]


@pytest.fixture(scope="session")
def records():
    """What the sandbox's shop is made of: resource -> records."""
    found: dict[str, list[Any]] = {}
    for resource, record in generate(
        seed=1, size="tiny", shop="main", timezone=build.TIMEZONE, until=None
    ):
        found.setdefault(resource, []).append(record)
    return found


def results(notebook: nbformat.NotebookNode) -> dict[str, Any]:
    """What the last cell of a notebook says it found."""
    (output,) = notebook.cells[-1].outputs
    found: dict[str, Any] = ast.literal_eval(output["data"]["text/plain"])
    return found


def pictures(notebook: nbformat.NotebookNode) -> list[bytes]:
    return [
        base64.b64decode(output["data"]["image/png"])
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]


def total(documents: list[Any]) -> Decimal:
    return sum((Decimal(str(document["amount_total"])) for document in documents), Decimal(0))


def returned(documents: list[Any]) -> Decimal:
    return sum(
        (Decimal(str(back["amount"])) for document in documents for back in document["returns"]),
        Decimal(0),
    )


def test_all_seven_are_there():
    assert NAMES == [
        "01_start_here",
        "02_sales_and_seasons",
        "03_tickets_and_technicians",
        "04_stock_and_purchasing",
        "05_customers",
        "06_reconciliation",
        "07_queue_a_change",
    ]


def test_sales_are_what_the_shop_sold(ran, records):
    documents = records["ticket_invoices"] + records["pos_orders"]
    found = results(ran["02_sales_and_seasons"])
    assert Decimal(found["sales"]) == total(documents) - returned(documents)
    assert Decimal(found["returned"]) == returned(documents)
    assert found["documents"] == len(documents)


def test_start_here_agrees_with_the_service(ran):
    found = results(ran["01_start_here"])
    assert found["reports_that_disagree"] == 0
    assert Decimal(found["due"]) == Decimal(results(ran["05_customers"])["due"])


def test_every_ticket_is_counted(ran, records):
    found = results(ran["03_tickets_and_technicians"])
    assert found["tickets"] == len(records["tickets"])
    assert found["unassigned"] == sum(not ticket["technician"] for ticket in records["tickets"])


def test_stock_and_purchases_are_the_shops(ran, records):
    found = results(ran["04_stock_and_purchasing"])
    goods = [product for product in records["products"] if product["type"] == "product"]
    assert Decimal(found["units"]) == sum(Decimal(str(product["stock"])) for product in goods)
    received = [order for order in records["purchase_orders"] if order["received_date"]]
    bought = sum(
        Decimal(str(order["cost"])) + Decimal(str(order["shipping_cost"])) for order in received
    )
    assert Decimal(found["purchases"]) == bought


def test_customers_and_what_they_owe(ran, records):
    found = results(ran["05_customers"])
    documents = records["ticket_invoices"] + records["pos_orders"]
    assert found["customers"] == len(records["customers"])
    assert Decimal(found["lifetime_value"]) + Decimal(found["without_customer"]) == (
        total(documents) - returned(documents)
    )


def test_reconciliation_finds_the_services_own_definition(ran):
    found = results(ran["06_reconciliation"])
    assert found["months"] == found["months_that_agree"] > 20
    assert found["not_proven"] == 0
    assert found["definition"] == "document/gross/return_day/all"
    agreed, of = found["definition_agrees_in"].split(" of ")
    assert agreed == of


def test_the_rehearsal_leaves_no_queue_behind(ran, home):
    found = results(ran["07_queue_a_change"])
    assert found["queued"] > 0
    assert found["refused"] == 3
    assert found["requests"] == 2 * found["queued"] + 1  # the first is read back
    assert not (home / "outbox.sqlite").exists()


@pytest.mark.parametrize("name", NAMES)
def test_every_run_draws_its_charts_and_complains_of_nothing(ran, name):
    kinds = {o["output_type"] for cell in ran[name].cells for o in cell.get("outputs", [])}
    assert kinds <= {"execute_result", "display_data"}
    assert len(pictures(ran[name])) == len(pictures(nbformat.read(_path(name), as_version=4)))


def test_a_shop_with_nothing_but_two_months_of_sales_is_shown(both, poor, monkeypatch):
    _, shop = both
    told = {o["data"]["text/plain"] for cell in shop["05_customers"].cells for o in shown_by(cell)}
    assert "Nothing to show." in told
    assert results(shop["06_reconciliation"])["months"] == 0
    monkeypatch.setenv("SHOPMIRROR_HOME", str(poor))
    sales: dict[str, Any] = {}
    for cell in shop["02_sales_and_seasons"].cells:
        if "FIRST, LAST =" in cell.source or "every_month" in cell.source:
            exec(cell.source, sales)
    assert sales["shown"]["three_months"].dropna().tolist() == [20, 20]


def shown_by(cell: nbformat.NotebookNode) -> list[Any]:
    return cell.get("outputs", [])


@pytest.mark.parametrize("name", NAMES)
def test_the_committed_file_can_be_read_without_running_it(name):
    notebook = nbformat.read(_path(name), as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert {o["output_type"] for cell in code for o in cell.outputs} == {"execute_result"}
    assert all(picture.startswith(b"\x89PNG") for picture in pictures(notebook))
    assert pictures(notebook)
    assert results(notebook)
    assert _path(name).stat().st_size < 400_000


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_a_machine_is_in_the_committed_file(name):
    notebook = nbformat.read(_path(name), as_version=4)
    for cell in notebook.cells:
        assert not cell.metadata
        for output in cell.get("outputs", []):
            output.get("data", {}).pop("image/png", None)
    text = nbformat.writes(notebook)
    assert set(notebook.metadata["language_info"]) == {"name"}
    found = re.findall(
        r"(?<![\w.])/(?:home|root|tmp|work|usr|var|Users|opt|mnt)/\S*"
        r"|127\.0\.0\.1|localhost|[A-Za-z]:\\\\|0x[0-9a-f]{6,}",
        text,
    )
    assert not found
    assert socket.gethostname() not in text


def test_links_between_notebooks_lead_somewhere():
    for path in build.notebooks():
        for cell in nbformat.read(path, as_version=4).cells:
            for target in re.findall(r"\]\(([^)]+\.ipynb)\)", cell.source):
                assert (build.FOLDER / target).is_file(), f"{path.name}: {target}"


def _path(name: str) -> Path:
    return build.FOLDER / f"{name}.ipynb"


# -- the same figures in all places ----------------------------------------------------------------


@pytest.fixture(scope="module")
def first(ran):
    """What the first notebook found."""
    return results(ran["01_start_here"])


@pytest.fixture
def ask(home, monkeypatch, capsys):
    monkeypatch.setenv("SHOPMIRROR_HOME", str(home))

    def answer(sql: str) -> Decimal:
        assert main(["query", sql, "--json"]) == 0
        (row,) = json.loads(capsys.readouterr().out)
        (value,) = row.values()
        return Decimal(str(value))

    return answer


def reported(home, period: Period) -> Figures:
    return closing_report(home, period=period).pages[0].now.figures


def test_the_last_open_day_and_the_thirty_days_before(home, first, ask):
    """The page says what a report says: tests/app/test_page.py."""
    day = date.fromisoformat(first["last_open_day"])
    report = closing_report(home)
    assert report.period == Period.of("day", day), "report and notebook open on the same day"
    assert Decimal(first["sold_on_the_day"]) == report.pages[0].now.figures.sold
    assert Decimal(first["due"]) == report.pages[0].now.figures.due
    span = Period(kind="range", first=day - timedelta(days=29), last=day)
    assert Decimal(first["taken_in_30_days"]) == reported(home, span).taken
    assert Decimal(first["due"]) == ask(f"select sum(due) from marts.shop_days where day = '{day}'")
    month = max(first["sales_of_months"])
    assert month == first["last_open_day"][:7], "the month that still runs is one of them"
    assert Decimal(first["sales_of_months"][month]) == reported(home, Period.read(month)).sold


def test_amounts_of_shops_of_two_currencies_are_called_by_both(home, tmp_path, monkeypatch):
    shutil.copy(home / "warehouse.duckdb", tmp_path)
    monkeypatch.setenv("SHOPMIRROR_HOME", str(tmp_path))
    with duckdb.connect(str(tmp_path / "warehouse.duckdb")) as connection:
        connection.execute("update ops.shops set currency = 'GTQ'")
        connection.execute("insert into ops.shops by name select 'b' as shop_id, 'EUR' as currency")
    assert house_style.currency() == "EUR + GTQ"
