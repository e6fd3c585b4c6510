"""``schedule --install``: the scheduler as a service of this account, by systemd or launchd."""

import os
import plistlib
import shutil
import subprocess
import sys
from pathlib import Path

from schedules.units import Place, UnitError, check, systemd_user_unit

_NAME = "shopmirror"
_LABEL = "shopmirror.schedule"
_RELOAD = ("systemctl", "--user", "daemon-reload")
_SECONDS = 60


def install(place: Place) -> list[str]:
    """Write the service's file and start it; what was done, and what is left to do, in words.

    :class:`UnitError` when a service of that name serves another folder, or a path cannot be said.
    """
    path = service_file()
    text = _plist(place) if _is_mac() else systemd_user_unit(place)
    if path.exists() and str(place.folder) not in path.read_text("utf-8", errors="replace"):
        raise UnitError(
            f"{path} serves another folder. 'shopmirror schedule --uninstall' ends that one."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    told = [f"Written: {path}."]
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
    check(place)
    described = {
        "Label": _LABEL,
        "ProgramArguments": [str(place.program), "schedule"],
        "WorkingDirectory": str(place.folder),
        "EnvironmentVariables": {"SHOPMIRROR_HOME": str(place.home)},
        "RunAtLoad": True,
        # Wrong settings (2) and another scheduler (4) are not mended by trying again each second.
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 60,
        "Umask": 0o077,
    }
    return plistlib.dumps(described).decode()
