"""The query string of a request, read as the specification's parameters are."""

from collections.abc import Sequence
from datetime import date

from sandbox.errors import Refusal
from sandbox.values import BadValue, parse_bool, parse_day

Condition = tuple[str, list[object]]
"""SQL, and the values of its marks."""


class Query:
    """The query string of a request; a parameter may come several times, as ``x`` or ``x[]``."""

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in pairs:
            self._values.setdefault(name.removesuffix("[]"), []).append(value)

    def all(self, name: str) -> list[str]:
        """Every value that is not empty; empty is the default of every parameter."""
        return [value for value in self._values.get(name, []) if value.strip()]

    def one(self, name: str) -> str | None:
        """The last value, or None when it is missing or empty."""
        values = self.all(name)
        return values[-1].strip() if values else None

    def flag(self, name: str) -> bool:
        """A boolean parameter, false by default."""
        try:
            return parse_bool(self.one(name) or "0")
        except BadValue as error:
            raise Refusal(f"Parameter '{name}' {error}.") from error

    def number(self, name: str, default: int, least: int) -> int:
        """A whole number of at least ``least``."""
        given = self._values.get(name)
        if not given:
            return default
        text = given[-1].strip()
        # Digits beyond the largest page say nothing more, and Python refuses to read thousands.
        digits = text.lstrip("0")[:13] or "0"
        if not (text.isascii() and text.isdecimal()) or int(digits) < least:
            raise Refusal(f"Parameter '{name}' must be a number of {least} or more.")
        return int(digits)

    def day(self, name: str) -> date | None:
        """A day as dd-mmm-yyyy; None when it is not given."""
        text = self.one(name)
        try:
            return None if text is None else parse_day(text)
        except BadValue as error:
            raise Refusal(f"Parameter '{name}' {error}.") from error

    def days(self, name: str, column: str) -> list[Condition]:
        """What ``nameFrom`` and ``nameTo`` ask of a column with days."""
        given = ((">=", self.day(f"{name}From")), ("<=", self.day(f"{name}To")))
        return [(f"{column} {sign} ?", [day.isoformat()]) for sign, day in given if day]
