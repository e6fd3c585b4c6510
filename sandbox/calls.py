"""What a handler gets and gives: one request of a shop, and its answer or refusal."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from sandbox.quirks import Quirks
from sandbox.store import ShopStore
from sandbox.values import BadValue, parse_bool, parse_day

Condition = tuple[str, list[Any]]
"""SQL, and the values of its marks."""
T = TypeVar("T")


class Refusal(Exception):
    """Raised by all that works on a request: an answer with the error body; README has statuses."""

    def __init__(
        self, message: str, status: int = 400, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.headers = status, headers or {}


class Query:
    """The query string of a request; a parameter may come several times, as ``x`` or ``x[]``."""

    def __init__(self, text: str) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in parse_qsl(text, keep_blank_values=True):
            self._values.setdefault(name.removesuffix("[]"), []).append(value)

    def all(self, name: str) -> list[str]:
        """Every value that is not empty; empty is the default of every parameter."""
        return [value for value in self._values.get(name, []) if value.strip()]

    def one(self, name: str) -> str | None:
        """The last value, or None when it is missing or empty."""
        values = self.all(name)
        return values[-1].strip() if values else None

    def read(self, name: str, reader: Callable[[str], T]) -> T | None:
        """The value as it is read; None when it is missing or empty."""
        text = self.one(name)
        try:
            return None if text is None else reader(text)
        except BadValue as error:
            raise Refusal(f"Parameter '{name}' {error}.") from error

    def flag(self, name: str) -> bool:
        """A boolean parameter, false by default."""
        return bool(self.read(name, parse_bool))

    def number(self, name: str, default: int, least: int) -> int:
        """A whole number of at least ``least``; an empty one is none."""
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
        return self.read(name, parse_day)

    def days(self, name: str, column: str) -> list[Condition]:
        """What ``nameFrom`` and ``nameTo`` ask of a column with days."""
        given = ((">=", self.day(f"{name}From")), ("<=", self.day(f"{name}To")))
        return [(f"{column} {sign} ?", [day.isoformat()]) for sign, day in given if day]


@dataclass(frozen=True)
class Call:
    """One request, as a handler sees it."""

    store: ShopStore
    quirks: Quirks
    query: Query
    path: Mapping[str, str]
    body: bytes = b""
    content_type: str = ""


@dataclass(frozen=True)
class Answer:
    """What a handler answers; ``content`` None is no content at all."""

    content: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Call], Answer]


def found(store: ShopStore, resource: str, record_id: str) -> dict[str, Any]:
    """Give a record, or refuse with 404."""
    record = store.get(resource, record_id)
    if record is None:
        raise Refusal("The record was not found. Please check the id.", 404)
    return record
