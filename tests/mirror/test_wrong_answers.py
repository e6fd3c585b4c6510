"""What a service says wrongly for a while deletes, ends and mixes up nothing."""

import pytest

from sources.repair_shop.scan.service_pages import PAGING_KEY
from tests.fakes.loopback import Reply


def rows_of(count, prefix="c", **more):
    return [
        {
            "id": f"{prefix}-{n}",
            "name": f"{prefix} {n}",
            "created_date": f"2026-0{1 + n // 28 % 9}-{1 + n % 28:02d}",
            **more,
        }
        for n in range(count)
    ]


@pytest.mark.parametrize("count", [9, 60])
def test_open_orders_whose_own_paths_are_missing_for_a_night_are_not_deleted(stranger, count):
    orders = rows_of(count, "po", status="Ordered")
    stranger.lists["/purchaseOrders"] = orders
    stranger.sync("purchase_orders")
    healed = stranger.answer
    stranger.loopback.otherwise = lambda seen: (
        Reply(404, {"error": "Not found"}) if "/purchaseOrders/" in seen.path else healed(seen)
    )
    for _ in range(2):
        stranger.sync("purchase_orders")
    assert stranger.recorder.gone("purchase_orders") == set()


@pytest.mark.parametrize(("status_filter", "asked"), [("works", 1), ("ignored", 6), ("refused", 6)])
def test_an_old_order_that_arrived_is_read_the_next_night(stranger, status_filter, asked):
    """A page of each status shows what is still open; what it does not, its own path does."""
    orders = rows_of(70, "po", status="Ordered")
    for order in orders[6:]:
        order["status"] = "Received"
    stranger.lists["/purchaseOrders"] = orders
    stranger.other = {f"/purchaseOrders/{order['id']}": order for order in orders}
    usual = stranger.answer

    def answer(seen):
        query = dict(seen.query)
        if "status" not in query or status_filter == "ignored":
            return usual(seen)
        if status_filter == "refused":
            return Reply(400, {"error": "status is not known"})
        return Reply(body=[order for order in orders if order["status"] == query["status"]][:50])

    stranger.loopback.otherwise = answer
    assert stranger.sync("purchase_orders").exit_code == 0
    orders[2]["status"] = "Received"
    before = len(stranger.loopback.seen)
    assert stranger.sync("purchase_orders").exit_code == 0
    assert stranger.recorder.live("purchase_orders", "main")["po-2"]["status"] == "Received"
    night = [seen.path for seen in stranger.loopback.seen[before:]]
    assert sum("/purchaseOrders/" in path for path in night) == asked, night


def test_a_list_of_deleted_shipments_that_shows_the_live_ones_deletes_none(stranger):
    stranger.lists["/shipments"] = stranger.lists["/shipments/deleted"] = rows_of(16, "s")
    for _ in range(2):
        stranger.sync("shipments", "shipments_deleted")
    assert stranger.recorder.gone("shipments") == set()


@pytest.mark.parametrize(
    ("gone", "named", "believed"), [(2, 2, True), (2, 1, False), (2, 3, False), (4, 4, False)]
)
def test_many_shipments_are_gone_where_their_list_names_them_and_none_that_lives(
    stranger, gone, named, believed
):
    shipments = rows_of(4, "s")
    stranger.lists["/shipments"] = shipments
    assert stranger.sync("shipments", "shipments_deleted").exit_code == 0
    stranger.lists |= {"/shipments": shipments[gone:], "/shipments/deleted": shipments[:named]}
    report = stranger.sync("shipments", "shipments_deleted")
    assert report.exit_code == (0 if believed else 1), report.details
    assert len(stranger.recorder.gone("shipments")) == (gone if believed else 0)


def test_one_refusal_behind_a_full_page_ends_no_list(stranger):
    """In words that ended other lists."""
    refused = []
    healed = stranger.answer

    def answer(seen):
        reply = healed(seen)
        is_edits = seen.path.endswith("/products/updated")
        is_second = dict(seen.query).get("page") == "2"
        if is_edits and is_second and not refused:
            refused.append(seen)
            return Reply(400, {"error": "No records"})
        return reply if reply.body != b"[]" else Reply(400, {"error": "No records"})

    stranger.loopback.otherwise = answer
    stranger.lists["/products"] = products = rows_of(120, "p", code="a")
    stranger.sync("products")
    for row in products[:90]:
        row["code"] = "b"
    stranger.lists["/products/updated"] = products[:90]
    stranger.sync("products")
    assert refused
    held = stranger.recorder.live("products", "main").values()
    assert sum(row["code"] == "b" for row in held) == 90


@pytest.mark.parametrize("times", [1, 9])
def test_rows_of_another_list_are_asked_again_and_never_stored(stranger, times):
    stranger.lists["/payments"] = [
        {"id": 7_000_000 + n, "amount": 5, "date": "2026-03-04", "payment_method": "Cash"}
        for n in range(60)
    ]
    orders = [row | {"number": row["id"], "amount_total": 5} for row in rows_of(60, "o")]
    stranger.lists["/posOrders"] = orders
    stranger.sync("payments", "pos_orders")
    payments = set(stranger.recorder.live("payments", "main"))
    orders.append(orders[-1] | {"id": "o-new", "created_date": "2026-09-28"})
    healed, mixed = stranger.answer, []

    def answer(seen):
        if seen.path.endswith("/posOrders") and len(mixed) < times:
            mixed.append(seen)
            return Reply(body=stranger.lists["/payments"][:50])
        return healed(seen)

    stranger.loopback.otherwise = answer
    report = stranger.sync("pos_orders")
    assert mixed
    if times > 1:
        assert report.exit_code == 3 and "rows of another list" in report.message
        assert set(stranger.recorder.live("payments", "main")) == payments
        stranger.loopback.otherwise = healed
        stranger.sync("pos_orders")
    assert set(stranger.recorder.live("pos_orders", "main")) == {row["id"] for row in orders}
    assert stranger.recorder.gone("pos_orders") == set()


def test_rows_without_a_field_that_all_before_had_are_no_rows_of_another_list(stranger):
    """Though they then look like those of another list."""
    titled = [{"id": n, "title": f"Title {n}", "created_date": "2026-03-04"} for n in range(5)]
    stranger.lists["/paymentMethods"] = titled
    stranger.lists["/groups"] = [row | {"vip": True} for row in titled]
    stranger.sync("payment_methods", "groups")
    stranger.lists["/groups"] = [row | {"id": row["id"] + 100} for row in titled]
    for _ in range(2):  # what is gone is believed at its second sighting
        stranger.sync("payment_methods", "groups")
    assert {f"{n}" for n in range(100, 105)} <= set(stranger.recorder.live("groups", "main"))


def test_a_list_that_fails_once_more_than_it_is_asked_is_read_at_the_end_of_the_run(stranger):
    stranger.lists["/brands"] = rows_of(5, "b")
    healed, asked = stranger.answer, []

    def answer(seen):
        asked.append(seen.path)
        is_first = asked.count(seen.path) == 1
        is_brands = seen.path.endswith("/brands")
        return Reply(body={"error": "please"}) if is_brands and is_first else healed(seen)

    stranger.loopback.otherwise = answer
    stranger.sync("groups", "brands")
    assert len(set(stranger.recorder.live("brands", "main"))) == 5


def test_a_list_whose_order_moves_while_it_is_read_is_read_on_and_once_more(stranger):
    payments = [
        {"id": n, "amount": 5, "date": f"2026-0{1 + n // 280}-{1 + n % 28:02d}"}
        for n in range(1000)
    ]
    stranger.lists["/payments"] = sorted(payments, key=lambda row: row["date"])
    healed, asked = stranger.answer, []

    def answer(seen):
        if seen.path.endswith("/payments"):
            asked.append(seen)
            rows = stranger.lists["/payments"]
            if len(asked) % 2 and len(asked) < 40:
                for place in (3, 200, 500):
                    del rows[place]
                for n in range(2):
                    rows.insert(150, rows[150] | {"id": 10_000 + 2 * len(asked) + n})
        return healed(seen)

    stranger.loopback.otherwise = answer
    stranger.sync("payments")
    there = {str(row["id"]) for row in stranger.lists["/payments"] if row["id"] < 10_000}
    assert there <= set(stranger.recorder.live("payments", "main"))


def test_runs_of_few_requests_read_everything_after_enough_of_them(stranger):
    tables = ("products", "statuses", "brands", "suppliers", "leads", "users", "expenses")
    for table in tables:
        stranger.lists[f"/{table}"] = rows_of(60, table[:3])
    for _ in range(12):
        code = stranger.sync(*tables, max_requests=8).exit_code
        if code != 4:
            break
    assert code == 0
    for table in tables:
        assert len(set(stranger.recorder.live(table, "main"))) == 60, table


@pytest.mark.parametrize("name", ["stock_count", "expenses"])
@pytest.mark.parametrize("by_offset", [False, True])
def test_a_first_page_that_comes_whatever_is_asked_for_a_night_deletes_no_row(
    stranger, name, by_offset
):
    """From a cache that knows no query, or at offsets that a service ignores as it does the order;
    ten rows are too few for the fuse."""
    path = {"stock_count": "/stockCount", "expenses": "/expenses"}[name]
    rows = stranger.lists[path] = rows_of(60)
    is_cached = False

    def answer(seen):
        page = 50 * (int(dict(seen.query).get("page", 1)) - 1) if not is_cached else 0
        return Reply(body=rows[page : page + 50] if seen.path.endswith(path) else [])

    stranger.loopback.otherwise = answer
    assert stranger.sync(name).exit_code == 0
    if by_offset:
        with stranger.session() as session:
            session.ledger.set_value("main", PAGING_KEY, "offset")
    is_cached = not by_offset
    assert stranger.sync(name).exit_code == (1 if is_cached else 0)
    assert len(stranger.recorder.live(name, "main")) == 60
    is_cached = False
    assert stranger.sync(name).exit_code == 0
