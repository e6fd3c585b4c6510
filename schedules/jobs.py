"""The table of jobs: what a shop needs run for it, when, and how long it may take.

A job is one row of :data:`JOBS`. Its commands are command lines of ``shopmirror``, run in child
processes: a job that hangs can then be ended, and the scheduler's memory stays small. Shops in
several time zones get a sync (and a report after it) for each zone, ``sync:America/Lima``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from schedules.settings import AFTER_SYNC, ScheduleSettings, wall_time
from schedules.triggers import DailyAt, EveryMinutes
from sources.repair_shop.settings import SECTION, WEEKDAYS, Settings, ShopSettings, read_section

NOON = 12


@dataclass(frozen=True, slots=True)
class Command:
    """One child process: arguments of ``shopmirror`` and variables added to its environment."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table.

    ``lane`` jobs of one lane never run at the same time; ``at``, ``limit`` and ``on`` name
    settings of ``[schedule]``; ``commands`` gets the shops, whether they are all there are, the
    day the run is about and the settings. Exit codes in ``quiet`` are no incident of this job.
    """

    name: str
    summary: str
    lane: str
    at: str
    limit: str
    commands: Callable[[Sequence[ShopSettings], bool, date, ScheduleSettings], list[Command]]
    on: str = ""
    by_zone: bool = False
    quiet: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PlannedJob:
    """A job with its times: what the scheduler runs. ``trigger`` None: after ``follows`` ended."""

    name: str
    summary: str
    lane: str
    trigger: DailyAt | EveryMinutes | None
    limit: timedelta
    zone: ZoneInfo
    build: Callable[[date], list[Command]]
    follows: str = ""
    quiet: frozenset[int] = frozenset()

    @property
    def waits_its_turn(self) -> bool:
        """Whether it tries again when another process holds the home (exit code 4).

        A nightly sync must not be lost to one started by hand; a push comes again by itself.
        """
        return self.lane == "warehouse"

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


def _each(shops: Sequence[ShopSettings], all_of_them: bool, *words: str) -> list[Command]:
    if all_of_them:
        return [Command(words)]
    return [Command((*words, "--shop", shop.name)) for shop in shops]


def _sync(
    shops: Sequence[ShopSettings], every: bool, day: date, schedule: ScheduleSettings
) -> list[Command]:
    return _each(shops, every, "sync", "--json")


def _report(
    shops: Sequence[ShopSettings], every: bool, day: date, schedule: ScheduleSettings
) -> list[Command]:
    send = ("--send",) if schedule.report_send else ()
    return _each(shops, every, "report", "--day", day.isoformat(), *send)


def _push(
    shops: Sequence[ShopSettings], every: bool, day: date, schedule: ScheduleSettings
) -> list[Command]:
    return [Command(("push", "--json"))]


def _audit(
    shops: Sequence[ShopSettings], every: bool, day: date, schedule: ScheduleSettings
) -> list[Command]:
    return [
        Command(("sync", "--json"), _audit_variables(shops, schedule.audit_requests)),
        Command(("reconcile", "--repair", "--json")),
    ]


def _audit_variables(shops: Sequence[ShopSettings], requests: int) -> dict[str, str]:
    """A sync with a larger share for old slices, also for shops that set their own."""
    prefix = "__".join(SECTION).upper()
    named = read_section(*SECTION).get("shops")
    found = {f"{prefix}__AUDIT_REQUESTS": str(requests)}
    if named:
        for shop in shops:
            found[f"{prefix}__SHOPS__{shop.name.upper()}__AUDIT_REQUESTS"] = str(requests)
    return found


def _housekeeping(
    shops: Sequence[ShopSettings], every: bool, day: date, schedule: ScheduleSettings
) -> list[Command]:
    return [Command(("schedule", "--housekeeping"))]


JOBS: tuple[Row, ...] = (
    Row("sync", "nightly sync after closing", "warehouse", "sync_at", "sync_limit_minutes", _sync,
        by_zone=True),
    Row("push", "send queued changes", "push", "push_every_minutes", "push_limit_minutes", _push),
    Row("report", "the closing report", "report", "report_at", "report_limit_minutes", _report,
        # 1: the books do not agree. The sync before it has told that already.
        by_zone=True, quiet=frozenset({1})),
    Row("audit", "weekly: re-read old slices, compare every month", "warehouse", "audit_at",
        "audit_limit_minutes", _audit, on="audit_on"),
    Row("housekeeping", "drop what is past its retention", "housekeeping", "housekeeping_at",
        "housekeeping_limit_minutes", _housekeeping),
)  # fmt: skip
"""Every job there is."""


def planned_jobs(settings: Settings, schedule: ScheduleSettings) -> list[PlannedJob]:
    """The jobs that the settings switch on, each with its trigger."""
    zones: dict[str, list[ShopSettings]] = {}
    for shop in settings.shops:
        zones.setdefault(schedule.timezone or shop.timezone, []).append(shop)
    planned: list[PlannedJob] = []
    for row in JOBS:
        groups = zones if row.by_zone else {next(iter(zones)): list(settings.shops)}
        for zone, shops in groups.items():
            suffix = f":{zone}" if row.by_zone and len(zones) > 1 else ""
            job = _planned(row, schedule, ZoneInfo(zone), shops, len(shops) == len(settings.shops),
                           suffix)  # fmt: skip
            if job is not None:
                planned.append(job)
    names = {job.name for job in planned}
    return [job for job in planned if not job.follows or job.follows in names]


def _planned(
    row: Row,
    schedule: ScheduleSettings,
    zone: ZoneInfo,
    shops: Sequence[ShopSettings],
    every: bool,
    suffix: str,
) -> PlannedJob | None:
    at = getattr(schedule, row.at)
    weekday = getattr(schedule, row.on) if row.on else None
    if at in ("off", 0) or weekday == "off":
        return None
    trigger: DailyAt | EveryMinutes | None
    if at == AFTER_SYNC:
        trigger = None
    elif isinstance(at, int):
        trigger = EveryMinutes(at)
    else:
        day = None if weekday is None else WEEKDAYS.index(weekday)
        trigger = DailyAt(wall_time(at), zone, day)
    return PlannedJob(
        name=row.name + suffix,
        summary=row.summary,
        lane=row.lane,
        trigger=trigger,
        limit=timedelta(minutes=getattr(schedule, row.limit)),
        zone=zone,
        build=lambda day: row.commands(shops, every, day, schedule),
        follows="sync" + suffix if trigger is None else "",
        quiet=row.quiet,
    )


def child_environment(command: Command) -> dict[str, str]:
    """The environment of a child: ours, and what the command adds."""
    return {**os.environ, **command.environment}
