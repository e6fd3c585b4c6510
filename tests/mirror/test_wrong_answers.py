"""What a service says wrongly for a while deletes, ends and mixes up nothing."""

import pytest

from sources.repair_shop.scan.service_pages import PAGING_KEY
from tests.fakes.loopback import Reply, Seen
from tests.mirror.stranger import NOT_FOUND, rows_of


@pytest.mark.parametrize("count", [9, 60])
def test_open_orders_whose_own_paths_are_missing_for_a_night_are_not_deleted(stranger, count):
    stranger.lists["/purchaseOrders"] = rows_of(count, status="Ordered")
    stranger.sync("purchase_orders")
    stranger.instead(NOT_FOUND, lambda seen: "/purchaseOrders/" in seen.path)
    for _ in range(2):
        stranger.sync("purchase_orders")
    assert stranger.recorder.gone("purchase_orders") == set()


@pytest.mark.parametrize(("status_filter", "asked"), [("works", 1), ("ignored", 6), ("refused", 6)])
def test_an_old_order_that_arrived_is_read_the_next_night(stranger, status_filter, asked):
    """A page of each status shows what is still open; what it does not, its own path does."""
    orders = rows_of(70, status="Received")
    for order in orders[:6]:
        order["status"] = "Ordered"
    stranger.lists["/purchaseOrders"] = stranger.paths["/purchaseOrders"] = orders

    def answer(seen: Seen) -> Reply:
        status = dict(seen.query).get("status")
        if status is None or status_filter == "ignored":
            return stranger.answer(seen)
        if status_filter == "refused":
            return Reply(400, {"error": "status is not known"})
        return Reply(body=[order for order in orders if order["status"] == status][:50])

    stranger.loopback.otherwise = answer
    stranger.complete("purchase_orders")
    orders[2]["status"] = "Received"
    stranger.loopback.seen.clear()
    stranger.complete("purchase_orders")
    assert stranger.recorder.live("purchase_orders", "main")["r2"]["status"] == "Received"
    night = [seen.path for seen in stranger.loopback.seen]
    assert sum("/purchaseOrders/" in path for path in night) == asked, night


def test_a_list_of_deleted_shipments_that_shows_the_live_ones_deletes_none(stranger):
    stranger.lists["/shipments"] = stranger.lists["/shipments/deleted"] = rows_of(16)
    for _ in range(2):
        stranger.sync("shipments", "shipments_deleted")
    assert stranger.recorder.gone("shipments") == set()


@pytest.mark.parametrize(
    ("gone", "named", "believed"), [(2, 2, True), (2, 1, False), (2, 3, False), (4, 4, False)]
)
def test_many_shipments_are_gone_where_their_list_names_them_and_none_that_lives(
    stranger, gone, named, believed
):
    shipments = stranger.lists["/shipments"] = rows_of(4, a_day=1)
    stranger.complete("shipments", "shipments_deleted")
    stranger.lists |= {"/shipments": shipments[gone:], "/shipments/deleted": shipments[:named]}
    report = stranger.sync("shipments", "shipments_deleted")
    assert report.exit_code == (0 if believed else 1), report.details
    assert len(stranger.recorder.gone("shipments")) == (gone if believed else 0)


def test_one_refusal_behind_a_full_page_ends_no_list(stranger):
    """In words that ended other lists."""
    stranger.past_the_end = Reply(400, {"error": "No records"})
    first = iter([True])
    stranger.instead(
        stranger.past_the_end,
        lambda seen: (
            seen.path.endswith("/updated") and ("page", "2") in seen.query and next(first, False)
        ),
    )
    products = stranger.lists["/products"] = rows_of(120, code="a")
    stranger.sync("products")
    for row in products[:90]:
        row["code"] = "b"
    stranger.lists["/products/updated"] = products[:90]
    stranger.sync("products")
    assert not next(first, False), "it was refused"
    held = stranger.recorder.live("products", "main").values()
    assert sum(row["code"] == "b" for row in held) == 90


@pytest.mark.parametrize("times", [1, 9])
def test_rows_of_another_list_are_asked_again_and_never_stored(stranger, times):
    payments = stranger.lists["/payments"] = [
        {"id": 7_000_000 + n, "amount": 5, "date": "2026-03-04", "payment_method": "Cash"}
        for n in range(60)
    ]
    orders = [row | {"number": row["id"], "amount_total": 5} for row in rows_of(60)]
    stranger.lists["/posOrders"] = orders
    stranger.same("payments", "posOrders")
    orders.append(orders[-1] | {"id": "new", "created_date": "2026-09-28"})
    mixed = iter(range(times))
    stranger.instead(
        Reply(body=payments[:50]),
        lambda seen: seen.path.endswith("/posOrders") and next(mixed, None) is not None,
    )
    report = stranger.sync("posOrders")
    if times > 1:
        assert report.exit_code == 3 and "rows of another list" in report.message
        assert len(stranger.held("payments")) == 60
        stranger.heal()
        stranger.sync("posOrders")
    assert stranger.held("posOrders") == {row["id"] for row in orders}
    assert stranger.recorder.gone("pos_orders") == set()


@pytest.mark.parametrize(("times", "code"), [(1, 0), (9, 3)])
def test_rows_that_are_ids_alone_for_once_are_asked_again_and_never_stored(stranger, times, code):
    rows = stranger.lists["/groups"] = [row | {"name": "Trade", "note": ""} for row in rows_of(5)]
    stranger.sync("groups")
    bare = iter([Reply(body=[{"id": row["id"]} for row in rows])] * times)
    stranger.loopback.otherwise = lambda seen: (
        (seen.path.endswith("/groups") and next(bare, None)) or stranger.answer(seen)
    )
    assert stranger.sync("groups").exit_code == code
    assert (next(bare, None) is None) == (times == 1), "it was answered"
    held = stranger.recorder.live("groups", "main").values()
    assert {row["name"] for row in held} == {"Trade"}


def test_a_row_that_keeps_few_fields_for_good_ends_no_night(stranger):
    stranger.lists["/groups"] = [{"id": 1, "name": "Trade"} | dict.fromkeys("abcd", "x")]
    stranger.complete("groups")
    stranger.lists["/groups"] = [{"id": 1, "name": "Trade"}]
    stranger.complete("groups")


def test_rows_without_a_field_that_all_before_had_are_no_rows_of_another_list(stranger):
    """Though they then look like those of another list."""
    titled = [{"id": n, "title": f"Title {n}", "created_date": "2026-03-04"} for n in range(5)]
    stranger.lists["/paymentMethods"] = titled
    stranger.lists["/groups"] = [row | {"vip": True} for row in titled]
    stranger.sync("payment_methods", "groups")
    stranger.lists["/groups"] = [row | {"id": row["id"] + 100} for row in titled]
    for _ in range(2):  # what is gone is believed at its second sighting
        stranger.sync("payment_methods", "groups")
    assert {f"{n}" for n in range(100, 105)} <= stranger.held("groups")


def test_a_list_that_fails_once_more_than_it_is_asked_is_read_at_the_end_of_the_run(stranger):
    stranger.lists["/brands"] = rows_of(5)
    first = iter([True])
    please = Reply(body={"error": "please"})
    stranger.instead(please, lambda seen: seen.path.endswith("/brands") and next(first, False))
    stranger.sync("groups", "brands")
    assert len(stranger.held("brands")) == 5


def test_a_list_whose_order_moves_while_it_is_read_is_read_on_and_once_more(stranger):
    payments = [
        {"id": n, "amount": 5, "date": f"2026-0{1 + n // 280}-{1 + n % 28:02d}"}
        for n in range(1000)
    ]
    rows = stranger.lists["/payments"] = sorted(payments, key=lambda row: row["date"])
    asked = []

    def answer(seen: Seen) -> Reply:
        if seen.path.endswith("/payments"):
            asked.append(seen)
            if len(asked) % 2 and len(asked) < 40:
                for place in (3, 200, 500):
                    del rows[place]
                for n in range(2):
                    rows.insert(150, rows[150] | {"id": 10_000 + 2 * len(asked) + n})
        return stranger.answer(seen)

    stranger.loopback.otherwise = answer
    stranger.sync("payments")
    assert {str(row["id"]) for row in rows if row["id"] < 10_000} <= stranger.held("payments")


@pytest.mark.parametrize("name", ["stockCount", "expenses"])
@pytest.mark.parametrize("by_offset", [False, True])
def test_a_first_page_that_comes_whatever_is_asked_for_a_night_deletes_no_row(
    stranger, name, by_offset
):
    """From a cache that knows no query, or at offsets that a service ignores as it does the order;
    ten rows are too few for the fuse."""
    stranger.lists[f"/{name}"] = rows_of(60)
    stranger.ignores = ("sort",)
    stranger.complete(name)
    if by_offset:
        with stranger.session() as session:
            session.ledger.set_value("main", PAGING_KEY, "offset")
    else:
        stranger.ignores = ("sort", "page")
    assert stranger.sync(name).exit_code == (0 if by_offset else 1)
    assert len(stranger.held(name)) == 60
    stranger.ignores = ("sort",)
    stranger.complete(name)
