"""What a look for a change in doubt may not take for "it is not there": each is a fault of the
service, at one page or record, while our record lies where the fault is."""

import shutil
from dataclasses import replace

import pytest

from pipelines.outbox import Outbox, enqueue, mark_restored, push
from pipelines.settings import Settings, ShopSettings
from tests.fakes.odd_shop import MANNERS, OddShop
from tests.outbox.desk import HOUR

REFUSALS = {
    "words": (200, {"error": "The list could not be read. Please try again."}),
    "message": (200, {"message": "Busy."}),
    "nothing": (200, None),
    "no rows": (200, []),
    "422": (422, {"error": "The page is not valid."}),
    "400": (400, {"error": "Something went wrong."}),
    "404": (404, {"error": "No record was found."}),
    "500": (500, {"error": "The list could not be read."}),
}


class Look:
    """A shop, and a queue with one change."""

    def __init__(self, home, **manners):
        more = {"base_url": "http://127.0.0.1:9/v1", "requests_per_minute": 100_000}
        main = ShopSettings(name="main", api_key="key", timeout_seconds=5.0, **more)
        self.settings = Settings(home=home, shops=(main,))
        self.shop = OddShop(replace(MANNERS["late"], **manners))
        for name in ("customers", "ticketComments", "brands"):
            self.shop.put(name, name="Old", comment="Old", ticket="1")
        self.shop.clock.ticks += 48 * HOUR

    def queue(self, resource, body, op="create", **more):
        enqueue(
            resource, op, body, check=False, settings=self.settings,
            clock=self.shop.clock, **more,
        )  # fmt: skip

    def push(self, **more):
        clock = self.shop.clock
        return push(self.settings, clock=clock, sleep=clock.sleep, transport=self.shop.of, **more)

    def begin(self):
        """A first push, by which the queue knows the service's time; it counts no more."""
        self.queue("brands", {"name": "First"})
        self.push()
        self.shop.applied.clear()

    def push_and_put_back(self):
        """A backup of before a push is put back after it."""
        home, spare = self.settings.home, self.settings.home.with_name("spare")
        shutil.copytree(home, spare)
        self.push()
        shutil.rmtree(home)
        shutil.copytree(spare, home)
        mark_restored(home)

    def staff(self, resource, count, **fields):
        for number in range(count):
            self.shop.clock.ticks += 1
            name = f"Customer {number}"
            self.shop.put(resource, **{"name": name, "comment": name, "ticket": "1", **fields})
        self.shop.clock.ticks += HOUR

    def in_the_end(self):
        """The change after pushes of days, and how often it was made."""
        for _ in range(3):
            self.push()
            self.shop.clock.ticks += 6 * HOUR
        with Outbox(self.settings.home) as outbox:
            change = outbox.changes()[-1]
        return change.state, len(self.shop.applied)


@pytest.fixture
def look(tmp_path):
    return Look(tmp_path / "home")


@pytest.mark.parametrize("pages", [1, 2])
@pytest.mark.parametrize("refusal", REFUSALS)
@pytest.mark.parametrize("knows_offset", [False, True])
@pytest.mark.parametrize("sorts", [False, True])
def test_a_page_that_is_refused_behind_a_full_one_hides_no_record(
    look, refusal, pages, knows_offset, sorts
):
    look.shop.knows_offset, look.shop.sorts = knows_offset, sorts
    look.staff("customers", 0 if sorts else 50 * pages + 1)
    look.shop.faults.append("reset done")
    look.queue("customers", {"name": "Ann"})
    look.push(wait=False)
    look.staff("customers", 50 * pages if sorts else 0)
    look.shop.refuses = lambda path, page: REFUSALS[refusal] if page > pages else None
    assert look.in_the_end() == ("in_doubt", 1)
    look.shop.refuses = lambda path, page: None
    look.shop.clock.ticks += 24 * HOUR
    assert look.in_the_end() == ("done", 1)


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_list_that_ends_in_words_behind_a_full_page_is_read_whole(look, refusal):
    look.shop.faults.append("reset")
    look.queue("customers", {"name": "Ann"})
    look.push(wait=False)
    look.staff("customers", 49)
    look.shop.refuses = lambda path, page: (
        REFUSALS[refusal] if page > 1 and len(look.shop.tables["customers"]) == 50 else None
    )
    assert look.in_the_end() == ("done", 1)


def test_a_row_that_a_page_shows_twice_makes_it_no_shorter(look):
    look.shop.sorts = False
    look.staff("customers", 48)
    look.shop.faults.append("reset done")
    look.queue("customers", {"name": "Ann"})
    look.push(wait=False)
    look.shop.clock.ticks += HOUR
    first, *rest = look.shop.page("customers", 1)
    behind = [rest.pop()]
    pages = {1: [first, first, *rest], 2: behind}
    pages[1] += [first] * (50 - len(pages[1]))
    look.shop.refuses = lambda path, page: (200, pages.get(page, [])) if page else None
    assert look.in_the_end() == ("done", 1)


@pytest.mark.parametrize("answer", [REFUSALS["404"], REFUSALS["words"], (200, {"id": "1"})])
def test_a_detail_that_is_refused_hides_no_marker(tmp_path, answer):
    look = Look(tmp_path / "home", shows=lambda name, key: key in ("id", "name", "created_date"))
    look.shop.faults.append("reset done")
    look.queue("customers", {"name": "Ann"}, marker=True)
    look.shop.refuses = lambda path, page: None if page else answer
    assert look.in_the_end() == ("in_doubt", 1)


@pytest.mark.parametrize("manner", ["sorts", "filters"])
def test_a_queue_put_back_believes_no_order_and_no_filter_that_hides_its_record(look, manner):
    resource = "customers" if manner == "filters" else "ticketComments"
    body = {"name": "Ann"} if manner == "filters" else {
        "ticket": "1", "type": "Private", "comment": "Hi",
    }  # fmt: skip
    look.staff(resource, 60)
    look.shop.clock.ticks += 200 * HOUR
    look.begin()
    look.queue(resource, body)
    look.push_and_put_back()
    setattr(look.shop, manner, False)
    look.shop.clock.ticks += HOUR
    assert look.in_the_end() == ("in_doubt", 1)


def test_an_invoice_that_shows_no_payments_any_more_hides_none(look):
    invoice = look.shop.put("ticketInvoices", number="7", status="Due", amount_total=100)
    look.shop.put("payments", amount=1, date="2026-01-01", _invoice=invoice)
    look.shop.clock.ticks += HOUR
    look.shop.faults.append("reset done")
    line = {"amount": 50, "paymentMethod": "1"}
    look.queue("payments", {"invoiceId": invoice, "lines": [line]})
    look.push(wait=False)
    look.shop.manners = replace(look.shop.manners, embeds_payments=False)
    assert look.in_the_end() == ("done", 1)


@pytest.mark.parametrize("answer", ["404", "400", "words"])
@pytest.mark.parametrize("resource", ["customers", "payments"])
def test_a_service_that_finds_nothing_at_all_rejects_nothing(look, resource, answer):
    record = look.shop.put("customers", name="Ann")
    invoice = look.shop.put("ticketInvoices", number="7", status="Due", amount_total=100)
    look.shop.clock.ticks += HOUR
    look.queue("brands", {"name": "First"})
    look.push()
    if resource == "customers":
        look.queue("customers", {"name": "Bea"}, op="update", record_id=record)
    else:
        line = {"amount": 50, "paymentMethod": "1"}
        look.queue("payments", {"invoiceId": invoice, "lines": [line]})
    look.shop.refuses = lambda path, page: REFUSALS[answer]
    look.push()
    with Outbox(look.settings.home) as outbox:
        assert outbox.changes()[-1].state == "queued"
    look.shop.refuses = lambda path, page: None
    assert look.in_the_end() == ("done", 2)


@pytest.mark.parametrize("answer", ["404", "400"])
def test_an_update_in_doubt_is_not_called_deleted_by_a_service_that_finds_nothing(look, answer):
    record = look.shop.put("customers", name="Ann")
    look.begin()
    look.shop.clock.ticks += HOUR
    look.shop.faults.append("reset done")
    look.queue("customers", {"name": "Bea"}, op="update", record_id=record)
    look.push(wait=False)
    look.shop.refuses = lambda path, page: REFUSALS[answer]
    look.push()
    look.shop.refuses = lambda path, page: None
    look.shop.clock.ticks += HOUR
    assert look.in_the_end() == ("done", 1)


@pytest.mark.parametrize("answer", ["404", "422", "400"])
@pytest.mark.parametrize("resource", ["customers", "payments"])
def test_a_record_that_others_of_its_list_outlived_is_told(look, resource, answer):
    look.shop.refuses = lambda path, page: (
        REFUSALS[answer] if page == 0 and look.shop.is_unknown(path) else None
    )
    for name in ("customers", "ticketInvoices"):
        look.shop.put(name, name="Old", number="7", status="Due", amount_total=100)
    look.shop.clock.ticks += HOUR
    if resource == "customers":
        look.queue("customers", {"name": "Bea"}, op="update", record_id="7")
    else:
        line = {"amount": 50, "paymentMethod": "1"}
        look.queue("payments", {"invoiceId": "7", "lines": [line]})
    assert look.in_the_end() == ("rejected", 0)


@pytest.mark.parametrize("refusal", ["words", "no rows", "404"])
def test_a_queue_put_back_believes_no_list_that_does_not_show_its_end(look, refusal):
    look.begin()
    look.queue("customers", {"name": "Ann"})
    look.push_and_put_back()
    look.staff("customers", 50)
    look.shop.refuses = lambda path, page: REFUSALS[refusal] if page > 1 else None
    assert look.in_the_end() == ("in_doubt", 1)


def test_another_invoice_than_the_one_asked_for_shows_nothing_of_it(look):
    invoice = look.shop.put("ticketInvoices", number="7", status="Due", amount_total=100)
    look.begin()
    look.shop.clock.ticks += HOUR
    line = {"amount": 50, "paymentMethod": "1"}
    look.queue("payments", {"invoiceId": invoice, "lines": [line]})
    look.push_and_put_back()
    other = (200, {"id": "9", "status": "Due", "amount_total": 100, "payments": []})
    look.shop.refuses = lambda path, page: other if path.startswith("ticketInvoices/") else None
    assert look.in_the_end() == ("in_doubt", 1)
    look.shop.refuses = lambda path, page: None
    assert look.in_the_end() == ("done", 1)


def test_a_service_that_shows_nothing_at_all_has_deleted_nothing(look):
    record = look.shop.put("customers", name="Ann")
    look.begin()
    look.shop.clock.ticks += HOUR
    look.shop.faults.append("reset")
    look.queue("customers", None, op="delete", record_id=record)
    look.push(wait=False)
    look.shop.refuses = lambda path, page: (200, []) if page else REFUSALS["404"]
    assert look.in_the_end() == ("in_doubt", 0)
