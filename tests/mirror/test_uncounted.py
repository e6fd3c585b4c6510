"""Rows that arrive whole, and of which no report could count one."""

import shutil
import subprocess
import sys
from datetime import UTC, datetime

from pipelines.monitor.status import status
from pipelines.publish.published import published
from pipelines.report.trust import trust
from pipelines.sync.run import sync
from tests.few_models import build_few
from tests.promises import promise

_MADE = "2026-03-01T10:00:00-0600"
_TICKET = {"created_date": _MADE, "status": {"id": 3, "label": "Listo"}, "technician": {"id": "T1"}}
_LINE = {"product_code": "A", "quantity": 2, "unit_price": 0}
_SALE = {"created_date": _MADE, "amount_total": 0, "status": "Paid", "lines": [_LINE, _LINE]}
_PAID = {"date": _MADE, "amount": 5.5, "payment_method": "cash"}


@promise("whatever breaks at a service that is not ours, a mirror that says it is complete is")
def test_rows_that_no_report_could_count_make_no_complete_mirror(stranger, empty, monkeypatch):
    """No report of the service tells of payments, so no difference would show that they lack."""
    nights = {"/posOrders": [_SALE, _SALE], "/tickets": [_TICKET] * 5, "/users": [{"id": "T1"}]}
    nights["/payments"] = [{"paid_at": _MADE, "value": 5.5}]
    settings, report = _first_night(stranger, empty, monkeypatch, nights)
    assert (report.exit_code, report.outcome) == (1, "incomplete"), report.message
    assert "'shopmirror doctor' says which" in report.message
    told = [
        f"payments: 1 row(s) have no '{known}' that can be read, and count in no report"
        for known in ("date", "amount")
    ]
    assert sorted(report.details) == sorted(f"main: {one}" for one in told)
    assert {*told} <= {problem.text for problem in status(settings).found}
    with published(stranger.home) as warehouse:
        found = trust(warehouse, ["main"], datetime.now(UTC))
    assert {f"P{one[1:]}." for one in told} <= {caution.shown for caution in found.cautions}

    # One that lacks in all reports is told as well; one of no amount lacks nowhere.
    nothing = {"id": 3, "date": "later", "amount": 0}
    paid = [{"id": 1, **_PAID}, {"id": 2, **_PAID}, nothing]
    stranger.lists["/payments"] = [paid[0], paid[1] | {"date": "soon"}, nothing]
    # A line that calls its product otherwise; a ticket that is cancelled has no technician, and
    # from now on a reason: no new names.
    ware = {"ware": "A", "quantity": 2, "unit_price": 0}
    orders, tickets = stranger.lists["/posOrders"], stranger.lists["/tickets"]
    first = orders[:]
    orders[:] = [order | {"lines": [ware, ware]} for order in orders]
    tickets[0] = tickets[0] | {"technician": None, "reason": "too dear"}
    # An analyst's notebook has what is published open, for writing as DuckDB does by itself.
    code = "import duckdb, sys; it = duckdb.connect(sys.argv[1]); print(it, flush=True); input()"
    command = [sys.executable, "-c", code, str(stranger.home / "warehouse.duckdb")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as notebook:
        notebook.stdout.readline()
        report = sync(settings, full=True)
        notebook.kill()
    renamed = "4 row(s) have a field 'ware' that nobody knows, and no 'product_code'"
    assert report.exit_code == 1
    assert sorted(report.details) == [f"main: POS orders: lines: {renamed}", f"main: {told[0]}"]

    stranger.lists["/payments"] = paid
    # An order on its way has no cost yet.
    stranger.lists["/purchaseOrders"] = [{"id": 1, "status": "Pending", "created_date": _MADE}]
    orders[:] = first
    tickets[:] = [row | {"branch": "north"} for row in tickets]
    tickets[1:4] = [row | {"technician": None} for row in tickets[1:4]]
    report = sync(settings, full=True)
    assert report.exit_code == 0, report.details


def test_fields_that_end_make_no_complete_mirror_until_rows_say_them_again(
    stranger, empty, monkeypatch
):
    """All tickets were open, all payments of no method: with a plain 'complete'. In the place of
    two fields came what nobody knows; two are gone, or under a name that means more."""
    nights = {
        "/tickets": [_TICKET] * 60,
        "/users": [{"id": "T1"}],
        "/payments": [_PAID] * 8,
        "/customers": [{"name": "Ann"}],
        "/posOrders": [_SALE] * 4,
        "/products": [{"name": "Glass", "code": "A", "stock": 3}] * 4,
        "/expenses": [{"created_date": _MADE, "amount": 5}] * 4,
    }
    renamed = {"/payments": "payment_method", "/customers": "name"}
    gone = {
        "/tickets": "status", "/posOrders": "lines", "/products": "stock", "/expenses": "amount"
    }  # fmt: skip
    settings, report = _first_night(stranger, empty, monkeypatch, nights)
    assert report.exit_code == 0, report.details

    def add(without=()):
        for path in gone:
            kept = {key: value for key, value in nights[path][0].items() if key not in without}
            stranger.lists[path].append({"id": len(stranger.lists[path]) + 1, **kept})

    def told(more):
        others = "main: {}: {} row(s) have a field 'stage' that nobody knows, and no '{}'"
        none = "main: {}: the service no longer gives '{}', and {} row(s) have none now"
        return sorted(
            [others.format(path[1:], len(nights[path]), renamed[path]) for path in renamed]
            + [none.format("tickets", "status", 60 + more)]
            + [none.format("POS orders", "lines", 4 + more)]
            + [none.format("products", "stock", 4 + more)]
            + [none.format("expenses", "amount", 4 + more)]
        )

    add()
    report = sync(settings)  # reads nothing but a new row
    assert report.exit_code == 0, report.details
    whole = {path: rows[:] for path, rows in stranger.lists.items()}
    for path, known in (renamed | gone).items():
        rows = stranger.lists[path]
        kept = [{"stage" if key == known else key: row[key] for key in row} for row in rows]
        if path in gone:
            kept = [{key: row[key] for key in row if key != "stage"} for row in kept]
        rows[:] = kept
    report = sync(settings, full=True)
    assert (report.exit_code, sorted(report.details)) == (1, told(1))
    # It stands the next night, also where there is nothing to compare with.
    (settings.home / "warehouse.duckdb").unlink()
    add(without=gone.values())
    report = sync(settings)
    assert (report.exit_code, sorted(report.details)) == (1, told(2))
    for path, rows in whole.items():
        stranger.lists[path][:] = rows
    add()
    assert sync(settings, full=True).exit_code == 0


def test_a_list_that_shows_no_row_though_others_name_some_is_not_complete(
    stranger, empty, monkeypatch
):
    """A first load without a customer or a ticket was complete. One that all name may be nobody."""
    sales = [_SALE | {"customer": {"id": "C1"}, "payments": [{"id": n}]} for n in range(4)]
    nights = {"/posOrders": sales, "/stock": [{"product": 0, "quantity": 1}] * 4}
    settings, _ = _first_night(stranger, empty, monkeypatch, nights, "posOrders")
    assert status(settings).shops[0].doubts == [], "the others were not asked yet"
    report = sync(settings)
    told = "main: payments: no row is shown, though 4 row(s) of other lists name one"
    assert (report.exit_code, report.details) == (1, [told]), report.message
    stranger.lists["/payments"] = [{"id": 1, **_PAID}]
    report = sync(settings)
    assert report.exit_code == 0, report.details


def _first_night(stranger, empty, monkeypatch, nights, *lists):
    """Settings, and the report of a first night of these rows by list, made whole."""
    build_few(monkeypatch)
    shutil.copytree(empty, stranger.home, dirs_exist_ok=True)
    for path, rows in nights.items():
        kept = [{"id": number, **row} for number, row in enumerate(rows, start=1)]
        stranger.lists[path] = kept
        if path in ("/tickets", "/products"):
            stranger.lists[f"{path}/updated"] = kept
    settings = stranger.settings
    return settings, sync(settings, resources=lists)
