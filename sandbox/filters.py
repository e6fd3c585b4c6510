"""Query parameters of the lists, and how each narrows a list down, as SQL conditions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from sandbox.errors import Refusal
from sandbox.resources import RESOURCES
from sandbox.store import ShopStore
from sandbox.values import BadValue, parse_bool, parse_day

Condition = tuple[str, list[object]]
Kind = Literal[
    "contains",  # free text, found anywhere in one of the fields, in any case
    "equals",  # identifiers and codes: the whole value
    "choice",  # one of a fixed list of values
    "flag",  # boolean
    "from",  # first day, inclusive
    "to",  # last day, inclusive
    "label",  # an id, or an exact label of another list
    "ids",  # one id or a list of them
    "condition",  # EQUAL or NOT-EQUAL, of the parameter it is named after
    "number",  # numeric, of a fixed field
]

_IN_COMMENTS = (
    "id IN (SELECT c.ticket_id FROM r_ticket_comments AS c "
    "WHERE c.shop = r_tickets.shop AND has(json_extract(c.doc, '$.comment'), ?))"
)
_COLUMNS_SHARED = frozenset({"id", "created_day", "updated_day"})


@dataclass(frozen=True)
class Filter:
    """One query parameter of a list.

    Attributes:
        name: the parameter, as the specification spells it.
        kind: how its value is read and compared.
        paths: fields of the record it looks at (any of them), or indexed columns.
        values: allowed values of a ``choice``.
        lookup: list and field whose exact labels a ``label`` accepts; the list of the ``ids``.
        note: a few words for the published description.
    """

    name: str
    kind: Kind
    paths: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    lookup: tuple[str, str] = ("", "")
    note: str = ""


def expression(resource: str, path: str) -> str:
    """SQL for a field: its column where there is one, else out of the document."""
    if path == "@created":
        return "dmy(created_day)"
    if path.startswith("@"):
        # A moment, searched for as every list spells its dates.
        return f"dmy(substr(json_extract(doc, '$.{path[1:]}'), 1, 10))"
    if path in _COLUMNS_SHARED or path in RESOURCES[resource].columns:
        return path
    return f"json_extract(doc, '$.{path}')"


def contains(resource: str, paths: Sequence[str], text: str) -> Condition:
    """Free text in any of the fields.

    ``[]list.field`` looks into the record's own list, ``leads:lead.id>company`` into the record of
    another list that this one names.
    """
    parts: list[str] = []
    arguments: list[object] = []
    needle = text.casefold()
    for path in paths:
        if path.startswith("[]"):
            parent, _, field = path[2:].partition(".")
            parts.append(
                f"EXISTS (SELECT 1 FROM json_each(doc, '$.{parent}') AS one "
                f"WHERE has(json_extract(one.value, '$.{field}'), ?))"
            )
        elif ">" in path:
            reference, _, field = path.partition(">")
            other, _, key = reference.partition(":")
            parts.append(
                f"EXISTS (SELECT 1 FROM r_{other} AS one "
                f"WHERE one.shop = r_{resource}.shop "
                f"AND one.id = json_extract(r_{resource}.doc, '$.{key}') "
                f"AND has(json_extract(one.doc, '$.{field}'), ?))"
            )
        elif path == "@comments":
            parts.append(_IN_COMMENTS)
        else:
            parts.append(f"has({expression(resource, path)}, ?)")
        arguments.append(needle)
    return "(" + " OR ".join(parts) + ")", arguments


def condition(
    resource: str, one: Filter, values: Sequence[str], turned: bool, store: ShopStore
) -> Condition:
    """Turn one parameter with its values (several only for ``ids``) into a condition; ``turned``:
    its opposite, as its ``...Condition`` says.

    Raises:
        Refusal: the value has not the form the specification asks for.
    """
    value = values[-1]
    try:
        match one.kind:
            case "contains":
                return contains(resource, one.paths, value)
            case "label":
                return _label(resource, one, value, turned, store)
            case "ids":
                return _ids(resource, one, values)
            case kind:
                return _SIMPLE[kind](resource, one, value)
    except BadValue as error:
        raise Refusal(f"Parameter '{one.name}' {error}.") from error


def _equals(resource: str, one: Filter, value: str) -> Condition:
    tests = [f"CAST({expression(resource, p)} AS TEXT) = ?" for p in one.paths]
    if one.paths[0] in RESOURCES[resource].columns:
        tests = [f"{expression(resource, p)} = ?" for p in one.paths]
    return "(" + " OR ".join(tests) + ")", [value] * len(tests)


def _number(resource: str, one: Filter, value: str) -> Condition:
    if not value.lstrip("-").isdecimal():
        raise BadValue("must be a number")
    return _equals(resource, one, value)


def _choice(resource: str, one: Filter, value: str) -> Condition:
    if value not in one.values:
        raise BadValue(f"must be one of {', '.join(one.values)}")
    left = expression(resource, one.paths[0])
    # Public and Private are written in small letters as a parameter only.
    case = " COLLATE NOCASE" if left.startswith("json_extract") else ""
    return f"{left} = ?{case}", [value]


def _whether(_resource: str, _one: Filter, value: str) -> Condition:
    """``...Condition``: it turns another parameter round, which that one looks up by itself."""
    if value not in ("EQUAL", "NOT-EQUAL"):
        raise BadValue("must be EQUAL or NOT-EQUAL")
    return "1", []


def _ids(resource: str, one: Filter, values: Sequence[str]) -> Condition:
    ids = [part for text in values for part in text.split(",") if part.strip()]
    marks = ",".join("?" * len(ids))
    left, (target, _) = expression(resource, one.paths[0]), one.lookup
    there = f"SELECT 1 FROM r_{target} AS d WHERE d.shop = r_{resource}.shop AND d.id = {left}"
    return f"{left} IN ({marks}) AND EXISTS ({there})", [part.strip() for part in ids]


def _bound(sign: str, _resource: str, one: Filter, value: str) -> Condition:
    return f"{one.paths[0]} {sign} ?", [parse_day(value).isoformat()]


def _flag(resource: str, one: Filter, wanted: bool) -> Condition:
    path = one.paths[0]
    if path.startswith("[]"):
        parent, _, field = path[2:].partition(".")
        found = (
            f"EXISTS (SELECT 1 FROM json_each(doc, '$.{parent}') AS one "
            f"WHERE json_extract(one.value, '$.{field}') = 1)"
        )
    elif path == "@running":
        found = "json_extract(doc, '$.end_date') IS NULL"
        if not wanted:  # specification, /ticketTimers: running means "only running timers"
            return "1", []
    else:
        found = f"coalesce({expression(resource, path)}, 0) = 1"
    return (found if wanted else f"NOT {found}"), []


def _label(resource: str, one: Filter, value: str, turned: bool, store: ShopStore) -> Condition:
    target, field = one.lookup
    found = store.called(target, value, field, "repair" if target == "statuses" else "")
    if not found:
        raise BadValue(f"'{value}' is no id and no exact match of an existing label")
    left = expression(resource, one.paths[0])
    marks = ",".join("?" * len(found))
    compare = f"coalesce(CAST({left} AS TEXT), '') {'NOT IN' if turned else 'IN'} ({marks})"
    if one.paths[0] in RESOURCES[resource].columns and not turned:
        compare = f"{left} IN ({marks})"
    return compare, [str(one["id"]) for one in found]


_SIMPLE: Mapping[str, Callable[[str, Filter, str], Condition]] = {
    "equals": _equals,
    "number": _number,
    "choice": _choice,
    "flag": lambda resource, one, value: _flag(resource, one, parse_bool(value)),
    "from": partial(_bound, ">="),
    "to": partial(_bound, "<="),
    "condition": _whether,
}
"""Kinds of parameters that need nothing but their value."""
