"""The table of jobs: what a shop needs run for it, when, and how long it may take.

A job's commands are command lines of ``shopmirror``, run in child processes: a job that hangs can
then be ended, and the scheduler's memory stays small. Shops in several time zones get a sync (and a
report after it) for each zone, ``sync:America/Lima``.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from pipelines.settings import SECTION, WEEKDAYS, Settings, ShopSettings, read_section
from schedules.settings import AFTER_SYNC, ScheduleSettings
from schedules.times import Daily, Every, Times

NOON = 12


@dataclass(frozen=True, slots=True)
class Command:
    """One child process: arguments of ``shopmirror`` and variables added to its environment."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


Build = Callable[[date], list[Command]]
"""A day of business -> the command lines about it."""


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """A job with its times: what the scheduler runs. ``times`` None: after ``follows`` ended.

    Jobs of one ``lane`` never run at the same time, in whatever process. A run that takes longer
    than ``limit`` is ended. Exit codes in ``quiet`` are no incident of this job where it came to
    its end.
    """

    name: str
    summary: str
    lane: str
    times: Times | None
    limit: timedelta
    zone: ZoneInfo
    build: Build
    follows: str = ""
    quiet: frozenset[int] = frozenset()

    @property
    def waits_its_turn(self) -> bool:
        """Whether it stays due while a sync that somebody started by hand holds the home.

        A nightly sync must not be lost to that one; a push comes again by itself.
        """
        return self.lane == "warehouse"

    @property
    def is_night(self) -> bool:
        """Whether it is a nightly sync, after which the heartbeat's address is called."""
        return self.name.partition(":")[0] == "sync"

    def commands(self, due: datetime) -> list[Command]:
        """The command lines of the run that was due at a moment."""
        return self.build(business_day(due, self.zone))


def business_day(due: datetime, zone: ZoneInfo) -> date:
    """The shop's day a run is about: a run due before noon closes the day before.

    Taken from when the run was due, not from when it runs: a report made up the next morning is
    still that of the evening it was missed.
    """
    local = due.astimezone(zone)
    return local.date() - timedelta(days=1 if local.hour < NOON else 0)


def planned_jobs(settings: Settings, schedule: ScheduleSettings) -> list[PlannedJob]:
    """The jobs that the settings switch on, each with its times and the longest it may take."""
    zones: dict[str, list[ShopSettings]] = {}
    for shop in settings.shops:
        zones.setdefault(schedule.timezone or shop.timezone, []).append(shop)
    planned: list[PlannedJob] = []

    def plan(
        name: str, summary: str, at: str | int, minutes: int, commands: Build, *,
        zone: str = "", lane: str = "", weekday: str | None = None, quiet: Iterable[int] = (),
    ) -> None:  # fmt: skip
        if at in ("off", 0) or weekday == "off":
            return
        suffix = f":{zone}" if zone and len(zones) > 1 else ""
        where = ZoneInfo(zone or next(iter(zones)))

        def build(day: date) -> list[Command]:
            if not suffix:
                return commands(day)
            return [
                Command((*one.arguments, "--shop", shop.name))
                for one in commands(day)
                for shop in zones[zone]
            ]

        planned.append(
            PlannedJob(
                name + suffix, summary, lane or name, _times(at, weekday, where),
                timedelta(minutes=minutes), where, build,
                "sync" + suffix if at == AFTER_SYNC else "", frozenset(quiet),
            )
        )  # fmt: skip

    for zone in zones:
        plan("sync", "nightly sync after closing", schedule.sync_at, 720,
             lambda day: [Command(("sync", "--json"))], zone=zone, lane="warehouse")  # fmt: skip
    plan("push", "send queued changes", schedule.push_every_minutes, 60,
         lambda day: [Command(("push", "--json"))])  # fmt: skip
    send = ("--send",) if schedule.report_send else ()
    for zone in zones:
        # 1: the books do not agree. The sync before it has told that already.
        plan("report", "the closing report", schedule.report_at, 30,
             lambda day: [Command(("report", "--day", day.isoformat(), *send))],
             zone=zone, quiet=(1,))  # fmt: skip
    # A sync with a larger share for old slices, also for shops that set their own.
    prefix, requests = "__".join(SECTION).upper(), str(schedule.audit_requests)
    named = settings.shops if read_section(*SECTION).get("shops") else ()
    share = {f"{prefix}__AUDIT_REQUESTS": requests} | {
        f"{prefix}__SHOPS__{shop.name.upper()}__AUDIT_REQUESTS": requests for shop in named
    }
    audit = [Command(("sync", "--json"), share), Command(("reconcile", "--repair", "--json"))]
    plan("audit", "weekly: re-read old slices, compare every month", schedule.audit_at, 720,
         lambda day: audit, lane="warehouse", weekday=schedule.audit_on)  # fmt: skip
    plan("housekeeping", "drop what is past its retention", schedule.housekeeping_at, 30,
         lambda day: [Command(("schedule", "--housekeeping"))])  # fmt: skip
    names = {job.name for job in planned}
    return [job for job in planned if not job.follows or job.follows in names]


def _times(at: str | int, weekday: str | None, zone: ZoneInfo) -> Times | None:
    if isinstance(at, int):
        return Every(at)
    day = None if weekday is None else WEEKDAYS.index(weekday)
    return None if at == AFTER_SYNC else Daily(time.fromisoformat(at.zfill(5)), zone, day)
