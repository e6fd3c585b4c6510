"""The table of jobs: what a shop needs run for it, when, and how long it may take.

A job is one row of :data:`JOBS`. Its commands are command lines of ``shopmirror``, run in child
processes: a job that hangs can then be ended, and the scheduler's memory stays small. Shops in
several time zones get a sync (and a report after it) for each zone, ``sync:America/Lima``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from functools import partial
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


@dataclass(frozen=True, slots=True)
class Asked:
    """What a job is about: the shops, whether they are all there are, the settings."""

    shops: Sequence[ShopSettings]
    every: bool
    schedule: ScheduleSettings

    def each(self, *words: str) -> list[Command]:
        """The command for all shops at once, or for each of some."""
        if self.every:
            return [Command(words)]
        return [Command((*words, "--shop", shop.name)) for shop in self.shops]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table.

    ``at`` and ``on`` name settings of ``[schedule]``; a run that takes longer than ``minutes`` is
    ended. Jobs of one ``lane`` (by default a job has its own) never run at the same time. Exit
    codes in ``quiet`` are no incident of this job.
    """

    name: str
    summary: str
    at: str
    minutes: int
    commands: Callable[[Asked, date], list[Command]]
    """For a day of business."""
    lane: str = ""
    on: str = ""
    by_zone: bool = False
    quiet: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """A job with its times: what the scheduler runs. ``times`` None: after ``follows`` ended.

    Jobs of one ``lane`` never run at the same time, in whatever process.
    """

    name: str
    summary: str
    lane: str
    times: Times | None
    limit: timedelta
    zone: ZoneInfo
    build: Callable[[date], list[Command]]
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
        return self.name.partition(" ")[0].partition("-")[0] == "sync"

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


def _report(run: Asked, day: date) -> list[Command]:
    send = ("--send",) if run.schedule.report_send else ()
    return run.each("report", "--day", day.isoformat(), *send)


def _audit(run: Asked, day: date) -> list[Command]:
    """A sync with a larger share for old slices, also for shops that set their own."""
    prefix, requests = "__".join(SECTION).upper(), str(run.schedule.audit_requests)
    variables = {f"{prefix}__AUDIT_REQUESTS": requests}
    if read_section(*SECTION).get("shops"):
        for shop in run.shops:
            variables[f"{prefix}__SHOPS__{shop.name.upper()}__AUDIT_REQUESTS"] = requests
    return [Command(("sync", "--json"), variables), Command(("reconcile", "--repair", "--json"))]


JOBS = (
    Row("sync", "nightly sync after closing", "sync_at", 720,
        lambda run, day: run.each("sync", "--json"), lane="warehouse", by_zone=True),
    Row("push", "send queued changes", "push_every_minutes", 60,
        lambda run, day: [Command(("push", "--json"))]),
    # 1: the books do not agree. The sync before it has told that already.
    Row("report", "the closing report", "report_at", 30, _report, by_zone=True,
        quiet=frozenset({1})),
    Row("audit", "weekly: re-read old slices, compare every month", "audit_at", 720, _audit,
        lane="warehouse", on="audit_on"),
    Row("housekeeping", "drop what is past its retention", "housekeeping_at", 30,
        lambda run, day: [Command(("schedule", "--housekeeping"))]),
)  # fmt: skip
"""Every job there is."""


def planned_jobs(settings: Settings, schedule: ScheduleSettings) -> list[PlannedJob]:
    """The jobs that the settings switch on, each with its times."""
    zones: dict[str, list[ShopSettings]] = {}
    for shop in settings.shops:
        zones.setdefault(schedule.timezone or shop.timezone, []).append(shop)
    planned: list[PlannedJob] = []
    for row in JOBS:
        at = getattr(schedule, row.at)
        weekday = getattr(schedule, row.on) if row.on else None
        if at in ("off", 0) or weekday == "off":
            continue
        groups = zones if row.by_zone else {next(iter(zones)): list(settings.shops)}
        for zone, shops in groups.items():
            suffix = f":{zone}" if row.by_zone and len(zones) > 1 else ""
            every = len(shops) == len(settings.shops)
            job = PlannedJob(
                name=row.name + suffix,
                summary=row.summary,
                lane=row.lane or row.name,
                times=_times(at, weekday, ZoneInfo(zone)),
                limit=timedelta(minutes=row.minutes),
                zone=ZoneInfo(zone),
                build=partial(row.commands, Asked(shops, every, schedule)),
                follows="sync" + suffix if at == AFTER_SYNC else "",
                quiet=row.quiet,
            )
            planned.append(job)
    names = {job.name for job in planned}
    return [job for job in planned if not job.follows or job.follows in names]


def _times(at: str | int, weekday: str | None, zone: ZoneInfo) -> Times | None:
    if isinstance(at, int):
        return Every(at)
    day = None if weekday is None else WEEKDAYS.index(weekday)
    return None if at == AFTER_SYNC else Daily(time.fromisoformat(at.zfill(5)), zone, day)
