"""Months of a machine that is switched on and off: never twice for a night, never none for long."""

import threading
from datetime import UTC, datetime, timedelta
from datetime import time as wall
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.monitor.notify import Incidents
from schedules.children import Ended
from schedules.runner import Runner
from schedules.scheduler import Agenda, run_once
from schedules.settings import ScheduleSettings
from schedules.triggers import DailyAt
from tests.schedules.conftest import Clock, job

ZONES = ("UTC", "Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "Africa/Cairo")


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(ZONES),
    st.integers(0, 23),
    st.lists(st.sampled_from((0.1, 0.9, 5.0, 12.0, 23.5, 24.0, 25.0, 80.0)), max_size=40),
)
def test_each_night_at_most_once(zone, hour, hours_off):
    clock = Clock(datetime(2026, 3, 20, 12, tzinfo=UTC))
    trigger = DailyAt(wall(hour, 30), ZoneInfo(zone))
    ran: list[datetime] = []
    with TemporaryDirectory() as folder:
        runner = Runner(
            Path(folder), ScheduleSettings(), Incidents(Path(folder)),
            stop=threading.Event(), tell=lambda line: None, now=clock,
        )  # fmt: skip

        def child(one, command, seconds):
            ran.append(trigger.latest(clock()))
            return Ended((0, 1, 3)[len(ran) % 3], "ended", "")

        runner._child = child  # type: ignore[method-assign,assignment]
        agenda = Agenda([job(trigger=trigger)], runner)
        agenda.note()
        known = clock()
        for off in hours_off:
            before = len(ran)
            clock.moment += timedelta(hours=off)
            run_once(agenda)
            run_once(agenda)  # cron calls again before anything new is due
            is_new = trigger.latest(clock()) > known
            assert len(ran) - before == int(is_new)
            known = clock()
    assert ran == sorted(set(ran))
