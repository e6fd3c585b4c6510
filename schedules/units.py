"""For those who let the system do it: a systemd unit, one crontab line, ``schedule --install``.

The unit runs ``shopmirror schedule`` as a service. The crontab line calls ``schedule --once`` every
few minutes, which runs what is due: cron itself knows neither the shop's time zone nor its clock
changes, and never makes up a run it slept through.
"""

import os
import plistlib
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from schedules.runner import STOP_SECONDS

_UNIT = Path(__file__).with_name("shopmirror.service").read_text(encoding="utf-8")
_CRONTAB = """\
# Runs what is due in the shop's own time zone, and makes up what was missed.
*/5 * * * * cd {folder} && SHOPMIRROR_HOME={home} \
{program} schedule --once >/dev/null 2>&1
"""

_NAME = "shopmirror"
_LABEL = "shopmirror.schedule"
_RELOAD = ("systemctl", "--user", "daemon-reload")
_SECONDS = 60


class UnitError(Exception):
    """A path holds what a unit or crontab cannot say. Exit code 2."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Place:
    """Where this installation is. ``folder`` is the one that holds ``.dlt``; paths absolute.

    :class:`UnitError` for one that no unit, crontab or property list can name.
    """

    program: Path
    folder: Path
    home: Path
    user: str

    def __post_init__(self) -> None:
        for text in (self.program, self.folder, self.home, self.user):
            if not str(text).isprintable():
                raise UnitError(f"{str(text)!r} holds characters that no unit or crontab can name.")


def systemd_unit(place: Place) -> str:
    """The text of ``shopmirror.service``; :class:`UnitError` for a path systemd cannot run."""
    for path in (place.program, place.folder, place.home):
        if set(str(path)) & set("\"'\\"):
            raise UnitError(f"systemd takes no quotes or backslashes in a path: {path}")
    return _UNIT.format(
        user=_plain(place.user),
        folder=_plain(place.folder),
        variable=_word(f"SHOPMIRROR_HOME={place.home}"),
        program=_word(place.program),
        home=_word(place.home),
        seconds=STOP_SECONDS + 15,
    )


def systemd_user_unit(place: Place) -> str:
    """The same for the account's own systemd, which may fence less off and needs no root."""
    kept = [line for line in systemd_unit(place).splitlines() if not line.startswith(_ROOTS_ALONE)]
    text = "\n".join(kept) + "\n"
    return text.replace("multi-user.target", "default.target")


_ROOTS_ALONE = (
    "#", "User=", "Wants=", "After=", "CapabilityBoundingSet=", "Private", "Protect",
    "ReadWritePaths=", "RestrictNamespaces=",
)  # fmt: skip
"""Lines that an account's own systemd refuses or cannot carry out everywhere."""


def crontab_line(place: Place) -> str:
    """A comment and one line for ``crontab -e``."""
    named = {name: _quoted(getattr(place, name)) for name in ("folder", "home", "program")}
    return _CRONTAB.format(**named)


def _plain(value: object) -> str:
    """A value that systemd takes as it stands, except for its specifiers."""
    return str(value).replace("%", "%%")


def _word(value: object) -> str:
    """One word of a systemd command line, list or assignment."""
    text = _plain(value)
    return f'"{text}"' if set(text) & set(" ;") else text


def _quoted(value: object) -> str:
    """One word of a shell line in a crontab, where ``%`` would begin the input."""
    return shlex.quote(str(value)).replace("%", "\\%")


# -- a service of this account, by systemd or launchd ---------------------------------------------


def install(place: Place) -> list[str]:
    """Write the service's file and start it; what was done, and what is left to do, in words.

    :class:`UnitError` when a service of that name serves another folder, or a path cannot be said.
    """
    path = service_file()
    text = _plist(place) if _is_mac() else systemd_user_unit(place)
    if path.exists() and _folder(path.read_text("utf-8", errors="replace")) != _folder(text):
        raise UnitError(
            f"{path} serves another folder. 'shopmirror schedule --uninstall' ends that one."
        )
    # One that runs goes on by its old file, and launchd takes none twice.
    told = uninstall() if path.exists() else []
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    told.append(f"Written: {path}.")
    if _is_mac():
        return [*told, _run("launchctl", "bootstrap", f"gui/{os.getuid()}", str(path))]
    return [
        *told,
        _run(*_RELOAD),
        _run("systemctl", "--user", "enable", "--now", _NAME),
        "It runs while you are signed in. 'loginctl enable-linger' keeps it running after.",
    ]


def uninstall() -> list[str]:
    """End the service and remove its file; what was done, in words."""
    path = service_file()
    if not path.exists():
        return [f"There is no {path}; nothing was done."]
    if _is_mac():
        told = [_run("launchctl", "bootout", f"gui/{os.getuid()}/{_LABEL}")]
    else:
        told = [_run("systemctl", "--user", "disable", "--now", _NAME)]
    path.unlink()
    if not _is_mac():
        told.append(_run(*_RELOAD))
    return [*told, f"Removed: {path}. Mirror, queue and settings stay."]


def service_file() -> Path:
    """Where this account's services are described."""
    if _is_mac():
        return Path.home() / "Library" / "LaunchAgents" / f"{_LABEL}.plist"
    folder = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(folder) / "systemd" / "user" / f"{_NAME}.service"


def _folder(text: str) -> str:
    """The folder that a service's file names, as it is written there."""
    found = re.search(r"WorkingDirectory(?:=|</key>\s*<string>)([^\n<]*)", text)
    return found[1] if found else ""


def _is_mac() -> bool:
    return sys.platform == "darwin"


def _run(*words: str) -> str:
    """Run one command of the system; what came of it. A machine without it is told what to run."""
    line = " ".join(words)
    program = shutil.which(words[0])
    if program is None:
        return f"To do: {line} (there is no {words[0]} here)."
    try:
        done = subprocess.run(  # noqa: S603 - words of our own
            [program, *words[1:]], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"To do: {line} ({type(error).__name__})."
    if done.returncode:
        said = done.stderr.strip().splitlines()
        return f"To do: {line} ({said[-1] if said else f'exit code {done.returncode}'})."
    return f"Done: {line}."


def _plist(place: Place) -> str:
    described = {
        "Label": _LABEL,
        "ProgramArguments": [str(place.program), "schedule"],
        "WorkingDirectory": str(place.folder),
        "EnvironmentVariables": {"SHOPMIRROR_HOME": str(place.home)},
        "RunAtLoad": True,
        # Wrong settings (2) and another scheduler (4) are not mended by trying again each second.
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 60,
        "ExitTimeOut": STOP_SECONDS + 15,
        "Umask": 0o077,
    }
    return plistlib.dumps(described).decode()
