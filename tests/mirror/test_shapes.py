"""Shapes that the specification allows and nobody promised not to use."""

import re
from datetime import UTC, date
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from pipelines.doctor.profile import probe
from pipelines.load.evidence import completeness
from pipelines.service_reports import fetch_year
from sources.repair_shop.schema.clean import clean_row
from sources.repair_shop.schema.dates import parse_moment
from tests.fakes.loopback import Reply, Seen
from tests.mirror.stranger import NOT_FOUND, rows_of

ZONE = ZoneInfo("America/Guatemala")


def clean(row: dict[str, Any], table: str) -> dict[str, Any]:
    return clean_row(row, table, ZONE)


def nameless(count: int) -> list[dict[str, Any]]:
    """Rows without a day."""
    return [{"id": n, "name": "x"} for n in range(count)]


def test_a_report_may_stand_under_its_year(stranger, client):
    stranger.other["/monthlySales"] = {"2025": {"Jan": "Q1,000.50", "Feb": 0}}
    totals = fetch_year(client, "monthly_sales", 2025, date(2026, 6, 1))
    assert totals[date(2025, 1, 1)] == Decimal("1000.50")
    assert sum(totals.values()) == Decimal("1000.50")


@pytest.mark.parametrize(
    "reply",
    [
        Reply(204, b""),
        Reply(body=None),
        Reply(404, {"error": "No such page."}),
        Reply(400, {"error": "Page 4 is out of range."}),
        Reply(500, {"error": "Offset out of bounds"}),
        Reply(body={"data": None}),
        Reply(body={"message": "Nothing found", "success": True}),
    ],
    ids=["204", "null", "404", "400", "500", "data", "message"],
)
def test_a_page_past_the_end_may_be_refused_in_any_way(stranger, reply):
    stranger.past_the_end = reply
    stranger.lists |= {"/customers": nameless(120), "/brands": nameless(7)}
    report = stranger.same("customers", "brands")
    assert "mirror is complete" not in report.message


@pytest.mark.parametrize("reply", [Reply(204, b""), Reply(body=None)], ids=["204", "null"])
def test_a_list_without_rows_may_be_nothing_at_all(stranger, reply):
    stranger.past_the_end = reply
    stranger.lists |= {"/brands": nameless(1), "/groups": []}
    for lists in (("groups",), ("brands", "groups")):
        stranger.same(*lists)


def test_a_list_without_rows_may_be_not_found(stranger):
    stranger.past_the_end = Reply(404, {"error": "No data found"})
    stranger.missing = Reply(404, {"error": "No such path"})
    stranger.lists |= {"/customers": nameless(30), "/groups": []}
    stranger.same("customers")
    stranger.same("groups")
    report = stranger.sync("brands")
    assert report.exit_code == 3
    assert "/brands" in report.details[0]


@pytest.mark.parametrize("status", [200, 404])
def test_a_page_without_rows_may_be_refused_under_its_lists_name(stranger, status):
    def answer(seen: Seen) -> Reply:
        reply = stranger.answer(seen)
        name = re.sub("([A-Z])", r" \1", seen.path.rpartition("/")[2].removesuffix("s"))
        return reply if reply.body else Reply(status, {"error": f"No {name}(s) were found."})

    stranger.loopback.otherwise = answer
    stranger.missing = Reply(404, {"error": "No such path"})
    stranger.lists |= {"/customers": nameless(30), "/brands": nameless(7), "/modelGroups": []}
    stranger.same("customers", "brands")
    stranger.same("modelGroups")
    assert stranger.sync("models").exit_code == 3


def test_an_outage_is_no_way_to_refuse_a_page_past_the_end(stranger):
    stranger.lists["/brands"] = nameless(7)
    outage = Reply(400, {"error": "Maintenance"})
    stranger.instead(outage, lambda seen: len(stranger.loopback.seen) > 1)
    assert stranger.sync("brands").exit_code == 3
    stranger.heal()
    stranger.missing = outage
    assert stranger.sync("groups").exit_code == 3


@pytest.mark.parametrize("status", [500, 504])
def test_a_list_of_which_the_service_fails_to_read_more_has_no_end_there(stranger, status):
    """It does not sort, and takes too long from the sixth page on."""
    stranger.lists["/customers"] = rows_of(500, a_day=500)
    stranger.ignores = ("sort",)

    def is_deep(seen: Seen) -> bool:
        query = dict(seen.query)
        return int(query.get("offset", 50 * int(query.get("page", 1)) - 50)) >= 250

    stranger.instead(Reply(status, {"error": "Query took too long"}), is_deep)
    assert stranger.sync("customers").exit_code == 3


def orders_and_a_payment(stranger) -> list[dict[str, Any]]:
    """Nine orders, and a payment of one of them."""
    stranger.lists["/posOrders"] = rows_of(9, "p-", amount_total=5)
    stranger.paths["/posOrders"] = list(stranger.lists["/posOrders"])
    payment = {"id": 1, "amount": 5, "date": "2026-01-02", "orderId": "p-3"}
    stranger.lists["/payments"] = [payment]
    stranger.complete("posOrders", "payments")
    return stranger.lists["/posOrders"]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(400, {"error": "There is no record p0000-0000."}),
        Reply(500, {"error": "Internal"}),
        Reply(204, b""),
        Reply(body=[]),
        Reply(body={"data": None}),
        Reply(body={"error": "Not found"}),
    ],
    ids=["400", "500", "204", "list", "data", "error"],
)
def test_a_record_that_is_gone_may_be_refused_in_any_way(stranger, reply):
    stranger.missing = reply
    orders = orders_and_a_payment(stranger)
    # The order went while a new payment names it: only its own path is asked.
    del stranger.paths["/posOrders"][3]
    later = {"id": 2, "amount": 1, "date": "2026-03-04", "orderId": "p-3"}
    stranger.lists["/payments"].append(later)
    [told] = stranger.sync("payments").details
    assert "missed for the first time" in told
    assert "p-3" in stranger.held("posOrders"), "one look is no proof"
    del orders[3]
    stranger.same("posOrders")
    with stranger.session() as session:
        assert [row for row in completeness(session.ledger) if row["reason"]] == []


def test_a_record_is_not_gone_where_records_have_no_paths(stranger):
    unknown = Reply(400, {"error": "Unknown action"})
    stranger.instead(unknown, lambda seen: "/posOrders/" in seen.path)
    orders_and_a_payment(stranger)
    later = {"id": 2, "amount": 1, "date": "2026-03-04", "orderId": "p-3"}
    stranger.lists["/payments"].append(later)
    assert stranger.sync("payments").exit_code == 3
    assert "p-3" in stranger.held("posOrders")


@pytest.mark.parametrize(
    ("pages", "knows"),
    [
        *(("alike", "sort"), ("empty", "sort"), ("empty", "offset"), ("empty", "createdDateTo")),
        ("full", "nothing"),
    ],
)
def test_page_numbers_that_do_not_work_are_no_end_of_a_list(stranger, pages, knows):
    """Of 15 rows a page, or 55, whatever page is asked; or none from the second page on."""
    rows = rows_of(60, a_day=3)
    size = 55 if pages == "full" else 15

    def answer(seen: Seen) -> Reply:
        if not seen.path.endswith("/customers"):
            return Reply()
        query = dict(seen.query)
        if pages != "alike" and query.get("page", "1") != "1":
            return Reply(body=[])
        if knows == "sort" and query.get("sort") == "oldest":
            return Reply(body=rows[:size])
        until = query.get("createdDateTo") if knows == "createdDateTo" else None
        day = parse_moment(until, UTC) if until else "3"
        begin = int(query.get("offset", 0)) if knows == "offset" else 0
        shown = [row for row in rows[::-1] if row["created_date"] <= day]
        return Reply(body=shown[begin:][:size])

    stranger.loopback.otherwise = answer
    for _ in range(2):
        report = stranger.sync("customers")
        assert report.exit_code == 1, report.message
        assert "nothing that page 1 does not" in report.details[0]


@pytest.mark.parametrize(("size", "takes_offset"), [(50, False), (40, True)])
def test_a_row_that_comes_while_a_list_is_read_turns_no_shop_to_offsets(
    stranger, size, takes_offset
):
    """Thirty brands, and one more after the empty second page; pages of ``size``, offset or not."""
    brands, customers = rows_of(30), rows_of(170)

    def answer(seen: Seen) -> Reply:
        query, is_brands = dict(seen.query), seen.path.endswith("/brands")
        rows = {"/v1/brands": brands, "/v1/customers": customers}.get(seen.path, [])
        rows = rows[:: 1 if query.get("sort") == "oldest" else -1]
        begin = size * (int(query.get("page", 1)) - 1) + takes_offset * int(query.get("offset", 0))
        if is_brands and begin and len(brands) == 30:
            brands.insert(7, {**brands[7], "id": 99})
        return Reply(body=rows[begin : begin + size])

    stranger.loopback.otherwise = answer
    stranger.sync("brands")
    stranger.complete("brands", "customers")
    assert len(stranger.held("customers")) == 170


def test_a_list_that_reads_like_a_wrong_path_is_not_taken_for_empty(stranger):
    stranger.past_the_end = stranger.missing = NOT_FOUND
    stranger.lists["/customers"] = nameless(30)
    stranger.same("customers")
    assert stranger.sync("brands").exit_code == 3


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("tickets", "created_date"),
        ("purchase_orders", "created_date"),
        ("payments", "date"),
        ("appointments", "start_date"),
        ("adjustments", "adjustment_date"),
    ],
)
def test_a_date_without_a_name_is_the_one_that_matters(table, column):
    assert clean({"id": 1, "date": "2026-06-01"}, table)[column] == "2026-06-01"


@pytest.mark.parametrize("missing", ["received_date", "cost"])
def test_doctor_names_what_the_purchase_reports_need(stranger, client, missing):
    order = {"id": "p1", "status": "Received", "cost": 10, "shipping_cost": None}
    order |= {"created_date": "2026-06-01T10:00:00", "received_date": "2026-06-03T10:00:00"}
    stranger.other["/info"] = {"currency": "GTQ"}
    stranger.lists["/purchaseOrders"] = [order]
    assert probe(client).problems == []
    order[f"our_own_{missing}"] = order.pop(missing)
    [problem] = probe(client).problems
    assert missing in problem
    assert "/purchaseOrders" in problem
    order[missing] = order.pop(f"our_own_{missing}")
    order["lines"] = [{"wares": "A", "quantity": 1, "unit_price": 10}]
    assert "/purchaseOrders, lines: no row has 'product_code'" in probe(client).problems[0]
    order["lines"] = []
    ticket = {"id": 1, "opened_at": "2026-06-01", "modified_at": "2026-06-02"}
    stranger.lists["/tickets"] = [ticket]
    assert probe(client).problems == []
    ticket["begun"] = ticket.pop("opened_at")
    assert "/tickets: no row has 'created_date'" in probe(client).problems[0]


ODD_ROWS = rb"""[
  {"id": 1, "created_date": 1700000000.5, "creditlimit": 1e9999999, "tags": ["\ud83d"], "name": 1},
  {"id": 2, "engine": {"v_type": "x"}, "visits": 1e99999999999999999999, "%s": 1, "name": "b"},
  {"id": 3, "name": "c\u0000", "NAME": {"a": {"b": {"c": {"d": {"e": {}}}}}}, "": [[[]]], "name": 3}
]""" % (b"7" * 5000)


def test_rows_that_nobody_would_send_stop_neither_this_night_nor_the_next(stranger):
    stranger.lists["/customers"] = [{"id": n, "name": f"name {n}"} for n in (1, 2, 3)]
    stranger.lists["/brands"] = nameless(1)
    stranger.instead(
        Reply(body=ODD_ROWS),
        lambda seen: seen.path.endswith("/customers") and ("page", "1") in seen.query,
    )
    stranger.same("customers", "brands")
    stranger.heal()
    stranger.complete("customers", "brands")
    held = stranger.recorder.live("customers", "main")
    assert {row: held[row]["name"] for row in held} == {n: f"name {n}" for n in "123"}


@pytest.mark.parametrize(("name", "code"), [("x", 0), ("another", 1)])
def test_rows_of_one_id_that_differ_are_not_one_row(stranger, name, code):
    stranger.lists["/brands"] = [{"id": n, "name": "x"} for n in (1, 2, 2, 3)]
    stranger.lists["/brands"][2]["name"] = name
    assert stranger.sync("brands", max_requests=1).exit_code == 4
    # It goes on behind the answer that shows them, and then reads anew.
    assert stranger.sync("brands", max_requests=9).exit_code == code
    report = stranger.sync("brands", full=True)
    assert report.exit_code == code, report.details
    assert not code or "one of them is kept: 2" in report.details[0]


def test_a_list_of_changes_that_names_its_rows_alone_tells_of_none(stranger):
    days = [date(2025, 1, 1 + n // 20).isoformat() for n in range(400)]
    rows = [
        {"id": n, "name": "x", "code": "c", "stock": 1, "created_date": days[n]} for n in range(400)
    ]
    named = [{key: rows[n][key] for key in ("id", "created_date")} for n in range(0, 400, 50)]
    stranger.lists |= {"/products": rows, "/products/updated": named}
    for name in ("x", "y"):
        for row in rows[::50]:
            row["name"] = name
        stranger.complete("products")
        held = stranger.recorder.live("products", "main")
        assert {held[str(row["id"])]["name"] for row in named} == {name}


def test_ids_that_come_with_a_decimal_point_for_a_night_are_the_same_rows(stranger):
    stranger.lists["/brands"] = nameless(9)
    stranger.lists["/statuses"] = [{"id": n, "label": f"Status {n}"} for n in range(9)]
    for number in (int, float, int):
        stranger.shown = lambda row, number=number: row | {"id": number(row["id"])}
        stranger.same("brands", "statuses")
    row = clean({"id": Decimal("7.0"), "status": {"id": Decimal("5.0"), "label": "New"}}, "tickets")
    assert (row["id"], row["status__id"]) == ("7", "5")
