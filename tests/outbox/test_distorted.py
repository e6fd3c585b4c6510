"""Lost answers of services that show a write late, or otherwise than it was sent."""

import html
import time
import unicodedata

import pytest

from pipelines.outbox import enqueue, push
from tests.outbox.conftest import MINUTE, change, settings_for, states

NAME = "José Núñez & <b>Söhne</b> Straße"


def _bare(text):
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


KEPT = {
    "escaped": html.escape,
    "bare": _bare,
    "question marks": lambda text: text.encode("ascii", "replace").decode(),
    "wrong charset": lambda text: text.encode().decode("latin-1"),
    "no tags": lambda text: text.replace("<b>", "").replace("</b>", ""),
    "cut off": lambda text: text[:20],
}


@pytest.mark.parametrize("kept", KEPT.values(), ids=KEPT)
def test_a_name_kept_otherwise_than_it_was_sent_is_not_made_twice(settings, service, kept):
    service.distort = lambda name, value: kept(value)
    enqueue("customers", "create", {"name": NAME}, settings=settings)
    service.lose = ["after"]
    assert push(settings).exit_code == 1
    assert service.count("create", "customers") == 1
    assert states(settings) == ["in_doubt"]
    assert change(settings, 1).reason.endswith(next(iter(service.records["customers"])))


def test_an_accent_kept_as_a_letter_of_its_own_is_no_other_name(settings, service):
    service.distort = lambda name, value: unicodedata.normalize("NFD", value)
    enqueue("customers", "create", {"name": NAME}, settings=settings)
    service.lose = ["after"]
    assert push(settings).exit_code == 0
    assert states(settings) == ["done"]


@pytest.mark.parametrize(
    ("kept", "state"), [(lambda text: text[:8], "in_doubt"), (str.upper, "done")]
)
def test_a_marker_that_the_service_cut_off_or_wrote_in_capitals(settings, service, kept, state):
    service.distort = lambda name, value: kept(value)
    body = {"name": "Ann", "comments": "Comes on Monday"}
    enqueue("customers", "create", body, marker=True, settings=settings)
    service.lose = ["after"]
    push(settings)
    assert service.count("create", "customers") == 1
    assert states(settings) == [state]


def test_a_time_shown_of_another_zone_is_not_made_twice(settings, service):
    moment = "25-Nov-2026 10:00:00"
    service.distort = lambda name, value: "2026-11-25 16:00:00" if name == "in_date" else value
    body = {"inDate": moment, "inNotes": "x", "userId": "7"}
    enqueue("timeClock", "create", body, settings=settings, check=False)
    service.lose = ["after"]
    push(settings)
    assert service.count("create", "timeClock") == 1
    assert states(settings) == ["in_doubt"]


def test_a_name_replaced_by_the_service_is_told_by_the_rest(settings, service):
    service.distort = lambda name, value: "Customer 17" if name == "name" else value
    body = {"name": NAME, "email": "jose@example.org", "city": "Xela"}
    enqueue("customers", "create", body, settings=settings)
    service.lose = ["after"]
    push(settings)
    assert states(settings) == ["in_doubt"]


def test_lost_ones_that_resemble_each_other_are_told_apart(settings, service):
    for number in range(3):
        body = {"name": f"Ann {number}", "email": f"{number}@example.org", "address": "1 Main St"}
        enqueue("customers", "create", body, settings=settings)
    service.lose = ["before", "after", "ok"]
    assert push(settings).exit_code == 0
    assert sorted(row["name"] for row in service.records["customers"].values()) == [
        "Ann 0",
        "Ann 1",
        "Ann 2",
    ]


@pytest.mark.parametrize("fault", ["after", "429 after", "409 after"])
def test_a_record_shown_after_a_minute_and_a_half_is_not_made_twice(tmp_path, service, fault):
    settings = settings_for(tmp_path, service.base_url, settle_minutes=3)
    service.late = 1.5 * MINUTE
    service.put("customers", name="Bob")
    enqueue("customers", "create", [{"name": "Cid"}, {"name": "Ann"}], settings=settings)
    service.lose = ["ok", fault]
    if push(settings).exit_code:  # no push waits for a 409 longer than for what was made before
        assert fault == "409 after", change(settings, 2).reason
        time.sleep(service.late)
        assert push(settings).exit_code == 0
    assert service.count("create", "customers") == 2


def test_a_list_that_lacks_what_was_made_a_moment_ago_is_waited_for(tmp_path, service):
    settings = settings_for(tmp_path, service.base_url, minute_seconds=0.05, settle_minutes=3)
    service.late, service.delay = 0.14, 0.05
    service.put("brands", name="Bob")
    enqueue("brands", "create", [{"name": f"Ann {n}"} for n in range(5)], settings=settings)
    service.lose = ["before"]
    assert push(settings).exit_code == 0, change(settings, 1).reason
    assert service.count("create", "brands") == 5


def test_a_list_without_what_we_made_before_proves_nothing(settings, service):
    service.late = 60 * MINUTE
    service.put("customers", name="Bob")
    for name in ("Ann", "Cid"):
        enqueue("customers", "create", {"name": name}, settings=settings)
    service.lose = ["ok", "after"]
    assert push(settings).exit_code == 1
    assert states(settings) == ["done", "in_doubt"]
    assert "does not show customers-1002 of ours yet" in change(settings, 2).reason
    service.late = 0
    assert push(settings).exit_code == 0
    assert service.count("create", "customers") == 2


def test_one_refused_when_it_is_sent_again_may_be_there(settings, service):
    service.late = 60 * MINUTE
    service.put("brands", name="Bob")
    enqueue("brands", "create", {"name": "Ann"}, settings=settings)
    service.lose = ["after", "refuse"]
    assert push(settings).exit_code == 1
    assert states(settings) == ["in_doubt"]
    assert "sent again, the service said" in change(settings, 1).reason
    service.late = 0
    push(settings)
    assert states(settings) == ["done"]


def test_a_delete_is_not_proved_by_paths_that_show_no_record(settings, service):
    record, _ = (service.put("brands", name=name) for name in ("Acme", "Bolt"))
    for _ in range(60):
        service.put("brands", name="newer")
    service.has_details = False
    enqueue("brands", "delete", record_id=record, settings=settings)
    service.lose = ["before"]
    assert push(settings).exit_code == 1
    assert states(settings) == ["in_doubt"]


@pytest.mark.parametrize("kept", [True, "listed"])
@pytest.mark.parametrize("fault", ["ok", "after"])
def test_a_record_that_says_it_was_deleted_is_gone(settings, service, fault, kept):
    record, _ = (service.put("brands", name=name) for name in ("Acme", "Bolt"))
    service.keeps_deleted = kept
    enqueue("brands", "delete", record_id=record, settings=settings)
    service.lose = [fault]
    assert push(settings).exit_code == 0
    assert service.count("delete", "brands") == 1
