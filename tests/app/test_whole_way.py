"""The commands over a mirrored shop, in the order a user meets them."""

import json
import re
import shutil
from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import duckdb
import pytest

from pipelines.reconcile.calibrate import Verdict
from pipelines.reconcile.differences import Compared
from pipelines.sync.reconcile import ReconcileReport
from pipelines.sync.repair import late_hint
from pipelines.sync.verdict import ShopResult, verdict
from sandbox.quirks import Definition
from sandbox.reports import by_day
from shopmirror.commands.reconcile import show
from shopmirror.commands.sync import show as show_sync
from shopmirror.demo_shop import MARKER
from shopmirror.main import main
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.schema.endpoints import ENDPOINTS
from tests.app.command_line import home_of_its_own as home_of_its_own
from tests.app.command_line import point_at
from tests.few_models import build_few
from tests.promises import promise

# One test goes on where the one before left off.
pytestmark = pytest.mark.xdist_group("whole_way")

DAY = date(2026, 1, 1)


@pytest.fixture(autouse=True)
def _few_models(monkeypatch):
    """What was mirrored once has all tables; nothing here asks the marts anew."""
    build_few(monkeypatch)


@pytest.fixture(scope="module")
def synced(server, mirrored, tmp_path_factory):
    home = shutil.copytree(mirrored, tmp_path_factory.mktemp("synced") / "home")
    with pytest.MonkeyPatch.context() as patch:
        build_few(patch)
        point_at(server, patch, home)
        assert main(["sync"]) == 0
    return home


@pytest.fixture
def home(synced, shop, monkeypatch):
    monkeypatch.setenv("SHOPMIRROR_HOME", str(synced))
    return synced


def test_pos_invoices_are_the_pos_orders(home, shop, run):
    shop.forget_requests()
    code, _, err = run("sync", "posInvoices", "pos_invoices")
    assert code == 0, err
    paths = {seen.path for seen in shop.requests("main")}
    assert any(path.endswith("/posOrders") for path in paths)
    assert not any(path.endswith("/posInvoices") for path in paths)


def test_the_mirror_holds_what_the_shop_holds(home, shop):
    with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as warehouse:
        for table in ENDPOINTS:
            held = warehouse.execute(
                f"SELECT count(*), count(DISTINCT (shop_id, id)) FROM raw.{table}"
            ).fetchone()
            assert held is not None
            assert held[0] == held[1]
            assert held[0] > 0, table
        found = warehouse.execute("SELECT matches, count(*) FROM marts.reconciliation GROUP BY 1")
        assert [matches for matches, _ in found.fetchall()] == [True]
    assert not (home / MARKER).exists()


def test_plan_knows_the_next_sync(home, run):
    code, out, _ = run("plan", "--json")
    document = json.loads(out)
    assert code == 0
    assert document["unknown_lists"] == 0
    assert 0 < document["requests"] <= 60 + 20, "twenty pages of old rows are read again"
    code, out, _ = run("plan")
    assert code == 0
    assert "ticket_invoices" in out
    assert f"{document['requests']} requests" in out


def test_status(home, run):
    code, out, _ = run("status")
    assert code == 0
    assert "All is well" in out
    # Of the 48 that were compared, those with business.
    counted = re.search(r"(\d+) of \1 periods", out)
    assert counted and 0 < int(counted[1]) < 48
    assert run("status", "--check")[:2] == (0, "all is well\n")
    document = json.loads(run("status", "--json")[1])
    assert document["complete"] is True
    assert "sync" in {run["command"] for run in document["runs"]}
    assert "fresh_as_of" in run("status", "--json")[1]
    assert "tax_rates" in run("status", "--tables")[1]


def test_doctor_says_what_it_found(home, run):
    code, out, _ = run("doctor")
    assert code == 0
    assert "by page number" in out
    document = json.loads(run("doctor", "--json")[1])
    assert document["healthy"] is True
    assert document["shops"][0]["items"]["envelope of lists"] == "bare array"


@promise("an old edit is found by the report of its month")
def test_a_shop_edited_behind_our_back_is_reported_then_repaired(home, run, shop):
    store = shop.store("main")
    with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as warehouse:
        row = warehouse.execute(
            "SELECT id FROM raw.ticket_invoices WHERE amount_total > 0 "
            "ORDER BY created_date LIMIT 1"
        ).fetchone()
    assert row is not None
    store.update("ticket_invoices", row[0], {"amount_total": "77777.77"})
    code, out, err = run("reconcile")
    assert code == 1
    assert "What does not agree" in out
    assert "monthly sales" in out
    to_come = date.today() + timedelta(days=32)
    assert f"{to_come:%Y-%m}" not in out, "a month to come agrees about nothing"
    assert "do not agree" in err
    code, out, _ = run("reconcile", "--repair", "--json")
    document = json.loads(out)
    assert (code, document["differing"]) == (0, 0)
    assert document["compared"] > 48


def test_reports_that_cannot_be_asked_agree_about_nothing(home, run, monkeypatch):
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__BASE_URL", "http://127.0.0.1:9/v1")
    code, out, _ = run("reconcile", "--json")
    assert (code, json.loads(out)["agrees"]) == (3, False)


OTHERWISE = {"tax": "net", "returns": "sale_day", "documents": "paid"}
OTHERWISE |= {"purchase_date": "created", "shipping": False, "expenses": True}


@promise("what the service counts as a sale is found out")
def test_what_a_service_counts_is_found_out_and_counted_from_then_on(home, run, shop):
    always = ("2000-01-01", "2100-01-01")
    for counts in (OTHERWISE, {"date": "cash"}):
        shop.turn(definition=counts)
        if counts is OTHERWISE:
            code, _, err = run("sync")
            assert code == 1 and "agrees with the service's sales in every month" in err
        code, out, err = run("reconcile", "--calibrate", "--json")
        found = json.loads(out)["calibration"]["main"]
        assert (code, [one["report"] for one in found]) == (0, ["sales", "purchases"]), err
        assert all(one["chosen"] for one in found)
        assert run("sync")[0] == 0
        with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as warehouse:
            for kind in ("sales", "purchases"):
                theirs = by_day(kind, shop.store("main"), Definition(**counts), *always)
                days = warehouse.execute(f"SELECT day, total FROM marts.daily_{kind}").fetchall()
                ours = {f"{day}": total * 100 for day, total in days if total}
                assert ours == {day: cents for day, cents in theirs.items() if cents}


def test_what_was_not_compared_does_not_agree(home, run, shop):
    """Lists of some names are newer than the reports; a list that is not whole proves no sum."""
    newest = max(shop.store("main").all("ticket_invoices"), key=lambda row: row["created_date"])
    shop.store("main").update("ticket_invoices", newest["id"], {"amount_total": "1.23"})
    code, out, err = run("sync", "ticketInvoices", "--full")
    assert code == 0, err
    assert "agree" not in out
    with closing(Ledger(home / "mirror.sqlite")) as ledger:
        ledger.ask_again("main", ["pos_orders"])
    code, out, err = run("reconcile")
    assert code == 1
    assert "agrees to the cent" not in out
    assert "monthly sales were not compared, since pos_orders were not read whole" in err


def test_a_chains_shops_and_what_calibration_found_have_a_line_each(capfd):
    one = Compared("a", "daily_sales", DAY, Decimal(0), Decimal(5))
    show_sync(verdict([ShopResult("a", differences=[one]), ShopResult("b", matching=3)]))
    rows = [row.split("│") for row in capfd.readouterr().out.splitlines() if "│" in row]
    assert {row[0].strip(): row[-1].strip() for row in rows} == {
        "a": "1 of 1 periods differ",
        "b": "3 of 3 periods",
    }
    found = Verdict("sales", None, (), "no data", "The service reported no sales yet.")
    show(ReconcileReport(verdicts={"a": [found]}))
    assert "a, sales: The service reported no sales yet." in capfd.readouterr().out


@pytest.mark.parametrize("count", [3, 30])
def test_what_mends_all_differences_is_said_once(capfd, count):
    one = Compared("a", "daily_sales", DAY, Decimal(0), Decimal(5))
    days = [replace(one, period=DAY + timedelta(n)) for n in range(count)]
    show_sync(verdict([ShopResult("a", differences=days, hint="Do this.")]))
    assert "".join(capfd.readouterr()).count("Do this.") == 1


@pytest.mark.parametrize(
    ("day", "said"),
    [
        ("daily_sales 0 80 0", True),
        ("daily_sales -1 80 0", True),
        ("daily_sales -2 80 0", False),  # not late any more
        ("daily_sales 0 80 10", False),
        ("daily_sales 0 70 0", False),  # not all of the month's difference
        ("daily_purchases 0 80 0", False),
    ],
)
def test_a_report_that_is_made_late_is_told_as_such(day, said):
    report, place, ours, theirs = day.split()
    today = DAY + timedelta(20)
    month = Compared("a", "monthly_sales", DAY, Decimal(180), Decimal(100))
    late = Compared("a", report, today + timedelta(int(place)), Decimal(ours), Decimal(theirs))
    assert ("set sync_at" in late_hint([late, month], today)) is said
    assert late_hint([month], today) == late_hint([], today) == ""


def test_zeros_on_both_sides_agree_about_nothing(capfd):
    zero = Decimal(0)
    report = ReconcileReport(
        periods=[Compared("a", "monthly_sales", DAY, zero, zero, matches=True)]
    )
    assert report.as_json()["agrees"] is None
    show(report)
    assert "agrees to the cent" not in capfd.readouterr().out


def test_a_first_load_that_was_stopped_is_told_in_a_line(run, shop, empty, tmp_path):
    """Which lists are missing, and what goes on with them; not a line for each."""
    shutil.copytree(empty, tmp_path / "home")
    code, out, err = run("sync", "--max-requests", "30")
    assert code == 4 and "Stopped early" in err
    (line,) = [line for line in out.splitlines() if "not finished" in line]
    assert ", " in line and "reconcile" not in out
    assert "Stopped on request" not in out
    out = run("status")[1]
    (line,) = [line for line in out.splitlines() if "not finished" in line]
    assert line.endswith("-> shopmirror sync")
