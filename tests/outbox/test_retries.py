"""What a person says of a change that may have been applied: retry, or discard."""

import pytest

from pipelines.outbox import InputRefused, Outbox, next_step
from tests.outbox.desk import HOUR, at
from tests.outbox.test_lost_answers import DELETE, PAY, PLAIN, STOCK, UPDATE

pytestmark = pytest.mark.core


@pytest.mark.parametrize("is_discarded", [False, True])
def test_a_retry_looks_once_more_and_finds_what_was_booked_late(desk, is_discarded):
    desk.pay(desk.shop.invoice())
    desk.push("lost before")
    assert desk.change().needs_person
    if is_discarded:
        assert "may have been applied all the same" in desk.discard()
    desk.shop._pay(desk.change().sent_body)
    assert "looked for once more" in desk.retry()
    desk.push()
    assert (desk.states(), len(desk.shop.tables["payments"])) == (["done"], 1)
    assert "retry" in desk.events()


def test_a_retry_approves_what_was_known_and_nothing_that_came_to_light_since(desk):
    desk.shop.hidden.add(("payments", "payment_note"))
    desk.pay(desk.shop.invoice())
    desk.push("lost before")
    desk.retry()
    desk.shop._pay(desk.change().sent_body)
    desk.push()
    assert (desk.states(), len(desk.shop.tables["payments"])) == (["in_doubt"], 1)
    assert "new on the invoice, ours or the till's" in desk.change().reason
    desk.retry()
    desk.push()
    assert (desk.states(), len(desk.shop.tables["payments"])) == (["done"], 2)


def test_what_comes_to_light_while_a_person_is_asked_is_in_the_story_once(desk):
    desk.shop.hidden.add(("payments", "payment_note"))
    invoice = desk.shop.invoice()
    desk.pay(invoice)
    desk.push("lost before")
    desk.shop.take(invoice, 50)
    desk.later(6 * HOUR, 3)
    with Outbox(desk.home) as outbox:
        story = [row["detail"] for row in outbox.history(1)]
    assert len([words for words in story if "ours or the till's: payment" in words]) == 1
    assert desk.change().reason.startswith("there is no new payment")
    desk.retry()  # of what was told, and not over what is new
    desk.push()
    assert (desk.states(), desk.made("payments")) == (["in_doubt"], 0)


def test_a_retry_before_anybody_was_asked_sends_nothing_that_may_be_there(desk):
    desk.queue(*STOCK)
    desk.push("lost after", wait=False)
    desk.retry()
    desk.later(HOUR)
    assert (desk.states(), desk.made("stock"), desk.change().needs_person) == (["in_doubt"], 1, 1)
    desk.retry()
    desk.later(HOUR)
    assert (desk.states(), desk.made("stock")) == (["done"], 2)


def test_a_retry_of_what_is_not_there_sends_it_and_says_who_approved(desk):
    """A payment of before is no news, though no note tells it from ours."""
    desk.shop.hidden.add(("payments", "payment_note"))
    invoice = desk.shop.invoice()
    desk.shop.take(invoice, 20)
    desk.pay(invoice)
    desk.push("lost before")
    desk.retry()
    approved = desk.change().reason
    assert approved.startswith("approved by ann, knowing: there is no new payment")
    with Outbox(desk.home) as outbox:
        assert "approved by ann" in next_step(outbox, desk.change(), {})
        assert "by ann; it was in_doubt: there is no new payment" in outbox.history(1)[-1]["detail"]
    desk.retry()
    assert desk.change().reason == approved
    desk.push()
    assert (desk.states(), len(desk.shop.tables["payments"])) == (["done"], 2)


@pytest.mark.parametrize("change", [PLAIN, PAY])
def test_a_retry_before_lists_can_show_it_waits_until_they_must(desk, change):
    desk.shop.lag = 100.0
    desk.pay(desk.shop.invoice()) if change is PAY else desk.queue(*change)
    desk.push("lost after", wait=False)
    desk.retry()
    desk.push()
    assert (desk.states(), len(desk.shop.writes)) == (["done"], 1)


def test_an_earlier_one_that_is_queued_again_waits_for_a_like_one_in_doubt(desk):
    for _ in range(2):
        desk.queue(*PLAIN)
    desk.discard(1)
    desk.push("lost before", wait=False)
    desk.retry(1)
    desk.push(wait=False)
    assert (desk.states(), desk.shop.writes) == (["queued", "in_doubt"], [])


def test_two_like_ones_in_doubt_do_not_wait_for_each_other(desk):
    desk.begin()
    for _ in range(2):
        desk.queue(*PLAIN)
    desk.reboot()
    desk.later(HOUR, 3)
    assert (desk.states(), desk.made("customers")) == (["done"] * 2, 2)


@pytest.mark.parametrize("deed", ["retry", "discard"])
def test_what_is_being_sent_is_nobodys_to_decide(desk, deed):
    told = list[str]()

    def act() -> None:
        with pytest.raises(InputRefused, match="is sending and cannot be") as refused:
            getattr(desk, deed)()
        told.append(str(refused.value))

    desk.queue(*PLAIN)
    desk.push(hook=at("intent", act))
    assert (len(told), desk.states()) == (1, ["done"])


@pytest.mark.parametrize("step", ["looked", "intent"])
def test_a_retry_in_the_midst_of_a_push_doubles_nothing(desk, step):
    desk.queue(*PLAIN)
    desk.push("lost after", wait=False)

    def retry() -> None:
        if desk.states() == ["in_doubt"]:
            desk.retry()

    desk.shop.clock.ticks += HOUR
    desk.push(hook=at(step, retry))
    desk.later(HOUR)
    assert (desk.states(), desk.made("customers")) == (["done"], 1)


@pytest.mark.parametrize("staff", ["nothing", "alike", "otherwise"])
@pytest.mark.parametrize("fault", ["lost before", "lost after", "400 before", "odd before"])
@pytest.mark.parametrize(
    "change", [PLAIN, UPDATE, DELETE, STOCK, PAY], ids=lambda c: " ".join(c[:2])
)
def test_retries_end_every_question(desk, change, fault, staff):
    """One may be asked again over what staff did meanwhile, and not for ever over the same."""
    record, invoice = desk.shop.put("customers", name="Cid", city="x"), desk.shop.invoice(1000)
    row = desk.shop.tables["customers"][record]
    alike = {
        "customers": lambda: desk.shop.put("customers", name="Ann"),
        "stock": lambda: desk.shop.put("stock", product={"id": "7"}, quantity=2),
        "payments": lambda: desk.shop.take(invoice, 50),
    }
    deeds = {"nothing": dict, "alike": alike[change[0]], "otherwise": lambda: row.update(city="B")}
    if change is PAY:
        desk.pay(invoice)
    else:
        based = {"based_on": {"city": "x"}} if change is UPDATE else {}
        desk.queue(*change, None if change[1] == "create" else record, **based)
    desk.push(fault, hook=at("looked", deeds[staff]))
    for _ in range(3):
        if desk.states() != ["done"]:
            desk.retry()
            desk.later(HOUR)
    assert desk.states() == ["done"]


def test_a_conflict_over_an_approved_doubt_asks_about_the_doubt_no_more(desk):
    invoice = desk.shop.invoice(100)
    desk.pay(invoice, 60, marker=False)
    desk.push("lost before", hook=at("looked", lambda: desk.shop.take(invoice, 60)))
    told = ["new on the invoice", "40.00 is due, and the payment is 60.00"]
    for state, words in zip(["in_doubt", "conflict"], told, strict=True):
        assert (desk.states(), words in desk.change().reason) == ([state], True)
        desk.retry()
        desk.later(HOUR)
    assert (desk.states(), len(desk.shop.tables["payments"])) == (["done"], 2)


def test_a_doubt_that_nobody_was_asked_about_ends_by_itself_after_a_new_start(desk):
    desk.queue(*PLAIN)
    desk.push("lost before", wait=False)
    desk.reboot()
    assert desk.later().exit_code == 0
    assert (desk.states(), desk.made("customers")) == (["done"], 1)
    with Outbox(desk.home) as outbox:
        told = [row["detail"] for row in outbox.history(1)]
    assert any("by another copy of this queue: the machine was started anew" in one for one in told)


def test_what_was_discarded_in_a_backup_is_looked_for_when_it_is_retried(desk):
    desk.begin()
    desk.queue(*PLAIN)
    desk.discard()
    desk.back_up()
    desk.retry()
    desk.push()
    desk.shop.clock.ticks += HOUR
    desk.put_back()
    desk.push()
    desk.retry()
    desk.later()
    assert (desk.states(), desk.made("customers")) == (["done"], 1)


def test_a_create_and_the_delete_of_it_are_done_after_a_new_start(desk):
    desk.begin()
    desk.queue(*PLAIN)
    desk.queue(*DELETE, "@2")
    desk.reboot()
    assert desk.later().exit_code == 0
    assert desk.states() == ["done", "done"]


def test_what_a_person_approved_over_is_taken_for_ours_no_more(desk):
    desk.queue("brands", "create", {"name": "Acme"})
    desk.push("lost before", wait=False)
    desk.shop.clock.ticks += HOUR
    staff = desk.shop.put("brands", name="Acme")
    desk.push()
    assert (desk.states(), f"another's: {staff}" in desk.change().reason) == (["in_doubt"], True)
    desk.retry()
    desk.push("lost before")
    desk.later(HOUR)
    assert (desk.states(), desk.made("brands"), desk.change().id != staff) == (["done"], 1, True)


def test_what_is_discarded_while_a_push_looks_for_another_one_is_looked_for_no_more(desk):
    for name in "AB":
        desk.queue("brands", "create", {"name": name})
    desk.push("lost before", "lost before", wait=False)
    desk.shop.clock.ticks += HOUR
    assert desk.push(hook=at("looked", lambda: desk.discard(2))).exit_code == 0
    assert (desk.states(), desk.made("brands")) == (["done", "rejected"], 1)
