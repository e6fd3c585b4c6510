"""The table of jobs and its settings."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from pipelines.settings import Settings, SettingsError
from schedules.jobs import PlannedJob, business_day, planned_jobs
from schedules.settings import RetentionSettings, ScheduleSettings
from tests.homes import shop_of

pytestmark = pytest.mark.usefixtures("plain_folder")

DUE = datetime(2026, 11, 21, 4, 30, tzinfo=UTC)  # 22:30 of the 20th in Guatemala


def _settings(**zones: str) -> Settings:
    shops = tuple(shop_of(name, timezone=zone) for name, zone in zones.items())
    return Settings(home=Path("data"), shops=shops)


def _planned(settings: Settings, **values: object) -> dict[str, PlannedJob]:
    return {job.name: job for job in planned_jobs(settings, ScheduleSettings(**values))}


def test_one_shop_needs_five_jobs():
    jobs = _planned(_settings(main="America/Guatemala"))
    assert list(jobs) == ["sync", "push", "report", "audit", "housekeeping"]
    assert [c.arguments for c in jobs["sync"].commands(DUE)] == [("sync", "--json")]
    assert [c.arguments for c in jobs["report"].commands(DUE)] == [
        ("report", "--day", "2026-11-20")
    ]
    assert jobs["report"].follows == "sync"
    assert jobs["sync"].times is not None
    assert jobs["sync"].times.after(datetime(2026, 11, 20, 12, tzinfo=UTC)) == DUE


def test_the_audit_comes_once_a_week_and_never_beside_a_sync():
    jobs = _planned(_settings(main="America/Guatemala"))
    times, moment = jobs["audit"].times, DUE
    assert times is not None
    for day in (22, 29):
        moment = times.after(moment)
        assert moment == datetime(2026, 11, day, 10, tzinfo=UTC)  # 04:00 of a Sunday
    assert times.latest(moment - timedelta(hours=1)) == moment - timedelta(days=7)
    lanes = {name: job.lane for name, job in jobs.items()}
    assert lanes == {name: name for name in jobs} | {"sync": "warehouse", "audit": "warehouse"}


def test_a_report_at_a_time_of_its_own_follows_nothing_and_is_sent_if_asked():
    jobs = _planned(_settings(main="America/Guatemala"), report_at="06:00", report_send=True)
    assert (jobs["report"].follows, jobs["report"].times is None) == ("", False)
    assert jobs["report"].commands(DUE)[0].arguments[-1] == "--send"


def test_every_command_of_the_table_is_one_of_ours():
    from typer.main import get_command

    from shopmirror.main import app

    group: Any = get_command(app)
    jobs = _planned(_settings(main="UTC", north="America/Lima"), report_send=True)
    for job in jobs.values():
        for command in job.commands(DUE):
            name, *options = command.arguments
            taken = {o for p in group.get_command(None, name).params for o in p.opts}
            assert {o for o in options if o.startswith("--")} <= taken, command.arguments


def test_shops_in_several_zones_close_at_their_own_time():
    jobs = _planned(_settings(lima="America/Lima", quito="America/Guayaquil", oslo="Europe/Oslo"))
    syncs = {name: job for name, job in jobs.items() if name.startswith("sync")}
    assert set(syncs) == {"sync:America/Lima", "sync:America/Guayaquil", "sync:Europe/Oslo"}
    assert syncs["sync:Europe/Oslo"].commands(DUE)[0].arguments[-2:] == ("--shop", "oslo")
    assert jobs["report:Europe/Oslo"].follows == "sync:Europe/Oslo"


def test_a_zone_of_the_schedule_brings_all_shops_together():
    jobs = _planned(_settings(lima="America/Lima", oslo="Europe/Oslo"), timezone="UTC")
    assert jobs["sync"].commands(DUE)[0].arguments == ("sync", "--json")


def test_off_means_off():
    jobs = _planned(
        _settings(main="UTC"),
        sync_at="off", push_every_minutes=0, audit_on="off", housekeeping_at="off",
    )  # fmt: skip
    assert jobs == {}  # the report followed a sync that is off


def test_a_run_before_noon_is_about_the_day_before():
    zone = ZoneInfo("America/Guatemala")
    assert business_day(DUE, zone) == date(2026, 11, 20)
    assert business_day(datetime(2026, 11, 21, 8, 0, tzinfo=UTC), zone) == date(2026, 11, 20)


def test_the_audit_raises_every_shops_share(monkeypatch):
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__SHOPS__NORTH__API_KEY", "key-of-north")
    first = _planned(_settings(north="UTC"), audit_requests=700)["audit"].commands(DUE)[0]
    assert first.environment["SOURCES__REPAIR_SHOP__AUDIT_REQUESTS"] == "700"
    assert first.environment["SOURCES__REPAIR_SHOP__SHOPS__NORTH__AUDIT_REQUESTS"] == "700"


def test_an_unnamed_shop_is_not_given_a_name_by_the_audit():
    first = _planned(_settings(main="UTC"))["audit"].commands(DUE)[0]
    assert list(first.environment) == ["SOURCES__REPAIR_SHOP__AUDIT_REQUESTS"]


def test_settings_come_from_files_and_environment(tmp_path, monkeypatch):
    (tmp_path / ".dlt").mkdir()
    (tmp_path / ".dlt/config.toml").write_text(
        '[schedule]\nsync_at = 23:15:00\naudit_on = "Sunday"\n[retention]\nlogs_days = 3\n'
    )
    monkeypatch.setenv("SCHEDULE__PUSH_EVERY_MINUTES", "2")
    schedule = ScheduleSettings.load()
    assert (schedule.sync_at, schedule.push_every_minutes, schedule.audit_on) == ("23:15", 2, "sun")
    assert RetentionSettings.load().logs_days == 3


@pytest.mark.parametrize(
    ("name", "value"),
    [("PUSH_EVERY_MINUTES", "inf"), ("AUDIT_REQUESTS", "nan"), ("SYNC_AT", ""), ("REPORT_AT", " ")],
)
def test_no_end_and_no_time_are_refused(plain_folder, monkeypatch, name, value):
    """A variable that is there and empty is no word for never: nights would end in silence."""
    monkeypatch.setenv(f"SCHEDULE__{name}", value)
    with pytest.raises(SettingsError, match=name.lower()):
        ScheduleSettings.load()
