"""Lines for those who let the system do it: a systemd unit, or one crontab line.

The unit runs ``shopmirror schedule`` as a service. The crontab line calls ``schedule --once`` every
few minutes, which runs what is due: cron itself knows neither the shop's time zone nor its clock
changes, and never makes up a run it slept through.
"""

import shlex
from dataclasses import dataclass
from pathlib import Path

from schedules.runner import STOP_SECONDS

_UNIT = Path(__file__).with_name("shopmirror.service").read_text(encoding="utf-8")
_CRONTAB = """\
# Runs what is due in the shop's own time zone, and makes up what was missed.
*/5 * * * * cd {folder} && SHOPMIRROR_HOME={home} \
{program} schedule --once >/dev/null 2>&1
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Where this installation is. ``folder`` is the one that holds ``.dlt``; paths absolute."""

    program: Path
    folder: Path
    home: Path
    user: str


class UnitError(Exception):
    """A path holds what a unit or crontab cannot say. Exit code 2."""

    exit_code = 2


def systemd_unit(place: Place) -> str:
    """The text of ``shopmirror.service``; :class:`UnitError` for a path systemd cannot run."""
    check(place)
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
    check(place)
    named = {name: _quoted(getattr(place, name)) for name in ("folder", "home", "program")}
    return _CRONTAB.format(**named)


def check(place: Place) -> None:
    """:class:`UnitError` for a path that no unit, crontab or property list can name."""
    for text in (place.program, place.folder, place.home, place.user):
        if not str(text).isprintable():
            raise UnitError(f"{str(text)!r} holds characters that no unit or crontab can name.")


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
