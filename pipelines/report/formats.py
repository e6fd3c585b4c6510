"""Figures as texts in the language at work, and texts for spreadsheets."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, tzinfo
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from typing import Any

from pipelines.language import MINUS, _, current, shown
from pipelines.report.trust import LOOKS, Trust

_SIGNS = "-=+@\uff1d\uff0b\uff0d\uff20"
_FORMULA = re.compile(f"^(?=[{_SIGNS}\t\r\n])|(?<=[;\t\r\n])(?=[{_SIGNS}])")
"""Where Excel and its like take a cell, or a part of it, for a formula; wide signs too."""
NONE = "\u2013"
"""Shown where there is no figure."""
_THIN = "\u202f"


def money(amount: Decimal | None, unit: str = "") -> str:
    """``1,234.50``; ``Q1,234.50`` where the language has a country."""
    return NONE if amount is None else current().money(amount, unit)


def whole(number: int) -> str:
    """``12,345``."""
    return current().number(number)


def change(now: Decimal | int, before: Decimal | int | None) -> Decimal | None:
    """How far ``now`` lies from ``before``, as a share; None where a share means nothing."""
    if before is None or before <= 0:
        return None
    return (Decimal(now) - before) / before


def share(value: Decimal | None, *, signed: bool = True) -> str:
    """A share as ``+12 %``."""
    if value is None:
        return NONE
    percent = int((value * 100).quantize(Decimal(1), rounding=ROUND_HALF_UP))
    sign = "+" if percent > 0 else MINUS if percent < 0 else "\u00b1"
    return f"{sign if signed else ''}{whole(abs(percent))}{_THIN}%"


def hours(value: float | None) -> str:
    """``1.5 h``, ``23 h``; opening hours, so never turned into days."""
    if value is None:
        return NONE
    text = whole(round(value)) if value >= 10 else current().number(Decimal(f"{value:.1f}"), 1)
    return f"{text}{_THIN}h"


def number(value: Decimal) -> str:
    """A quantity: as many places as it has, two at most."""
    exact = value.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP).normalize()
    return current().number(exact, max(0, -int(exact.as_tuple().exponent)))


def moment(value: datetime | None, zone: tzinfo) -> str:
    """``2026-11-20 22:41 -06:00``: the shop's clock, and which clock that is."""
    if value is None:
        return _("an unknown time")
    local = value.astimezone(zone)
    offset = local.strftime("%z")
    return f"{current().day(local)} {local:%H:%M} {offset[:3].replace('-', MINUS)}:{offset[3:]}"


def as_of(trust: Trust, zone: tzinfo) -> list[str]:
    """Sentences on how old the figures are, and on the PostgreSQL that was read, if it was one."""
    told = [_("Mirror as of {moment}.", moment=moment(trust.as_of, zone))]
    if trust.source:
        given = {"name": trust.source, "moment": moment(trust.given, zone)}
        told.append(_("Read from PostgreSQL '{name}', given there {moment}.", **given))
    return told


def cell(value: Any) -> Any:
    """A value for a table that may end in a spreadsheet: there a text is never a formula.

    Where Excel parts cells at semicolons, what follows one begins a cell of its own.
    """
    return _FORMULA.sub("'", value) if isinstance(value, str) else value


_WAYS: Mapping[str, Callable[[Any], str]] = {
    "count": whole,
    "minor": whole,
    "hours": hours,
    "number": number,
    "change": share,
    "share": partial(share, signed=False),
    "day": lambda value: current().day(value),
    "month": lambda value: current().month(value),
    "state": lambda state: shown(LOOKS[state].word),
}


def written(value: Any, kind: str, unit: str = "") -> str:
    """A cell of a table, of report or page, as text; ``kind`` says what it holds."""
    if kind == "money":
        return money(value, unit)
    return _WAYS.get(kind, shown)(value)
