"""Stock that an update adds, told by the product's own count: added once, whatever moves it."""

import pytest

from pipelines.outbox import enqueue, push
from tests.outbox.conftest import states

ADDED = [{"product_id": "7", "quantity": 2, "type": "Addition"}]
OTHERS = {
    "stock": {"product": "7", "quantity": 2},
    "adjustments": {"adjustment_date": "01-Nov-2026 10:00", "products": ADDED},
}


@pytest.fixture
def shelf(service):
    """A product that nobody wrote lately."""
    shown = {"id": "7", "stock": 5, "last_updated": "2026-01-02T10:00:00+0000"}
    service.records["products"] = {"7": shown}
    return shown


def add(settings):
    enqueue("products", "update", {"stockQuantity": 2}, record_id="7", settings=settings)


@pytest.mark.parametrize("lost", ["before", "after"])
@pytest.mark.parametrize("other", OTHERS)
def test_what_moves_the_same_stock_is_not_taken_for_a_lost_update(
    settings, service, shelf, other, lost
):
    add(settings)
    enqueue(other, "create", OTHERS[other], settings=settings, check=False)
    service.lose = [lost]
    service.then = lambda body: "stockQuantity" in body or shelf.update(stock=shelf["stock"] + 2)
    assert push(settings).exit_code == 0
    assert shelf["stock"] == 9


def test_the_record_of_stock_that_an_update_makes_is_not_taken_for_a_lost_one(
    settings, service, shelf
):
    enqueue("stock", "create", OTHERS["stock"], settings=settings)
    add(settings)
    service.put("stock", product={"id": "1"}, quantity=1)
    service.lose = ["before"]
    service.then = lambda body: (
        "stockQuantity" in body and service.put("stock", product={"id": "7"}, quantity=2)
    )
    assert push(settings).exit_code == 0
    assert service.count("create", "stock") == service.count("update", "products") == 1


@pytest.mark.parametrize(("lost", "state"), [("after", "in_doubt"), ("before", "done")])
def test_a_time_in_whole_seconds_tells_nothing_of_one_written_in_the_same(
    settings, service, shelf, lost, state
):
    """Of a product whose stock is not counted where it is shown."""
    if lost == "after":
        shelf["last_updated"] = service.now()
    sent = []
    service.then = lambda body: shelf.update(stock=5) or sent.append(body)
    add(settings)
    service.lose = [lost]
    push(settings)
    assert (len(sent), states(settings)) == (1, [state])


@pytest.mark.parametrize("when", ["before", "after"])
def test_added_stock_refused_for_the_rate_is_added_once(settings, service, shelf, when):
    add(settings)
    service.lose = [f"429 {when}"]
    assert push(settings).exit_code == 0
    assert shelf["stock"] == 7
