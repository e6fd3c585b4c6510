"""``shopmirror schedule``: what a shop needs run by itself, in the foreground or from cron."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from pipelines.home import Home, HomeError, is_full
from pipelines.monitor import logs
from pipelines.monitor.notify import Incidents, NotifySettings
from pipelines.monitor.sender import NotSent
from pipelines.outbox import current_user
from pipelines.settings import (
    SECTION,
    Settings,
    SettingsError,
    home_folder,
    load_settings,
    settings_layers,
)
from schedules.clock import run_due, run_now, serve
from schedules.housekeeping import clear_out
from schedules.jobs import PlannedJob, planned_jobs
from schedules.runner import Runner
from schedules.settings import RetentionSettings, ScheduleSettings
from schedules.units import Place, crontab_line, install, systemd_unit, uninstall
from shopmirror.commands.config import sections
from shopmirror.consoles import CommandError, fault, for_programs, print_json, say, tell
from shopmirror.signals import stopping

Said = tuple[Settings, ScheduleSettings, NotifySettings]
_LOOKS_AGAIN = 60.0
"""Seconds after which a scheduler whose disk was full looks again."""


def schedule(
    once: Annotated[
        bool, typer.Option("--once", help="Run what is due now and end; for a crontab line.")
    ] = False,
    job: Annotated[
        str | None, typer.Option("--run", metavar="JOB", help="Run one job now and end.")
    ] = None,
    print_: Annotated[
        Literal["systemd", "crontab"] | None,
        typer.Option("--print", help="Print a service unit or a crontab line."),
    ] = None,
    housekeeping: Annotated[
        bool, typer.Option("--housekeeping", help="Drop what is past its retention and end.")
    ] = False,
    install: Annotated[
        bool, typer.Option("--install", help="Run it as a service of this account from now on.")
    ] = False,
    uninstall: Annotated[
        bool, typer.Option("--uninstall", help="End that service; mirror and settings stay.")
    ] = False,
) -> int:
    """Run the nightly sync, pushes, reports, audits and housekeeping at their times."""
    chosen = [once, job is not None, print_ is not None, housekeeping, install, uninstall]
    if sum(chosen) > 1:
        raise CommandError("Only one of these options at a time.")
    if print_ is not None:
        if print_ == "systemd" and os.geteuid() == 0:
            fault("The unit would run as root, who may do anything: name an account in User=.")
        for line in _unseen():
            fault(line)
        lines = systemd_unit(_place()) if print_ == "systemd" else crontab_line(_place())
        for_programs().write(lines)
        return 0
    if housekeeping:
        return _housekeeping()
    if install or uninstall:
        return _service(is_wanted=install)
    with stopping() as stop:
        if once or job is not None:
            with _runner(stop, _said()) as (jobs, runner):
                return run_due(jobs, runner) if job is None else _run_now(job, jobs, runner)
        return _serve_for_good(stop)


def _serve_for_good(stop: threading.Event) -> int:
    """Serve until asked to stop, by the settings as they are. A full disk is waited out: whoever
    starts services takes the exit code of what cannot be used for wrong settings, for good."""
    tell_once = cache(tell)

    @cache
    def alarm_once(told: str) -> None:
        tell(told)
        try:
            Incidents(said[0].home, said[2]).alarm(told)
        except NotSent as error:
            tell(str(error))

    while True:
        said = _said()
        try:
            with _runner(stop, said) as (jobs, runner):
                code = serve(jobs, runner, is_outdated=partial(_is_outdated, said, tell_once))
        except HomeError as error:
            if not is_full(error):
                raise
            alarm_once(f"{error} The scheduler goes on once there is room.")
            if stop.wait(_LOOKS_AGAIN):
                return 0
            continue
        if stop.is_set():
            return code
        tell("The settings have changed: planned anew.")


def _said() -> Said:
    return load_settings(), ScheduleSettings.load(), NotifySettings.load()


@contextmanager
def _runner(stop: threading.Event, said: Said) -> Iterator[tuple[list[PlannedJob], Runner]]:
    settings, times, notify = said
    secrets = [shop.api_key.get_secret_value() for shop in settings.shops]
    home = Home(settings.home)
    with home.guard(), logs.to_files(home.logs, "schedule", secrets):
        incidents = Incidents(home.path, notify, zone=settings.one_zone)
        runner = Runner(home.path, incidents, stop=stop, tell=tell)
        yield planned_jobs(settings, times), runner


def _is_outdated(said: Said, tell_once: Callable[[str], None]) -> bool:
    try:
        return _said() != said
    except SettingsError as error:
        tell_once(f"The settings have changed and cannot be used; the old times stay: {error}")
        return False


def _run_now(name: str, jobs: list[PlannedJob], runner: Runner) -> int:
    known = {job.name: job for job in jobs}
    if name not in known:
        raise CommandError(f"There is no job '{name}'. Planned: {', '.join(known)}.")
    return run_now(known[name], jobs, runner)


def _housekeeping() -> int:
    retention = RetentionSettings.load()
    home = Home(home_folder())
    with home.guard("Nothing that is needed was deleted"):
        cleared = clear_out(home.path, retention, datetime.now(UTC))
    told = (
        f"Deleted {cleared['logs']} log(s), {cleared['reports']} report(s), "
        f"{cleared['drafts']} left-over draft(s), {cleared['bytes'] / 1e6:.1f} MB."
    )
    print_json({"message": told, **cleared})
    return 0


def _service(*, is_wanted: bool) -> int:
    if is_wanted:
        _said()  # Wrong settings are told now, not by a service that ends at once.
    told = [*install(_place()), *_unseen()] if is_wanted else uninstall()
    for line in told:
        say(line)
    # What the system did not take is left to do.
    return int(any(line.startswith("To do") for line in told))


def _unseen() -> Iterator[str]:
    """What no service is told, since this shell's variables say it."""
    for path in (SECTION, ("destination",), *((name,) for name in sections())):
        if settings_layers(*path)[-1][1]:
            yield (
                f"To do: write what this shell's variables say of [{'.'.join(path)}] into .dlt/; "
                "a service does not get them."
            )
    ways = ("http_proxy", "https_proxy", "no_proxy", "ssl_cert_file")
    if found := sorted(name for name in os.environ if name.lower() in ways):
        yield (
            f"A service may not get this shell's {', '.join(found)}: name them in a file of "
            "~/.config/environment.d (cron: in the crontab, macOS: by 'launchctl setenv')."
        )


def _place() -> Place:
    # Not resolved: the link in a virtual environment is what makes it one.
    program = Path(sys.executable).absolute().parent / "shopmirror"
    return Place(program, Path.cwd(), home_folder().absolute(), current_user())
