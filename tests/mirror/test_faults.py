"""What goes wrong on the wire is told and asked again; it is never taken for "no more rows"."""

from contextlib import closing
from datetime import UTC, datetime

import pytest

from pipelines.load.evidence import completeness
from pipelines.monitor.evidence import as_of, doubts
from pipelines.settings import SettingsError
from sandbox.faults import FaultKind
from sandbox.quirks import Quirks
from sources.repair_shop.ledger import Ledger
from tests.fakes.loopback import Reply
from tests.ledgers import answer
from tests.promises import promise

pytestmark = pytest.mark.core

# One fault of each kind; what each spelling of it becomes: tests/source/test_failures.py.
PASSING: tuple[FaultKind, ...] = ("reset", "truncated_json", "rate_error")
LASTING: tuple[FaultKind, ...] = (
    *("reset", "error_under_200", "xml_despite_json", "not_found", "no_right"),
)
LISTS = ("ticketInvoices", "customers", "brands")


@pytest.mark.parametrize("kind", PASSING)
def test_a_fault_that_passes_is_asked_again(mirror, kind):
    # A third rate error would be for the budget to stop at.
    for skip in (1, 2) if kind == "rate_error" else (1, 2, 3):
        mirror.server.faults.next(kind, skip=skip, path="/ticketInvoices")
    mirror.same(*LISTS)


@pytest.mark.parametrize("kind", LASTING)
@pytest.mark.parametrize("skip", [0, 1], ids=["first answer", "later answer"])
def test_a_fault_that_lasts_is_told_and_everything_else_is_kept(mirror, kind, skip):
    mirror.complete("brands")
    mirror.server.faults.next(kind, skip=skip, path="/customers", times=1000)
    report = mirror.run("customers")
    assert report.exit_code == 3, report.details
    assert "/customers" in " ".join(report.details)
    mirror.server.faults.clear()
    mirror.assert_same("brands")
    mirror.same("customers", "brands")


def test_a_night_that_fails_makes_the_mirror_no_older_than_the_last_that_did_not(synced):
    def age() -> datetime:
        with closing(Ledger(synced.home / "mirror.sqlite")) as ledger:
            return as_of(completeness(ledger), datetime.now(UTC))["main"]

    first = age()
    assert synced.run().exit_code == 0
    second = age()
    assert second > first
    synced.server.faults.next("error_under_200", path="/ticketInvoices", times=1000)
    assert synced.run().exit_code == 3
    assert age() >= second


def test_a_wrong_key_at_a_shop_that_was_synced_ends_3_in_words(mirror):
    assert mirror.run("brands").exit_code == 0
    mirror.changes["api_key"] = "not-the-key-of-this-shop"
    report = mirror.run("brands")
    assert report.exit_code == 3
    assert "It is not the one that worked before: check api_key" in report.message


def test_a_blocked_key_exits_3_and_the_next_run_asks_nothing(synced):
    # A copy's service has a key of its own, which works before it is blocked.
    assert synced.run("brands").exit_code == 0
    synced.server.forget_requests()
    synced.server.block()
    report = synced.run()
    assert report.exit_code == 3, report.details
    asked = len(synced.asked())
    assert asked <= 12, "what was in flight, and no more"
    report = synced.run()
    assert report.exit_code == 3
    assert report.requests == 0


@promise("one shop's failure leaves the others their night")
def test_one_shop_that_fails_leaves_the_other_complete(make_mirror):
    mirror = make_mirror(shops=("norte", "sur"))
    mirror.server.faults.next("html_502", shop="norte", times=10_000)
    report = mirror.run("brands", "customers")
    assert report.exit_code == 3
    assert "norte" in report.message
    assert [shop.shop for shop in report.shops if not shop.doubts] == ["sur"]
    mirror.assert_same("brands", "customers", shop="sur")
    mirror.server.faults.clear()
    assert mirror.run("brands", "customers").exit_code == 0
    mirror.assert_same("brands", "customers", shop="norte")


def test_each_shops_trouble_is_told_as_its_own_tonight_and_by_the_evidence(make_mirror):
    mirror = make_mirror(shops=("norte", "sur"))
    mirror.server.faults.next("html_502", shop="norte", path="/brands", times=1000)
    mirror.server.faults.next("no_right", shop="sur", path="/customers", times=1000)
    report = mirror.run("brands", "customers")
    assert report.message.startswith("Incomplete (norte, sur): norte: GET /brands: ")
    assert len(report.details) == 2, report.details
    with closing(Ledger(mirror.home / "mirror.sqlite")) as ledger:
        told = [problem.named for problem in doubts(completeness(ledger))]
    assert told == report.details
    assert "no right to it" in told[1]


def test_one_shops_block_leaves_the_others_their_night(make_mirror):
    """Field notes, A second look: three of five keys answered 401, the other two went on."""
    records = [("brands", {"id": f"b{n}", "name": f"B{n}"}) for n in range(3)]
    quirks = Quirks(block_scope="key", block_text="Unauthorized")
    mirror = make_mirror(quirks, shops=("a", "b"), records=records)
    assert mirror.run("brands").exit_code == 0
    mirror.server.block("a", address=False)
    asked = {name: len(mirror.server.requests(name)) for name in "ab"}
    mirror.server.store("b").insert("brands", {"name": "new"})
    for night in (1, 2):
        report = mirror.run("brands")
        assert report.exit_code == 3, night
        assert {one.shop: not one.problems for one in report.shops} == {"a": False, "b": True}
    # Refused without a reason: a list that answered before is asked a minute later. That is refused
    # too, so the key is shut, and the second night asks it nothing.
    assert len(mirror.server.requests("a")) - asked["a"] == 2
    mirror.assert_same("brands", shop="b")


def test_an_address_that_knows_no_list_costs_one_request_and_ends_with_2(stranger):
    stranger.missing = Reply(404, {"error": "No such page"})
    report = stranger.sync()
    assert (report.exit_code, report.requests) == (2, 1)
    assert "base_url does not look like the service" in report.message


def test_a_shop_under_another_name_is_refused_before_its_rows_count_twice(make_mirror):
    mirror = make_mirror(shops=("norte", "sur"))
    assert mirror.run("brands").exit_code == 0
    mirror.server.keys["centro"] = mirror.server.keys["norte"]
    mirror.shops = ("centro", "sur")
    with pytest.raises(SettingsError, match="'centro' has the key that shop 'norte' had"):
        mirror.run("brands")
    for shops in (("sur",), ("norte", "sur")):
        mirror.shops = shops
        assert mirror.run("brands").exit_code == 0, "one that left is refused to nobody"


def test_a_shop_under_another_name_with_a_new_key_is_refused_by_the_payments_it_shows(make_mirror):
    mirror = make_mirror(shops=("norte",))
    assert mirror.run("payments").exit_code == 0
    held = len(mirror.recorder.held)
    mirror.server.keys["centro"] = mirror.server.reset_key("norte")
    mirror.shops = ("centro",)
    for _night in range(2):
        report = mirror.run("payments")
        assert report.exit_code == 2
        assert "'centro' shows the payments that shop 'norte' had" in report.message
        assert (report.requests, len(mirror.recorder.held)) == (1, held)
    mirror.shops = ("norte",)
    assert mirror.run("payments").exit_code == 0, "a reset key of the same shop"


def test_a_key_of_another_shop_under_a_known_name_is_refused_before_their_rows_mix(make_mirror):
    mirror = make_mirror(shops=("norte", "sur"))
    mirror.shops = ("norte",)
    assert mirror.run("payments", "customers").exit_code == 0
    own, held = mirror.server.keys["norte"], len(mirror.recorder.held)
    mirror.server.keys["norte"] = mirror.server.keys["sur"]
    for _night in range(2):
        report = mirror.run("payments", "customers")
        assert report.exit_code == 2
        assert "'norte' shows payments and customers of another shop since its" in report.message
        assert (report.requests, len(mirror.recorder.held)) == (3, held)
    mirror.server.keys["norte"] = own
    assert mirror.run("payments", "customers").exit_code == 0


def test_two_shops_of_the_settings_may_show_the_same_payments(make_mirror):
    paid = [("payments", {"id": n, "amount": 5, "date": "2026-03-01"}) for n in range(3)]
    mirror = make_mirror(shops=("norte", "sur"), records=paid)
    for shop in mirror.shops:
        assert mirror.run("payments", shop=shop).exit_code == 0


def test_rows_stay_readable_after_an_answer_that_could_not_be_kept(tmp_path, monkeypatch):
    rows, path, write_all = (
        [{"id": 1, "name": "Lamp"}],
        tmp_path / "mirror.sqlite",
        Ledger.write_all,
    )

    def fail(ledger, name, values):
        if name == "put_row":
            raise OSError("no room")
        return write_all(ledger, name, values)

    with closing(Ledger(path)) as ledger:
        with monkeypatch.context() as patched, pytest.raises(OSError, match="no room"):
            patched.setattr(Ledger, "write_all", fail)
            answer(ledger, "brands", rows)
        answer(ledger, "brands", rows)
    with closing(Ledger(path)) as ledger:
        assert ledger.contents("main", "brands") == {"1": rows[0]}


@promise("whatever breaks at a service that is not ours, a mirror that says it is complete is")
@pytest.mark.parametrize("info", [[], {"message": "Maintenance", "data": []}])
def test_a_shop_without_a_status_that_tells_not_even_its_name_is_not_called_complete(
    make_mirror, info
):
    mirror = make_mirror(records=[])
    mirror.server.faults.next("answer_before", path="/info", content=info, times=9)
    report = mirror.run()
    assert report.exit_code == 1, report.details
    assert "not even a status" in str(report.details)
    mirror.server.faults.clear()
    assert mirror.complete().message == "The mirror is complete.", "it is open, and new"
