"""Rows that arrive whole, and of which no report could count one."""

import shutil
import subprocess
import sys
from datetime import UTC, date, datetime

import pytest

from pipelines.monitor.status import status
from pipelines.publish.published import published
from pipelines.report.trust import trust
from pipelines.sync.run import sync
from tests.few_models import build_few
from tests.promises import promise


@promise("whatever breaks at a service that is not ours, a mirror that says it is complete is")
@pytest.mark.parametrize("unknown", ["paid_at", "value"])
def test_payments_whose_day_or_amount_nobody_knows_are_no_complete_mirror(
    stranger, empty, monkeypatch, unknown
):
    """No report of the service tells of payments, so no difference would show that they lack."""
    build_few(monkeypatch)
    shutil.copytree(empty, stranger.home, dirs_exist_ok=True)
    settings = stranger.settings
    known = {"paid_at": "date", "value": "amount"}[unknown]
    whole = {"id": 1, "date": "2026-03-01T10:00:00-0600", "amount": 5.5}
    row = {unknown if name == known else name: value for name, value in whole.items()}
    stranger.lists["/payments"] = [row]
    report = sync(settings)
    assert (report.exit_code, report.outcome) == (1, "incomplete"), report.message
    assert "'shopmirror doctor' says which" in report.message
    told = f"payments: 1 row(s) have no '{known}' that can be read, and count in no report"
    assert report.details == [f"main: {told}"]
    assert told in [problem.text for problem in status(settings).found]
    with published(stranger.home) as warehouse:
        found = trust(warehouse, ["main"], datetime.now(UTC), date(2026, 3, 1))
    assert told[0].upper() + told[1:] + "." in [caution.shown for caution in found.cautions]
    stranger.lists["/payments"] = [whole]
    assert sync(settings, full=True).exit_code == 0


def test_a_payment_that_lacks_its_day_in_all_reports_is_no_complete_mirror(
    stranger, empty, monkeypatch
):
    """One of no amount lacks nowhere."""
    build_few(monkeypatch)
    shutil.copytree(empty, stranger.home, dirs_exist_ok=True)
    paid = {"date": "2026-03-01T10:00:00-0600", "amount": 5.5}
    nothing = {"id": 3, "date": "later", "amount": 0}
    lists = [{"id": 1, **paid}, {"id": 2, **paid, "date": "soon"}, nothing]
    stranger.lists["/payments"] = lists
    settings = stranger.settings
    report = sync(settings)
    assert (report.exit_code, report.outcome) == (1, "incomplete"), report.message
    told = "payments: 1 row(s) have no 'date' that can be read, and count in no report"
    assert report.details == [f"main: {told}"]
    lists[1] = {"id": 2, **paid}
    assert sync(settings, full=True).exit_code == 0


def test_an_order_on_its_way_that_has_no_cost_yet_leaves_the_mirror_complete(
    stranger, empty, monkeypatch
):
    build_few(monkeypatch)
    shutil.copytree(empty, stranger.home, dirs_exist_ok=True)
    made = "2026-03-01T10:00:00-0600"
    stranger.lists["/purchaseOrders"] = [{"id": 1, "status": "Pending", "created_date": made}]
    report = sync(stranger.settings)
    assert report.exit_code == 0, report.details


_MADE = "2026-03-01T10:00:00-0600"
_TICKET = {"created_date": _MADE, "status": {"id": 3, "label": "Listo"}, "technician": {"id": "T1"}}
_LINE = {"product_code": "A", "quantity": 2, "unit_price": 0}
_SALE = {"created_date": _MADE, "amount_total": 0, "status": "Paid", "lines": [_LINE, _LINE]}
_PAID = {"date": _MADE, "amount": 5.5, "payment_method": "cash"}
_UNKNOWN_NAMES = [
    ("/tickets", _TICKET, "status", 60),
    ("/payments", _PAID, "payment_method", 1),
    ("/payments", _PAID, "payment_method", 8),
    ("/posOrders", _SALE, "lines", 4),
]


@pytest.mark.parametrize(("path", "row", "known", "count"), _UNKNOWN_NAMES)
def test_a_field_that_a_service_calls_otherwise_from_one_night_on_makes_no_complete_mirror(
    stranger, empty, monkeypatch, path, row, known, count
):
    """All tickets were open, all payments of no method: with a plain 'complete'."""
    settings = _night_after(stranger, empty, monkeypatch, path, [row] * count)
    rows = stranger.lists[path]
    if count == 8:  # one is deleted in the same night
        del rows[2]
    rows[:] = [{"stage" if name == known else name: v for name, v in one.items()} for one in rows]
    words = {"/posOrders": "POS orders"}.get(path, path[1:])
    told = f"row(s) have a field 'stage' that nobody knows, and no '{known}'"
    report = sync(settings)
    assert (report.exit_code, report.outcome) == (1, "incomplete"), report.message
    assert [words in report.details[0], told in report.details[0]] == [True, True], report.details
    report = sync(settings, full=True)
    assert (report.exit_code, report.details) == (1, [f"main: {words}: {len(rows)} {told}"])


@pytest.mark.parametrize(("path", "row", "known", "count"), [_UNKNOWN_NAMES[0], _UNKNOWN_NAMES[-1]])
def test_a_field_that_rows_say_no_more_makes_no_complete_mirror_until_they_say_it_again(
    stranger, empty, monkeypatch, path, row, known, count
):
    """Nothing came in its place that nobody knows: it is gone, or under a name that means more."""
    settings = _night_after(stranger, empty, monkeypatch, path, [row] * count)
    rows = stranger.lists[path]
    rows.append(row | {"id": count + 1})
    report = sync(settings)  # reads nothing but a new row
    assert report.exit_code == 0, report.details
    whole = rows[:]
    rows[:] = [{name: value for name, value in one.items() if name != known} for one in rows]
    words = {"/posOrders": "POS orders"}.get(path, path[1:])
    told = f"main: {words}: rows say '{known}' no more, and {count + 1} have none now"
    for options in ({"full": True}, {}):
        report = sync(settings, **options)
        assert (report.exit_code, report.details) == (1, [told])
    # It stands, also where there is nothing to compare with.
    (settings.home / "warehouse.duckdb").unlink()
    whole.append(row | {"id": count + 2})
    rows.append({name: value for name, value in whole[-1].items() if name != known})
    report = sync(settings)
    assert (report.exit_code, report.details) == (1, [told.replace(f"{count + 1}", f"{count + 2}")])
    rows[:] = whole
    assert sync(settings, full=True).exit_code == 0


def test_a_line_that_calls_its_product_otherwise_makes_no_complete_mirror(
    stranger, empty, monkeypatch
):
    settings = _night_after(stranger, empty, monkeypatch, "/posOrders", [_SALE, _SALE])
    ware = {"ware": "A", "quantity": 2, "unit_price": 0}
    orders = stranger.lists["/posOrders"]
    first = orders[:]
    orders[:] = [order | {"lines": [ware, ware]} for order in orders]
    # An analyst's notebook has what is published open, for writing as DuckDB does by itself.
    code = "import duckdb, sys; it = duckdb.connect(sys.argv[1]); print(it, flush=True); input()"
    command = [sys.executable, "-c", code, str(stranger.home / "warehouse.duckdb")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as notebook:
        notebook.stdout.readline()
        report = sync(settings)
        notebook.kill()
    told = "4 row(s) have a field 'ware' that nobody knows, and no 'product_code'"
    assert (report.exit_code, report.details) == (1, [f"main: POS orders: lines: {told}"])
    orders[:] = first
    assert sync(settings, full=True).exit_code == 0


def test_fields_that_come_and_references_that_end_are_no_new_names(stranger, empty, monkeypatch):
    """A ticket that is cancelled has no technician, and from now on a reason."""
    settings = _night_after(stranger, empty, monkeypatch, "/tickets", [_TICKET] * 5)
    rows = stranger.lists["/tickets"]
    rows[0] = rows[0] | {"technician": None, "reason": "too dear"}
    assert sync(settings, full=True).exit_code == 0
    rows[:] = [row | {"branch": "north"} for row in rows]
    rows[1:4] = [row | {"technician": None} for row in rows[1:4]]
    assert sync(settings, full=True).exit_code == 0


def _night_after(stranger, empty, monkeypatch, path, rows):
    """A first night of these rows, made whole."""
    build_few(monkeypatch)
    shutil.copytree(empty, stranger.home, dirs_exist_ok=True)
    kept = [{"id": number, **row} for number, row in enumerate(rows, start=1)]
    stranger.lists |= {path: kept}
    if path == "/tickets":
        stranger.lists["/tickets/updated"] = kept
    settings = stranger.settings
    report = sync(settings)
    assert report.exit_code == 0, report.details
    return settings
