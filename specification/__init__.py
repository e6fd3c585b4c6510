"""What the service offers, as its specification states it: lists, operations, bodies and limits.

The facts stand in ``api.toml``. Client, sandbox and tests read them here, so none can misread the
document alone; a test holds them against the document. What the document leaves open stands where
it is decided: the client's reading in ``pipelines`` and ``sources``, the service's in ``sandbox``.

    BODIES["customers"].fields["name"].most          # 250
    LISTS["ticket_invoices"].parameters["status"]    # Parameter(kind="choice", values=("Paid", ...
    [one.path for one in OPERATIONS if one.method == "POST"]
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, cast

Type = Literal["string", "numeric", "boolean", "date", "any", "array"]
Op = Literal["create", "update"]
Kind = Literal["page", "sort", "text", "date", "choice", "flag", "label", "ids", "number"]
METHOD_OF: Mapping[Op, str] = MappingProxyType({"create": "POST", "update": "PUT"})
_FORMATS = ("dd-mmm-yyyy", "dd-mmm-yyyy HH:mm", "dd-mmm-yyyy HH:mm:ss")


class BadTable(ValueError):
    """A row of ``api.toml`` says something that no row can say; the message names it."""


@dataclass(frozen=True)
class Limits:
    """Specification, Limits; of a block the shortest and the longest time."""

    requests_per_minute: int
    silence_minutes: int
    ignored_before_block: int
    block_hours: tuple[int, int]
    records_per_request: int
    upload_types: tuple[str, ...]
    success: tuple[int, ...]
    prefix: str


@dataclass(frozen=True)
class Field:
    """One field of a body.

    Attributes:
        type: the document's word for it.
        required: on create; an update sends only what changes.
        only: the operation that alone takes it; None for both.
        default: what the service takes when it is left out; None where nothing is said.
        most: longest text, in characters.
        letters: exact number of letters.
        at_least, above, below: bounds of a number.
        values: all that is accepted; empty where any value is.
        format: forms of a date, such as ``dd-mmm-yyyy HH:mm``; empty where none is said.
        names: the list whose record it names, by id (``any``: or by exact label).
        kind: the ``type`` of the statuses it may name.
        several: how more than one id is sent: as a ``list`` or with ``comma``; empty: one only.
        of: the body of an array's elements.
        file: it names a file of one of the upload types.
        rule: what else the document says of it, in its words.
    """

    name: str
    type: Type
    required: bool = False
    only: Op | None = None
    default: str | int | bool | None = None
    most: int | None = None
    letters: int | None = None
    at_least: int | None = None
    above: int | None = None
    below: int | None = None
    values: tuple[str | int, ...] = ()
    format: tuple[str, ...] = ()
    names: str = ""
    kind: str = ""
    several: Literal["", "list", "comma"] = ""
    of: str = ""
    file: bool = False
    rule: str = ""


@dataclass(frozen=True)
class Body:
    """A request's body, or an object in an array of one; ``section`` is its heading."""

    name: str
    section: str
    fields: Mapping[str, Field]

    def taken(self, op: Op) -> Mapping[str, Field]:
        """The fields that an operation takes."""
        return {name: one for name, one in self.fields.items() if one.only in (None, op)}


@dataclass(frozen=True)
class Parameter:
    """One query parameter; ``names`` is the list whose ids (``label``: or labels) it takes."""

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    default: str | int | bool | None = None
    names: str = ""


@dataclass(frozen=True)
class List:
    """One list of records (specification, Endpoints).

    Attributes:
        name: snake_case of its path: ``ticket_invoices``, ``shipments_deleted``.
        path: below the base address.
        item: name of the variable of ``path/{item}``; empty where no record is read alone.
        methods: what can be done beside reading.
        parameters: by name.
        search: what ``searchKeyword`` looks at, in the document's words; empty where unsaid.
        path_values: accepted values of a variable in the path.
        rule: what else the document says of it, in its words.
    """

    name: str
    section: str
    path: str
    item: str = ""
    methods: tuple[str, ...] = ()
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    search: tuple[str, ...] = ()
    path_values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rule: str = ""


@dataclass(frozen=True)
class Operation:
    """A method of a path.

    Attributes:
        body: the body it takes as JSON; empty for none.
        form: the one field of the form it takes; empty for none.
        list: the list that it answers, creates in, or has its record in; empty for none.
        is_list: it answers many records.
        parameters: query parameters with the form of their value.
        success: the status of success.
    """

    method: str
    path: str
    section: str
    body: str = ""
    form: str = ""
    list: str = ""
    is_list: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)
    success: int = 200


def _tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list) else (value,)


def _field(name: str, row: Any) -> Field:
    told: dict[str, Any] = {"type": row} if isinstance(row, str) else dict(row)
    for plural in ("values", "format"):
        if plural in told:
            told[plural] = _tuple(told[plural])
    return Field(name=name, **told)


def _check(where: str, one: Field, bodies: Mapping[str, Any], lists: Mapping[str, Any]) -> None:
    odd = [
        one.type not in ("string", "numeric", "boolean", "date", "any", "array"),
        one.only not in (None, "create", "update"),
        (one.type == "array") != bool(one.of) or (bool(one.of) and one.of not in bodies),
        bool(one.names) and one.names not in lists,
        bool(set(one.format) - set(_FORMATS)),
        bool(one.values) and one.default is not None and one.default not in one.values,
        one.several not in ("", "list", "comma"),
    ]
    if any(odd):
        raise BadTable(f"{where}.{one.name} is odd: {one}")


def _bodies(rows: Mapping[str, Any], lists: Mapping[str, Any]) -> Iterator[tuple[str, Body]]:
    for name, row in rows.items():
        made = {one: _field(one, told) for one, told in row["fields"].items()}
        for field_ in made.values():
            _check(name, field_, rows, lists)
        yield name, Body(name, row["section"], MappingProxyType(made))


def _parameters(row: Mapping[str, Any], common: Mapping[str, Any]) -> Iterator[Parameter]:
    defaults = row.get("defaults", {})
    sort = tuple(row.get("sort", common["sort"]))
    shared = {
        "page": Parameter("page", "page", default=common["page"]),
        "sort": Parameter("sort", "sort", sort, defaults.get("sort", sort[0])),
        "searchKeyword": Parameter("searchKeyword", "text"),
    }
    for name in row.get("common", common["parameters"]):
        yield shared.get(name) or Parameter(name, "date")
    for name in row.get("dates", ()):
        yield Parameter(f"{name}From", "date")
        yield Parameter(f"{name}To", "date")
    yield from (Parameter(name, "text") for name in row.get("text", ()))
    for name, kind in (("labels", "label"), ("ids", "ids")):
        for one, target in row.get(name, {}).items():
            yield Parameter(one, cast(Kind, kind), names=target)
    yield from (Parameter(one, "number", default=defaults[one]) for one in row.get("numbers", ()))
    for name, values in row.get("choice", {}).items():
        yield Parameter(name, "choice", tuple(values), defaults.get(name))
    for name in row.get("flags", ()):
        yield Parameter(name, "flag", default=False if name.startswith("include") else None)


_LIST_WORDS = frozenset(
    "section path item methods common sort search dates text numbers labels ids choice flags "
    "defaults path_values same_as rule".split()
)


def _lists(rows: Mapping[str, Any], common: Mapping[str, Any]) -> Iterator[tuple[str, List]]:
    for name, row in rows.items():
        told = {**rows[row["same_as"]], "methods": [], **row} if "same_as" in row else row
        made = {one.name: one for one in _parameters(told, common)}
        snake = re.sub(r"([A-Z])", r"_\1", told["path"].partition("/{")[0][1:]).lower()
        named = {one.names for one in made.values() if one.names}
        if set(told) - _LIST_WORDS or snake.replace("/", "_") != name or named - set(rows):
            raise BadTable(f"lists.{name} is odd: {told}")
        yield (
            name,
            List(
                name,
                told["section"],
                told["path"],
                told.get("item", ""),
                tuple(told.get("methods", ())),
                MappingProxyType(made),
                tuple(told.get("search", ())),
                MappingProxyType({k: tuple(v) for k, v in told.get("path_values", {}).items()}),
                told.get("rule", ""),
            ),
        )


def _operations(
    lists: Mapping[str, List], bodies: Mapping[str, Body], paths: list[dict[str, Any]]
) -> Iterator[Operation]:
    for one in lists.values():
        yield Operation("GET", one.path, one.section, list=one.name, is_list=True)
    for one in lists.values():
        item = f"{one.path}/{{{one.item}}}"
        if one.item:
            yield Operation("GET", item, one.section, list=one.name)
        for method in one.methods:
            path, success = (one.path, 201) if method == "POST" else (item, 200)
            body = "" if method == "DELETE" else one.name
            if body not in ("", *bodies) or method not in ("POST", "PUT", "DELETE"):
                raise BadTable(f"lists.{one.name}: {method} has no body")
            yield Operation(method, path, one.section, body, list=one.name, success=success)
    for row in paths:
        told = {"method": "GET", **row}
        told.pop("answers", None)
        if told.get("body", "payments") not in bodies:
            raise BadTable(f"paths: {row}")
        status = 201 if "body" in told else 200
        yield Operation(**told, success=status)


def _read(text: str) -> tuple[Limits, dict[str, List], dict[str, Body], tuple[Operation, ...]]:
    table = tomllib.loads(text)
    try:
        given: dict[str, Any] = {
            name: _tuple(v) if isinstance(v, list) else v for name, v in table["limits"].items()
        }
        if set(given) != {one.name for one in fields(Limits)}:
            raise BadTable(f"limits: {', '.join(sorted(given))}")
        lists = dict(_lists(table["lists"], table["common"]))
        bodies = dict(_bodies(table["bodies"], table["lists"]))
        return Limits(**given), lists, bodies, tuple(_operations(lists, bodies, table["paths"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise BadTable(f"api.toml: {error!r}") from error


_made = _read(Path(__file__).with_name("api.toml").read_text(encoding="utf-8"))

LIMITS: Limits = _made[0]
LISTS: Mapping[str, List] = MappingProxyType(_made[1])
"""Name -> list, in the document's order."""
BODIES: Mapping[str, Body] = MappingProxyType(_made[2])
"""Name of the list, or of the array's elements -> body."""
OPERATIONS: tuple[Operation, ...] = _made[3]
"""Every method of every path, those of lists before those of their records."""
