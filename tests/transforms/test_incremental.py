"""Builds of what changed alone are equal to whole ones, and happen only where that is known."""

import itertools
from datetime import UTC, datetime, timedelta, tzinfo

import pytest

from pipelines.monitor import logs
from pipelines.transform import incremental, models, runner
from pipelines.transform.models import build, statements
from tests.transforms.changes import Nights, differences, kept_alone
from tests.transforms.raw import Raw


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Where a build of what changed is taken for worth it whatever the size."""
    monkeypatch.setattr(incremental, "LEAST_LINES", 0)
    monkeypatch.setattr(runner, "LARGE", 0)
    return tmp_path


def test_nights_of_random_changes_are_equal_to_whole_builds(home):
    """`python -m bench.changes` does the same for as many nights as one likes."""
    raw = Raw(home / "a.duckdb", main="America/Guatemala", other="Europe/Berlin")
    nights = Nights(raw, seed=3)
    nights.night(80)
    with kept_alone():
        build(raw.path, home=home, shops=[])
        for day in range(2):
            nights.night(30)
            assert differences(raw.path, home, day) == []


def test_a_build_is_whole_wherever_it_is_not_known_what_changed(home, monkeypatch):
    raw = Raw(home / "a.duckdb")

    def is_whole():
        raw.add("ticket_invoices", "i1", _dlt_load_id=str(next(loads)))
        build(raw.path, home=home, shops=[])
        ((changed,),) = raw.execute("select count(*) from intermediate.int_changed_records")
        raw.execute("delete from raw.ticket_invoices")
        return not changed

    loads = itertools.count()
    kept = statements(raw.path, home=home)
    told = [node for node in kept if node.name == "int_changed_records"]
    monkeypatch.setattr(models, "statements", lambda *_, **__: told)  # enough to tell them apart
    assert is_whole()  # the first
    assert not is_whole()
    raw.execute("update ops.shops set timezone = 'Europe/Berlin'")
    assert is_whole()
    assert not is_whole()
    raw.execute("delete from ops.meta where name = 'built_of'")  # a build that was cut off
    assert is_whole()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(incremental, "LEAST_LINES", 1)
        assert is_whole()
    assert is_whole()  # what the one before built is not known
    raw.execute(
        "update ops.meta set value = '2026-01-01T00:00:00+00:00' where name = 'built_whole_at'"
    )
    assert is_whole()  # a week has gone by


def test_the_weekly_whole_build_tells_what_nights_built_otherwise(home):
    raw = Raw(home / "a.duckdb")
    raw.add("ticket_invoices", "i1", amount_total=5)
    with kept_alone():
        build(raw.path, home=home, shops=[])
        raw.execute("update marts.documents set gross = 6")
        assert build(raw.path, home=home, shops=[]).findings == {}
        raw.execute(
            "update ops.meta set value = '2026-01-01T00:00:00+00:00' where name = 'built_whole_at'"
        )
        with logs.to_files(home / "logs", "sync"):
            assert build(raw.path, home=home, shops=[]).findings == {incremental.DIFFERS: 2}
    (log,) = (home / "logs").iterdir()
    assert "marts.documents held" in log.read_text()
    assert raw.execute("select gross from marts.documents") == [(5,)]


def test_a_midnight_between_the_two_builds_of_a_week_is_no_difference(home, monkeypatch):
    raw = Raw(home / "a.duckdb")
    raw.add("tickets", "t1", created_date="2026-06-01")  # a day older each day
    days = itertools.count()

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:
            return cls(2026, 7, 1, 12, tzinfo=tz) + timedelta(days=next(days))

    monkeypatch.setattr(models, "datetime", Clock)
    monkeypatch.setattr(runner, "datetime", Clock)
    with kept_alone():
        build(raw.path, home=home, shops=[])
        raw.execute("delete from ops.meta where name = 'built_whole_at'")
        assert build(raw.path, home=home, shops=[]).findings == {}
    assert raw.execute("select age_days from marts.tickets") == [(31,)]


def test_what_a_night_cannot_build_of_changes_is_built_whole(home, caplog):
    raw = Raw(home / "a.duckdb")
    raw.add("ticket_invoices", "i1", amount_total=5)
    with kept_alone():
        build(raw.path, home=home, shops=[])
        for harm in ("alter table marts.payments drop column note", "drop table marts.payments"):
            raw.execute(harm)
            run = build(raw.path, home=home, shops=[])
            assert run.findings == {incremental.DIFFERS: 1}
            assert "payments" in caplog.messages[-1]
            assert raw.execute("select gross from marts.documents") == [(5,)]


def test_tickets_change_with_what_was_theirs_and_with_an_earlier_visit(home):
    """What random nights seldom meet: a comment moves, an earlier visit ended earlier, and the
    calendar comes to a day that a typing error dated far ahead."""
    raw = Raw(home / "a.duckdb")
    raw.add("statuses", "Collected", label="Collected")
    for ticket, customer, day in (
        ("a", "c1", 1),
        ("b", "c2", 1),
        ("c", "c3", 1),
        ("d", "c3", 9),
        ("e", "c4", 1),
    ):
        raw.add(
            "tickets",
            ticket,
            status__id="Collected",
            status__label="Collected",
            customer__id=customer,
            device="x",
            created_date=f"2026-06-0{day}",
            last_updated="2026-06-20",  # one that is not done is built each night
        )
    raw.add("ticket_invoices", "i1", ticket__id="c", created_date="2026-06-02")
    ahead = datetime.now(UTC) + timedelta(days=80)
    raw.add("ticket_invoices", "i2", ticket__id="e", created_date=ahead.isoformat())
    raw.add("ticket_comments", "k1", ticket__id="a", created_date="2026-06-02")
    with kept_alone():
        build(raw.path, home=home, shops=[])
        raw.execute("update raw.ticket_comments set ticket__id = 'b', _dlt_load_id = '2'")
        raw.execute(
            "update raw.ticket_invoices set created_date = '2026-04-02', _dlt_load_id = '2' "
            "where id = 'i1'"
        )
        assert differences(raw.path, home, days=40) == []
    assert raw.execute("select id, comments, is_comeback from marts.tickets order by id") == [
        ("a", 0, False),
        ("b", 1, False),
        ("c", 0, False),
        ("d", 0, False),
        ("e", 0, False),
    ]
    assert raw.execute("select count(*) from intermediate.int_changed_records") == [(2,)]
