"""Answers of services that word a success otherwise than the specification does."""

import pytest

from pipelines.outbox import Outbox
from pipelines.outbox.change import NewChange, State
from tests.fakes.shop import FakeShop
from tests.outbox.desk import HOUR, Desk

UPDATES = [{"stockQuantity": 2}, {"name": "Glass", "tax": 3}, {"tax": 3}]


@pytest.fixture
def product(desk):
    desk.shop.hidden.add(("products", "tax"))
    return desk.shop.put("products", name="Screen", code="S-1", stock=4)


@pytest.mark.parametrize(
    ("answer", "body", "state"),
    [
        *((answer, body, "done") for answer in ("success", "record") for body in UPDATES),
        *(("204", body, "done") for body in UPDATES[1:]),
        *((answer, UPDATES[0], "in_doubt") for answer in ("204", "warned", "odd")),
    ],
)
def test_an_update_is_done_by_a_plain_success_and_one_that_acts_by_no_other_words(
    desk, product, answer, body, state
):
    desk.queue("products", "update", body, product)
    assert desk.push(f"{answer} after").exit_code == (state == "in_doubt")
    assert (desk.states(), desk.shop.count("PUT", "products")) == ([state], 1)


def test_a_create_that_is_answered_by_words_of_success_alone_is_looked_for(desk):
    desk.queue("customers", "create", {"name": "Ann"})
    desk.queue("stock", "create", {"product": "1", "quantity": 2})
    assert desk.push("success after", "success after").exit_code == 1
    assert desk.states() == ["done", "in_doubt"]
    assert desk.change().id in desk.shop.tables["customers"]


@pytest.mark.parametrize("answer", ["lie", "named"])
def test_a_create_that_is_answered_by_the_id_of_another_record_is_looked_for(desk, answer):
    [old] = desk.shop.tables["brands"]
    for name in ("Acme", "Bolt"):
        desk.queue("brands", "create", {"name": name})
    desk.queue("customers", "create", {"name": "Ann"})
    desk.queue("customers", "create", {"name": "Bob"})
    first = str(desk.shop.next_id + 2)
    assert desk.push(f"{answer} {old}", "", "", f"{answer} {first}").exit_code == (answer == "lie")
    told = "in_doubt" if answer == "lie" else "done"
    assert desk.states() == [told, "done", "done", told]
    assert desk.change().id != old


@pytest.mark.parametrize("named", ["0", "-1", "null", "a/b", "?", "x" * 129])
def test_an_answer_whose_id_can_be_none_proves_nothing(desk, named):
    desk.queue("brands", "create", {"name": "Acme"})
    assert desk.push(f"lie {named}").exit_code == 1
    assert desk.states() == ["in_doubt"]


@pytest.mark.parametrize("answer", ["place", "listed"])
def test_a_create_is_done_by_the_place_or_the_list_of_one_that_is_answered(desk, answer):
    desk.queue("stock", "create", {"product": "1", "quantity": 2})
    assert desk.push(f"{answer} after").exit_code == 0
    assert desk.change().id in desk.shop.tables["stock"]


@pytest.mark.parametrize("status", ["400", "422"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_refusal_that_holds_the_record_is_looked_into(desk, product, status, when):
    desk.queue("brands", "create", {"name": "Acme"})
    desk.queue("products", "update", {"name": "Glass"}, product)
    is_there = when == "after"
    assert desk.push(*[f"record{status} {when}"] * 2).exit_code == (not is_there)
    assert desk.states() == ["done" if is_there else "rejected"] * 2
    assert len(desk.shop.writes) == 2 * is_there


@pytest.mark.parametrize(
    ("answer", "state"),
    [("success", "done"), ("empty", "done"), ("200", "done"), ("odd", "in_doubt")],
)
def test_a_file_is_uploaded_by_any_plain_success(desk, product, photo, answer, state):
    desk.queue("products", "upload", None, product, file=photo)
    desk.push("", f"{answer} after")
    assert (desk.states(), desk.shop.count("FILE", "products")) == ([state], 1)


@pytest.mark.parametrize(
    ("resource", "before", "sent"),
    [
        ("customers", {"name": "ann lee"}, {"name": "Ann Lee"}),
        ("customers", {"name": "Jose"}, {"name": "José"}),
        ("customers", {"mobile": "5551-0001"}, {"mobile": "+502 5551 0001"}),
        ("products", {"price": 10}, {"price": 10.005}),
    ],
)
@pytest.mark.parametrize("fault", ["lost before", "lost after"])
def test_a_lost_update_of_the_spelling_alone_is_done_once_it_is_there(
    desk, resource, before, sent, fault
):
    record = desk.shop.put(resource, **before)
    desk.queue(resource, "update", sent, record)
    desk.push(fault)
    [(name, value)] = sent.items()
    assert desk.states() == ["done"]
    assert desk.shop.tables[resource][record][name] == value


@pytest.mark.parametrize("edit", [str.upper, str.lower])
def test_a_lost_update_is_done_at_a_service_that_spells_otherwise(desk, edit):
    desk.shop.edit = lambda _, value: edit(value)
    record = desk.shop.put("customers", name=edit("Ann Lee"))
    desk.queue("customers", "update", {"name": "Ann Lee"}, record)
    desk.push("lost after")
    assert (desk.states(), desk.shop.count("PUT", "customers")) == (["done"], 2)


@pytest.mark.parametrize("is_known", [True, False])
def test_a_delete_that_finds_a_known_record_no_more_is_done(desk, is_known):
    for name in ("First", "Ann", "Bob"):
        desk.queue("customers", "create", {"name": name})
    assert desk.push().exit_code == 0
    records = [desk.change(number).id for number in (1, 2, 3)] if is_known else ["1", "2", "3"]
    for record in records:
        desk.queue("customers", "delete", None, record)
    desk.shop.tables["customers"].pop(records[0], None)
    report = desk.push("", "404 after", "lost after")
    found = ["done"] * 3 if is_known else ["rejected", "rejected", "in_doubt"]
    assert desk.states()[3:] == found
    assert report.exit_code == int(not is_known)


def test_a_delete_that_the_service_will_not_find_is_rejected_while_the_record_is_there(desk):
    desk.queue("customers", "create", {"name": "Ann"})
    desk.push()
    desk.queue("customers", "delete", None, desk.change().id)
    assert desk.push("404 before").exit_code == 1
    assert desk.states() == ["done", "rejected"]
    assert "still there" in desk.change(2).reason


@pytest.mark.parametrize("resource", ["customers", "payments", "stock"])
def test_a_create_is_not_done_by_the_id_of_a_like_one_and_words(desk, resource):
    def queue():
        if resource == "payments":
            return desk.pay(desk.shop.invoice())
        body = {"name": "Ann"} if resource == "customers" else {"product": "1", "quantity": 2}
        return desk.queue(resource, "create", body)

    queue()
    assert desk.push("words before").exit_code == 1
    assert (desk.states(), desk.made(resource)) == (["in_doubt"], 0)
    desk.discard()
    number = queue()
    desk.push("words after")
    assert desk.states()[1] == ("in_doubt" if resource == "stock" else "done")
    assert desk.change(number).id in (None, *desk.shop.tables[resource])


KINDS = {
    "payments": lambda desk: desk.pay(desk.shop.invoice()),
    "customers": lambda desk: desk.queue("customers", "create", {"name": "Ann"}),
    "tickets": lambda desk: desk.queue("tickets", "create", {"customerId": "1", "shortInfo": "x"}),
    "update": lambda desk: desk.queue("customers", "update", {"city": "A"}, "1001"),
    "delete": lambda desk: desk.queue("brands", "delete", None, desk.shop.put("brands")),
}


@pytest.mark.parametrize("status", ["400", "422"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_refusal_is_believed_once_the_record_does_not_show_the_change(desk, kind, status):
    KINDS[kind](desk)
    KINDS[kind](desk)
    before, ticks = len(desk.shop.requests), desk.shop.clock.ticks
    assert desk.push(f"{status} before", f"{status} after").exit_code == 1
    assert (desk.states(), len(desk.shop.writes)) == (["rejected", "done"], 1)
    assert desk.shop.clock.ticks - ticks < 1, "nothing is waited for"
    assert len(desk.shop.requests) - before <= (16 if kind == "tickets" else 9)
    assert desk.later().exit_code == 0


@pytest.mark.parametrize(
    ("op", "faults"), [("create", ("lost before", "400 after")), ("delete", ("429 after",))]
)
def test_a_refusal_of_what_was_sent_before_is_looked_into_at_once(desk, op, faults):
    record = desk.shop.put("customers", name="Cid") if op == "delete" else None
    desk.queue("customers", op, {"name": "Ann"} if op == "create" else None, record)
    assert desk.push(*faults).exit_code == 0
    assert desk.states() == ["done"]


def test_a_refusal_of_what_may_be_there_is_for_a_person(desk):
    desk.queue("stock", "create", {"product": "1", "quantity": 2})
    desk.queue("customers", "create", {"name": "Ann", "mobile": "55510001"})
    desk.queue("products", "update", {"stockQuantity": 2}, "1003")
    desk.shop.edit = lambda name, value: "Eve" if name == "name" else value
    assert desk.push("400 after", "400 after", "400 before").exit_code == 1
    assert desk.states() == ["in_doubt", "in_doubt", "rejected"]
    for number in (1, 2):
        assert "new records that may be it" in desk.change(number).reason
        assert "though refused: 400 Something went wrong" in desk.change(number).reason


@pytest.mark.parametrize("kind", ["customers", "tickets"])
def test_a_refusal_is_believed_once_the_service_shows_its_records(desk, kind):
    KINDS[kind](desk)
    shown = desk.shop.refuses

    def hide(step, _number):
        if step == "answered":
            desk.shop.refuses = lambda path, page: (422, {"error": "not now"})

    assert desk.push("400 before", hook=hide).exit_code == 1
    assert (desk.states(), desk.shop.writes) == (["in_doubt"], [])
    assert "could not be looked up" in desk.change().reason
    assert "though refused: 400" in desk.change().reason
    desk.shop.refuses = shown
    desk.later(2 * HOUR)
    assert (desk.states(), desk.shop.writes) == (["rejected"], [])


def test_what_was_answered_last_is_told_with_what_is_left_to_a_person(desk):
    desk.queue("customers", "create", {"name": "Ann"})
    desk.push(*["307 before"] * 3)
    assert desk.states() == ["in_doubt"]
    assert "sent 3 times: POST /customers: it was redirected (status 307)" in desk.change().reason


class Cached(FakeShop):
    """Behind a cache, which keeps what it is not told to ask for."""

    def handle_request(self, request):
        if request.method != "GET" or request.headers.get("Cache-Control") == "no-cache":
            return super().handle_request(request)
        kept = vars(self).setdefault("kept", {})
        if request.url not in kept:
            kept[request.url] = super().handle_request(request)
        return kept[request.url]


def test_a_cache_on_the_way_hides_no_record(tmp_path):
    desk = Desk(tmp_path / "home", Cached())
    desk.queue("customers", "create", {"name": "Ann"})
    desk.push("lost after")
    assert (desk.states(), desk.made("customers")) == (["done"], 1)


def test_ids_are_of_what_changes_made_in_this_list_of_this_shop_and_none_deleted_since(desk):
    with Outbox(desk.home, desk.shop.clock) as outbox:

        def done(shop, resource, op, record, state=State.DONE):
            [number] = outbox.add([NewChange(shop, resource, op, record, {})], by="ann")
            change = outbox.move(outbox.get(number), State.SENDING, sent_at=10.0)
            outbox.move(change, state, id=record, fence={}, pushed_at=1.0)
            return number

        first = done("main", "brands", "create", "1")
        for shop, resource, op in [
            ("north", "brands", "create"),
            ("main", "categories", "create"),
            ("main", "brands", "update"),
        ]:
            done(shop, resource, op, f"{shop} {resource} {op}")
        done("main", "brands", "create", None, State.IN_DOUBT)
        done("north", "brands", "delete", "1")
        done("main", "categories", "delete", "1")
        done("main", "brands", "update", "1")
        done("main", "brands", "delete", "2")
        done("main", "brands", "delete", "1", State.IN_DOUBT)
        assert outbox.made("main", "brands") == {"1"}
        assert outbox.made("main", "brands", since=10, until=10) == {"1"}
        for none in ({"but": first}, {"since": 11}, {"until": 9}):
            assert outbox.made("main", "brands", **none) == set(), none
        done("main", "brands", "delete", "1")
        assert outbox.made("main", "brands") == set()
        done("main", "brands", "create", "1")
        assert outbox.made("main", "brands") == {"1"}, "its id was given out again"


@pytest.mark.parametrize("marker", [True, False])
def test_a_ticket_whose_other_name_is_answered_is_known_by_its_id(desk, marker):
    write = desk.shop._write

    def named(method, path, *more):
        status, answer = write(method, path, *more)
        for row in desk.shop.tables["tickets"].values() if path == "tickets" else ():
            row["ticket_ref"] = f"T-{row['id']}"
            answer = {"id": row["ticket_ref"]}
        return status, answer

    desk.shop._write = named
    desk.queue("tickets", "create", {"customerId": "1", "shortInfo": "New"}, marker=marker)
    desk.queue("ticketComments", "create", {"ticket": "@1", "type": "Public", "comment": "Hi"})
    assert desk.push().exit_code == 0
    assert desk.change().id in desk.shop.tables["tickets"]
    assert desk.change(2).sent_body["ticket"] == desk.change().id


def test_an_update_that_could_not_be_read_back_is_looked_for_by_the_next_push(desk):
    desk.begin()
    record = desk.shop.put("customers", name="Cid", city="B")
    desk.shop.ignores.add(record)
    desk.queue("customers", "update", {"city": "A"}, record)
    assert desk.push(max_requests=2).exit_code == 4
    assert (desk.states(), "read back" in desk.change().reason) == (["in_doubt"], True)
    desk.shop.ignores.clear()
    assert desk.push().exit_code == 0
    assert (desk.states(), desk.shop.tables["customers"][record]["city"]) == (["done"], "A")


def test_a_key_refused_by_the_last_request_allowed_is_told_as_that(desk):
    desk.queue("customers", "create", {"name": "Ann"})
    desk.shop.refuses = lambda *_: (401, {"error": "Invalid API key"})
    report = desk.push(max_requests=1)
    assert report.exit_code == 3
    assert "too few" not in str(report.errors["main"])
