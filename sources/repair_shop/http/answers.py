"""The rows of an answer, out of whatever envelope this service uses (field notes, Shapes).

Anything that is no list or no object that we know raises, naming what was seen.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..errors import BadAnswer, NoRows, ValidationRefused

_COMMON_ENVELOPES = ("data", "items", "results", "records", "rows")
_MESSAGES = ("message", "msg", "detail")
_EXCERPT = 160


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """A proper answer. ``payload`` has amounts as Decimal; ``body`` is what came, for keeping."""

    path: str
    payload: Any
    status: int
    headers: Mapping[str, str]
    answered_at: datetime
    body: bytes

    def __repr__(self) -> str:
        return f"Answer({self.path!r}, {self.status}, {len(self.body)} bytes)"

    def rows(self) -> list[dict[str, Any]]:
        """The rows of a list endpoint; :class:`BadAnswer` when it is no list we know."""
        return rows_of(self.payload, self.path)

    def detail(self) -> dict[str, Any]:
        """The object of a detail endpoint; :class:`BadAnswer` when it is none."""
        return detail_of(self.payload, self.path)


def rows_of(payload: Any, path: str) -> list[dict[str, Any]]:
    """The rows of a list: bare, or enveloped (one level in another).

    ``path`` is the endpoint's, whose words an envelope may bear (``/ticketInvoices`` →
    ``ticketInvoices``, ``ticket_invoices``). :class:`BadAnswer` for anything else.
    """
    found = _unwrap(payload, path, deep=True)
    if found is None:
        kind, message = _instead_of_rows(payload, path)
        wanted = "where a list of rows was expected"
        raise kind.of_read(f"the service answered {describe(payload)} {wanted}", path, message)
    return found


def _instead_of_rows(payload: Any, path: str) -> tuple[type[BadAnswer], str]:
    """The error of a payload without rows: nothing at all, words in their place, or another."""
    nothing: tuple[Any, ...] = (None, {}, [{}])
    if payload in nothing:
        return NoRows, ""
    if not isinstance(payload, dict) or has_data(payload):
        return BadAnswer, ""
    bare = [name for name in _envelope_keys(payload, path) if payload[name] in nothing]
    if bare and len(payload) == 1:
        return NoRows, ""
    # Words alone, no data: a person's may stand in any other field.
    message = message_of(payload)
    if message is not None or bare:
        return ValidationRefused, short(message or describe(payload))
    return BadAnswer, ""


def detail_of(payload: Any, path: str) -> dict[str, Any]:
    """One object: itself, alone in a list, or in an envelope. :class:`BadAnswer` for the rest, and
    for one without a value."""
    if isinstance(payload, list) and len(payload) == 1 and isinstance(payload[0], dict):
        return payload[0]
    if isinstance(payload, dict) and payload:
        if "id" in payload:
            return payload
        for name in _envelope_keys(payload, path):
            inner = payload[name]
            if isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], dict):
                return inner[0]
            if isinstance(inner, dict) and inner:
                return inner
        if any(value not in (None, [], {}) for value in payload.values()):
            return payload
    raise BadAnswer.of_read(
        f"the service answered {describe(payload)} where one object was expected", path
    )


def describe(payload: Any) -> str:
    """The shape of a payload in a few words, without its data."""
    if isinstance(payload, dict):
        names = ", ".join(sorted(map(str, payload))[:8])
        return f"an object with the fields {names}" if names else "an empty object"
    if isinstance(payload, list):
        kinds = sorted({_kind_name(item) for item in payload})
        return f"a list of {', '.join(kinds)}" if kinds else "an empty list"
    return _kind_name(payload)


def _unwrap(payload: Any, path: str, *, deep: bool) -> list[dict[str, Any]] | None:
    if isinstance(payload, dict) and payload and all(name.isdecimal() for name in payload):
        # Some write a list that was filtered so, and others an error by its number.
        rows = list(payload.values())
        return rows if all(isinstance(row, dict) and "id" in row for row in rows) else None
    if isinstance(payload, list):
        is_rows = all(isinstance(row, dict) for row in payload) and payload != [{}]
        return payload if is_rows else None
    if not isinstance(payload, dict):
        return None
    found: list[dict[str, Any]] | None = None
    for name in _envelope_keys(payload, path):
        inner = payload[name]
        if isinstance(inner, list) or (deep and isinstance(inner, dict)):
            some = _unwrap(inner, path, deep=False)
            if some or (some is None and isinstance(inner, list)):
                return some  # and no empty list before it
            found = found if some is None else some
    return found


def _envelope_keys(payload: dict[str, Any], path: str) -> list[str]:
    """The fields that may hold the rows: those named like the endpoint first."""
    words = [word for word in path.split("/") if word]
    # /shipments/deleted may come as shipments_deleted.
    wanted = ["".join(words), *reversed(words), *_COMMON_ENVELOPES]
    by_name: dict[str, str] = {}
    for name in payload:
        by_name.setdefault(_plain(name), name)
    return [by_name[word] for word in dict.fromkeys(map(_plain, wanted)) if word in by_name]


def _plain(name: str) -> str:
    """A name without case, underscores and plural, so that all its spellings are one."""
    stem = re.sub(r"[^a-z0-9]", "", name.lower()).rstrip("es")
    return stem[:-1] + "i" if stem.endswith("y") else stem


def has_data(payload: dict[str, Any]) -> bool:
    """Whether any field holds an object or a list that is not empty."""
    return any(isinstance(value, dict | list) and value for value in payload.values())


def message_of(payload: dict[str, Any]) -> str | None:
    """The message of an answer, under the names that are usual for it."""
    named = (value for name, value in payload.items() if name.lower() in _MESSAGES)
    return next((value for value in named if isinstance(value, str)), None)


def short(text: str) -> str:
    """An excerpt, in one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _EXCERPT else flat[: _EXCERPT - 1] + "…"


def _kind_name(item: Any) -> str:
    names = {dict: "objects", list: "lists", str: "text", bool: "true/false", type(None): "null"}
    return names.get(type(item), "numbers")
