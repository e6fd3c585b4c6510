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


@promise("whatever breaks at a service that is not ours, a mirror that says it is complete is")
def test_payments_whose_day_or_amount_nobody_knows_are_no_complete_mirror(
    stranger, empty, monkeypatch
):
    """No report of the service tells of payments, so no difference would show that they lack."""
    build_few(monkeypatch)
    shutil.copytree(empty, stranger.home, dirs_exist_ok=True)
    settings, made = stranger.settings, "2026-03-01T10:00:00-0600"
    stranger.lists["/payments"] = [{"id": 1, "paid_at": made, "value": 5.5}]
    report = sync(settings)
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
    paid = {"date": made, "amount": 5.5}
    nothing = {"id": 3, "date": "later", "amount": 0}
    stranger.lists["/payments"] = [{"id": 1, **paid}, {"id": 2, **paid, "date": "soon"}, nothing]
    report = sync(settings, full=True)
    assert (report.exit_code, report.details) == (1, [f"main: {told[0]}"])
    stranger.lists["/payments"] = [{"id": 1, **paid}, {"id": 2, **paid}, nothing]
    # An order on its way has no cost yet.
    stranger.lists["/purchaseOrders"] = [{"id": 1, "status": "Pending", "created_date": made}]
    report = sync(settings, full=True)
    assert report.exit_code == 0, report.details


_MADE = "2026-03-01T10:00:00-0600"
_TICKET = {"created_date": _MADE, "status": {"id": 3, "label": "Listo"}, "technician": {"id": "T1"}}
_LINE = {"product_code": "A", "quantity": 2, "unit_price": 0}
_SALE = {"created_date": _MADE, "amount_total": 0, "status": "Paid", "lines": [_LINE, _LINE]}
_PAID = {"date": _MADE, "amount": 5.5, "payment_method": "cash"}


def test_fields_that_a_service_calls_otherwise_from_one_night_on_make_no_complete_mirror(
    stranger, empty, monkeypatch
):
    """All tickets were open, all payments of no method: with a plain 'complete'."""
    changed = {
        "tickets": ("status", [_TICKET] * 60),
        "payments": ("payment_method", [_PAID] * 8),
        "customers": ("name", [{"name": "Ann"}]),
        "posOrders": ("lines", [_SALE] * 4),
    }
    nights = {f"/{name}": rows for name, (_, rows) in changed.items()}
    settings = _night_after(stranger, empty, monkeypatch, nights)
    del stranger.lists["/payments"][2]  # in the same night
    for name, (known, _) in changed.items():
        rows = stranger.lists[f"/{name}"]
        rows[:] = [{"stage" if key == known else key: row[key] for key in row} for row in rows]
    report = sync(settings)
    assert (report.exit_code, report.outcome) == (1, "incomplete"), report.message
    said = "row(s) have a field 'stage' that nobody knows, and no"
    words = {name: {"posOrders": "POS orders"}.get(name, name) for name in changed}
    for name, (known, _) in changed.items():
        told = f"{said} '{known}'"
        assert any(words[name] in one and told in one for one in report.details), report.details
    report = sync(settings, full=True)
    told = [
        f"main: {words[name]}: {len(stranger.lists[f'/{name}'])} {said} '{known}'"
        for name, (known, _) in changed.items()
    ]
    assert (report.exit_code, sorted(report.details)) == (1, sorted(told))


def test_a_field_that_rows_say_no_more_makes_no_complete_mirror_until_they_say_it_again(
    stranger, empty, monkeypatch
):
    """Nothing came in its place that nobody knows: it is gone, or under a name that means more."""
    changed = {"POS orders": ("/posOrders", "lines", 4), "tickets": ("/tickets", "status", 60)}
    nights = {"/posOrders": [_SALE] * 4, "/tickets": [_TICKET] * 60}
    settings = _night_after(stranger, empty, monkeypatch, nights)

    def add(without=()):
        for rows, row in ((stranger.lists[path], nights[path][0]) for path in nights):
            kept = {key: value for key, value in row.items() if key not in without}
            rows.append({"id": len(rows) + 1, **kept})

    def told(more):
        said = "main: {}: rows say '{}' no more, and {} have none now"
        return sorted(said.format(name, f, n + more) for name, (_, f, n) in changed.items())

    add()
    report = sync(settings)  # reads nothing but a new row
    assert report.exit_code == 0, report.details
    whole = {path: rows[:] for path, rows in stranger.lists.items()}
    for path, known, _ in changed.values():
        rows = stranger.lists[path]
        rows[:] = [{key: row[key] for key in row if key != known} for row in rows]
    for options in ({"full": True}, {}):
        report = sync(settings, **options)
        assert (report.exit_code, sorted(report.details)) == (1, told(1))
    # It stands, also where there is nothing to compare with.
    (settings.home / "warehouse.duckdb").unlink()
    add(without=("status", "lines"))
    report = sync(settings)
    assert (report.exit_code, sorted(report.details)) == (1, told(2))
    for path, rows in whole.items():
        stranger.lists[path][:] = rows
    add()
    assert sync(settings, full=True).exit_code == 0


def test_a_line_that_calls_its_product_otherwise_makes_no_complete_mirror(
    stranger, empty, monkeypatch
):
    """A ticket that is cancelled has no technician, and from now on a reason: no new names."""
    nights = {"/posOrders": [_SALE, _SALE], "/tickets": [_TICKET] * 5}
    settings = _night_after(stranger, empty, monkeypatch, nights)
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
    told = "4 row(s) have a field 'ware' that nobody knows, and no 'product_code'"
    assert (report.exit_code, report.details) == (1, [f"main: POS orders: lines: {told}"])
    orders[:] = first
    tickets[:] = [row | {"branch": "north"} for row in tickets]
    tickets[1:4] = [row | {"technician": None} for row in tickets[1:4]]
    report = sync(settings, full=True)
    assert report.exit_code == 0, report.details


def _night_after(stranger, empty, monkeypatch, nights):
    """A first night of these rows by list, made whole."""
    build_few(monkeypatch)
    shutil.copytree(empty, stranger.home, dirs_exist_ok=True)
    for path, rows in nights.items():
        kept = [{"id": number, **row} for number, row in enumerate(rows, start=1)]
        stranger.lists[path] = kept
        if path == "/tickets":
            stranger.lists["/tickets/updated"] = kept
    settings = stranger.settings
    report = sync(settings)
    assert report.exit_code == 0, report.details
    return settings
