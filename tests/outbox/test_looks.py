"""What a look for a change in doubt may not take for "it is not there": each is a fault of the
service, at one page or record, while our record lies where the fault is."""

import pytest

from pipelines.outbox import mark_restored
from tests.outbox.desk import HOUR, at

REFUSALS = {
    "words": (200, {"error": "The list could not be read. Please try again."}),
    "message": (200, {"message": "Busy."}),
    "nothing": (200, "null"),
    "no rows": (200, []),
    "no data": (200, {"data": []}),
    "no record": (200, {}),
    "422": (422, {"error": "The page is not valid."}),
    "400": (400, {"error": "Something went wrong."}),
    "404": (404, {"error": "No record was found."}),
    "500": (500, {"error": "The list could not be read."}),
}


def push_and_put_back(desk):
    """A backup of before a push is put back after it."""
    desk.back_up()
    desk.push()
    desk.put_back()
    mark_restored(desk.home)


def staff(desk, resource, count):
    """People of the shop add records."""
    for number in range(count):
        desk.shop.clock.ticks += 1
        name = f"Customer {number}"
        desk.shop.put(resource, name=name, comment=name, ticket={"id": "1"})
    desk.shop.clock.ticks += HOUR


LEAD = {"mobile": "1", "subject": "x"}


def in_the_end(desk):
    """The change after pushes of days, and how often it was made."""
    desk.push()
    desk.later(6 * HOUR, 3)
    return desk.states()[-1], len(desk.shop.writes)


def nothing_refused(path, page):
    return None


@pytest.fixture(autouse=True)
def late(desk):
    """Lists show what is new a minute late."""
    desk.shop.lag = 60.0
    desk.shop.clock.ticks += 48 * HOUR


@pytest.mark.parametrize("marker", [False, True])
def test_a_list_that_does_not_show_another_create_of_the_push_yet_proves_nothing(desk, marker):
    desk.shop.lag = 900.0
    for name in ("Ann", "Bob"):
        desk.queue("leads", "create", LEAD | {"name": name}, marker=marker)
    desk.push("", "lost after")
    assert "does not show our" in desk.change(2).reason
    desk.later(HOUR)
    assert (desk.states(), desk.made("leads")) == (["done", "done"], 2)


def test_a_create_that_is_sent_later_and_not_shown_yet_keeps_no_lost_one_from_being_sent(desk):
    desk.shop.lag = 100.0
    desk.queue("customers", "create", {"name": "Ann"})
    desk.push("lost before", wait=False)
    desk.shop.clock.ticks += 280
    desk.queue("customers", "create", {"name": "Bob"})
    assert desk.push().exit_code == 0
    assert (desk.states(), desk.made("customers")) == (["done", "done"], 2)


def test_a_lost_create_is_found_after_a_thousand_others_of_the_same_push(desk):
    for name in ("Ann", "Bob"):
        desk.queue("customers", "create", {"name": name})

    def meanwhile(step, number):
        if (step, number) == ("outcome", 1):
            desk.shop.clock.ticks += HOUR
            staff(desk, "customers", 1001)
            desk.shop.clock.ticks += HOUR
            desk.shop.faults.append("lost after")

    assert desk.push(hook=meanwhile).exit_code == 0
    assert (desk.states(), desk.made("customers")) == (["done", "done"], 2)


@pytest.mark.parametrize("is_ours", [False, True])
@pytest.mark.parametrize("hours", [-6, -0.1, 0.1, 9, 72])
@pytest.mark.parametrize("resource", ["customers", "stock", "payments"])
def test_a_clock_that_dates_records_otherwise_doubles_nothing(desk, resource, hours, is_ours):
    if is_ours:  # which is believed where no answer tells the time
        desk.shop.tells_time = False
        desk.shop.clock.wall_offset += hours * HOUR
    else:
        now = desk.shop.shown
        desk.shop.shown = lambda at=None: now((at or desk.shop.now()) + hours * HOUR)
    if resource == "payments":
        desk.pay(desk.shop.invoice(), marker=False)
    else:
        body = {"customers": {"name": "Ann"}, "stock": {"product": "1", "quantity": 2}}
        desk.queue(resource, "create", body[resource])
    desk.push("lost after")
    state, made = in_the_end(desk)
    told = desk.change().reason
    assert made == 1
    assert state == "done" or "ours or the till's" in told or "may be it" in told


def test_a_lost_ticket_that_staff_gave_other_words_is_not_made_twice(desk):
    customer = desk.shop.put("customers", name="Ann")
    desk.queue("tickets", "create", {"customerId": customer, "shortInfo": "Screen"})
    desk.push("lost after", wait=False)
    [ours] = [row for row in desk.shop.tables["tickets"].values() if row["short_info"] == "Screen"]
    ours["short_info"] = "Battery of a tablet"
    assert in_the_end(desk) == ("in_doubt", 1)


@pytest.mark.parametrize("sorts", [False, True])
@pytest.mark.parametrize(
    ("pages", "knows_offset", "refusal"),
    [
        *((1, False, refusal) for refusal in REFUSALS),
        *((1, True, refusal) for refusal in ("words", "no rows", "404")),
        *((2, offset, refusal) for offset in (False, True) for refusal in ("nothing", "422")),
    ],
)
def test_a_page_that_is_refused_behind_a_full_one_hides_no_record(
    desk, refusal, pages, knows_offset, sorts
):
    desk.shop.knows_offset, desk.shop.sorts = knows_offset, sorts
    staff(desk, "customers", 0 if sorts else 50 * pages + 1)
    desk.shop.faults.append("reset after")
    desk.queue("customers", "create", {"name": "Ann"})
    desk.push(wait=False)
    staff(desk, "customers", 50 * pages if sorts else 0)
    desk.shop.refuses = lambda path, page: REFUSALS[refusal] if page > pages else None
    assert in_the_end(desk) == ("in_doubt", 1)
    desk.shop.refuses = nothing_refused
    desk.shop.clock.ticks += 24 * HOUR
    assert in_the_end(desk) == ("done", 1)


@pytest.mark.parametrize("refusal", REFUSALS)
def test_a_list_that_ends_in_words_behind_a_full_page_is_read_whole(desk, refusal):
    desk.shop.faults.append("reset before")
    desk.queue("customers", "create", {"name": "Ann"})
    desk.push(wait=False)
    staff(desk, "customers", 49)
    desk.shop.refuses = lambda path, page: (
        REFUSALS[refusal] if page > 1 and len(desk.shop.tables["customers"]) == 50 else None
    )
    assert in_the_end(desk) == ("done", 1)


def test_a_row_that_a_page_shows_twice_makes_it_no_shorter(desk):
    desk.shop.sorts = False
    staff(desk, "customers", 48)
    desk.shop.faults.append("reset after")
    desk.queue("customers", "create", {"name": "Ann"})
    desk.push(wait=False)
    desk.shop.clock.ticks += HOUR
    first, *rest = desk.shop.page("customers")
    behind = [rest.pop()]
    pages = {1: [first, first, *rest], 2: behind}
    pages[1] += [first] * (50 - len(pages[1]))
    desk.shop.refuses = lambda path, page: (200, pages.get(page, [])) if page else None
    assert in_the_end(desk) == ("done", 1)


@pytest.mark.parametrize("answer", [REFUSALS["404"], REFUSALS["words"], (200, {"id": "1"})])
def test_a_detail_that_is_refused_hides_no_marker(desk, answer):
    desk.shop.hidden.add(("customers", "comments"))
    desk.shop.faults.append("reset after")
    desk.queue("customers", "create", {"name": "Ann"}, marker=True)
    desk.shop.refuses = lambda path, page: None if page else answer
    assert in_the_end(desk) == ("in_doubt", 1)


def test_a_queue_put_back_finds_its_record_in_a_list_of_another_order(desk):
    staff(desk, "ticketComments", 60)
    desk.shop.clock.ticks += 200 * HOUR
    desk.begin()
    desk.queue("ticketComments", "create", {"ticket": "1", "type": "Private", "comment": "Hi"})
    push_and_put_back(desk)
    desk.shop.sorts = False
    desk.shop.clock.ticks += HOUR
    assert in_the_end(desk) == ("done", 1)


@pytest.mark.parametrize("fault", ["", "reset after"])
@pytest.mark.parametrize("refusal", ["words", "nothing", "no rows", "no data", "no record", "422"])
def test_a_record_that_a_delete_took_may_be_answered_in_any_way(desk, refusal, fault):
    staff(desk, "customers", 3)
    records = desk.shop.tables["customers"]
    record = next(iter(records))
    desk.shop.refuses = lambda path, page: (
        None if page or path.rpartition("/")[2] in records else REFUSALS[refusal]
    )
    desk.shop.faults.append(fault)
    desk.queue("customers", "delete", None, record)
    assert in_the_end(desk) == ("done", 1)


def test_lost_records_of_like_names_are_found_each(desk):
    for number in range(3):
        desk.queue("customers", "create", {"name": f"Branch office {number}"})
    desk.push(*["lost after"] * 3)
    desk.later(HOUR, 3)
    assert (desk.states(), desk.made("customers")) == (["done"] * 3, 3)
    assert len({desk.change(number).id for number in (1, 2, 3)}) == 3


@pytest.mark.parametrize(
    ("hidden", "fault", "state"),
    [
        ("created_date", "reset after", "in_doubt"),
        ("created_date", "lost before", "done"),
        ("tax", "reset after", "done"),
    ],
)
def test_in_a_long_list_without_dates_nobody_can_tell_what_is_new(desk, hidden, fault, state):
    desk.shop.hidden.add(("customers", hidden))
    staff(desk, "customers", 110)
    desk.shop.faults.append(fault)
    desk.queue("customers", "create", {"name": "Ann"})
    assert in_the_end(desk) == (state, 1)


def test_an_invoice_that_shows_no_payments_any_more_hides_none(desk):
    invoice = desk.shop.invoice()
    desk.shop.take(invoice, 1)
    desk.shop.clock.ticks += HOUR
    desk.shop.faults.append("reset after")
    desk.pay(invoice)
    desk.push(wait=False)
    desk.shop.hidden.add(("ticketInvoices", "payments"))
    assert in_the_end(desk) == ("done", 1)


@pytest.mark.parametrize("answer", ["404", "400", "words"])
@pytest.mark.parametrize(
    ("resource", "since", "state"),
    [
        ("customers", "checked", "queued"),
        ("payments", "checked", "queued"),
        ("customers", "intent", "in_doubt"),
    ],
)
def test_a_service_that_finds_nothing_at_all_rejects_nothing(desk, resource, since, state, answer):
    record = desk.shop.put("customers", name="Ann")
    invoice = desk.shop.invoice()
    desk.shop.clock.ticks += HOUR
    desk.begin()
    if resource == "customers":
        desk.queue("customers", "update", {"name": "Bea"}, record)
    else:
        desk.pay(invoice)

    def refuse():
        desk.shop.refuses = lambda path, page: REFUSALS[answer]

    if since == "checked":
        refuse()
    desk.push("lost before", wait=False, hook=at(since, refuse))
    assert desk.states() == [state]
    desk.shop.faults.clear()
    desk.shop.refuses = nothing_refused
    desk.shop.clock.ticks += HOUR
    assert in_the_end(desk) == ("done", 1)


@pytest.mark.parametrize("answer", ["404", "422", "400"])
@pytest.mark.parametrize("resource", ["customers", "payments"])
def test_a_record_that_others_of_its_list_outlived_is_told(desk, resource, answer):
    desk.shop.refuses = lambda path, page: (
        None if page or desk.shop.as_known(*path.split("/")) else REFUSALS[answer]
    )
    desk.shop.invoice()
    desk.shop.clock.ticks += HOUR
    if resource == "customers":
        desk.queue("customers", "update", {"name": "Bea"}, "7")
    else:
        desk.pay("7")
    assert in_the_end(desk) == ("rejected", 0)


@pytest.mark.parametrize("refusal", ["words", "no rows", "404"])
def test_a_queue_put_back_believes_no_list_that_does_not_show_its_end(desk, refusal):
    desk.begin()
    desk.queue("customers", "create", {"name": "Ann"})
    push_and_put_back(desk)
    staff(desk, "customers", 50)
    desk.shop.refuses = lambda path, page: REFUSALS[refusal] if page > 1 else None
    assert in_the_end(desk) == ("in_doubt", 1)


def test_another_invoice_than_the_one_asked_for_shows_nothing_of_it(desk):
    invoice = desk.shop.invoice()
    desk.begin()
    desk.shop.clock.ticks += HOUR
    desk.pay(invoice)
    push_and_put_back(desk)
    other = (200, {"id": "9", "status": "Due", "amount_total": 100, "payments": []})
    desk.shop.refuses = lambda path, page: other if path.startswith("ticketInvoices/") else None
    assert in_the_end(desk) == ("in_doubt", 1)
    desk.shop.refuses = nothing_refused
    assert in_the_end(desk) == ("done", 1)


def test_a_service_that_shows_nothing_at_all_has_deleted_nothing(desk):
    record = desk.shop.put("customers", name="Ann")
    desk.begin()
    desk.shop.clock.ticks += HOUR
    desk.shop.faults.append("reset before")
    desk.queue("customers", "delete", None, record)
    desk.push(wait=False)
    desk.shop.refuses = lambda path, page: (200, []) if page else REFUSALS["404"]
    assert in_the_end(desk) == ("in_doubt", 0)


@pytest.mark.parametrize(("fault", "why"), [("lie", "still in its list"), ("", "neither")])
def test_a_delete_is_not_done_by_the_word_of_paths_that_answer_for_no_record(desk, fault, why):
    record = desk.shop.put("customers", name="Ann")
    desk.shop.put("customers", name="Bob")
    desk.shop.clock.ticks += HOUR
    desk.queue("customers", "delete", None, record)

    def refuse():
        desk.shop.refuses = lambda path, page: None if page else REFUSALS["404"]

    desk.push(fault, hook=at("intent", refuse))
    assert desk.states() == ["in_doubt"]
    assert why in desk.change().reason


@pytest.mark.parametrize("knows_page", [True, False])
@pytest.mark.parametrize("hidden", ["created_date", "tax"])
def test_a_list_whose_pages_are_short_hides_no_record(desk, hidden, knows_page):
    desk.shop.hidden.add(("customers", hidden))
    desk.shop.knows_page, desk.shop.knows_offset = knows_page, not knows_page
    staff(desk, "customers", 45)
    desk.shop.page_rows, desk.shop.sorts = 20, False
    desk.queue("customers", "create", {"name": "Ann"})
    desk.push("lost after", wait=False)
    assert in_the_end(desk)[1] == 1
    desk.queue("customers", "create", {"name": "Customer 44"})
    desk.push("lost before", wait=False)
    assert in_the_end(desk)[1] == 1 + (desk.states()[-1] == "done")


@pytest.mark.parametrize("refusal", [(500, {"error": "Down"}), (403, {"error": "Not allowed"})])
def test_a_refusal_behind_a_short_page_is_no_end(desk, refusal):
    staff(desk, "customers", 45)
    desk.shop.hidden.add(("customers", "created_date"))
    desk.shop.page_rows, desk.shop.sorts = 20, False
    desk.queue("customers", "create", {"name": "Ann"})
    desk.push("lost after", wait=False)
    is_down = desk.shop.refuses
    desk.shop.refuses = lambda path, page: refusal if page == 2 else None
    assert in_the_end(desk)[1] == 1
    desk.shop.refuses = is_down
    assert in_the_end(desk)[1] == 1


@pytest.mark.parametrize(
    ("fault", "is_shown", "in_the_end_"),
    [
        ("", True, ("done", 1)),
        ("lost after", True, ("done", 1)),
        ("lost after", False, ("in_doubt", 1)),
        ("lost before", True, ("in_doubt", 0)),
    ],
)
@pytest.mark.parametrize("refusal", ["404", "400", "words", "nothing"])
def test_a_service_without_a_list_of_all_tickets_makes_them_once(
    desk, fault, is_shown, in_the_end_, refusal
):
    desk.shop.refuses = lambda path, page: REFUSALS[refusal] if "updated" in path else None
    desk.shop.list_shows = lambda path, query, row: is_shown or row["short_info"] == "Old"
    desk.shop.faults.append(fault)
    desk.queue("tickets", "create", {"customerId": "1", "shortInfo": "Screen"})
    assert in_the_end(desk) == in_the_end_
    assert desk.change().state == "done" or desk.change().needs_person
