"""What the service offers, as its specification states it: lists, operations, bodies and limits.

The facts stand in ``api.toml``, which says what its words mean. Client, sandbox and tests read them
here, so none can misread the document alone; a test holds them against the document. What it leaves
open stands where it is decided: in ``pipelines`` and ``sources``, and the service's in ``sandbox``.

    BODIES["customers"].fields["name"].most          # 250
    LISTS["ticket_invoices"].parameters["status"]    # Parameter(kind="choice", values=("Paid", ...
    [one.path for one in OPERATIONS if one.method == "POST"]
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, cast

from pydantic import ConfigDict
from pydantic.dataclasses import dataclass

Type = Literal["string", "numeric", "boolean", "date", "any", "array"]
Op = Literal["create", "update"]
Kind = Literal["page", "sort", "text", "date", "choice", "flag", "label", "ids", "number"]
Format = Literal["dd-mmm-yyyy", "dd-mmm-yyyy HH:mm", "dd-mmm-yyyy HH:mm:ss"]
METHOD_OF: Mapping[Op, str] = MappingProxyType({"create": "POST", "update": "PUT"})
_ROW = ConfigDict(extra="forbid")
"""A word that a row does not know fails at import, as a value of another type does."""


@dataclass(frozen=True, config=_ROW)
class Limits:
    """Specification, Limits; of a block the shortest and the longest time."""

    requests_per_minute: int
    silence_minutes: int
    ignored_before_block: int
    block_hours: tuple[int, int]
    records_per_request: int
    upload_types: tuple[str, ...]
    prefix: str


@dataclass(frozen=True, config=_ROW)
class Field:
    """One field of a body."""

    name: str
    type: Type
    required: bool = False
    only: Op | None = None
    default: str | int | bool | None = None
    most: int | None = None
    at_least: int | None = None
    above: int | None = None
    below: int | None = None
    values: tuple[str | int, ...] = ()
    format: tuple[Format, ...] = ()
    names: str = ""
    kind: str = ""
    several: Literal["", "list", "comma"] = ""
    of: str = ""
    file: bool = False
    rule: str = ""


@dataclass(frozen=True, config=_ROW)
class Body:
    """A request's body, or an object in an array of one; ``section`` is its heading."""

    name: str
    section: str
    fields: Mapping[str, Field]

    def taken(self, op: Op) -> Mapping[str, Field]:
        """The fields that an operation takes."""
        return {name: one for name, one in self.fields.items() if one.only in (None, op)}


@dataclass(frozen=True, config=_ROW)
class Parameter:
    """One query parameter; ``names`` is the list whose ids (``label``: or labels) it takes."""

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    default: str | int | bool | None = None
    names: str = ""


@dataclass(frozen=True, config=_ROW)
class List:
    """One list of records; its name is the snake_case of its path: ``ticket_invoices``."""

    name: str
    section: str
    path: str
    item: str = ""
    methods: tuple[str, ...] = ()
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    search: tuple[str, ...] = ()
    path_values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, config=_ROW)
class Operation:
    """A method of a path; ``list`` is what it answers, creates in, or has its record in."""

    method: str
    path: str
    section: str
    body: str = ""
    form: str = ""
    list: str = ""
    is_list: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)
    success: int = 200


def _body(name: str, row: Mapping[str, Any]) -> Body:
    told = {
        one: {"type": row} if isinstance(row, str) else row for one, row in row["fields"].items()
    }
    return Body(name, row["section"], {one: Field(name=one, **row) for one, row in told.items()})


def _parameters(row: dict[str, Any], common: Mapping[str, Any]) -> Iterator[Parameter]:
    """The parameters of a list; takes the words that say them out of its row."""
    defaults = row.pop("defaults", {})
    sort = tuple(row.pop("sort", common["sort"]))
    shared = {
        "page": Parameter("page", "page", default=common["page"]),
        "sort": Parameter("sort", "sort", sort, defaults.get("sort", sort[0])),
        "searchKeyword": Parameter("searchKeyword", "text"),
    }
    for name in row.pop("common", common["parameters"]):
        yield shared.get(name) or Parameter(name, "date")
    for name in row.pop("dates", ()):
        yield Parameter(f"{name}From", "date")
        yield Parameter(f"{name}To", "date")
    yield from (Parameter(name, "text") for name in row.pop("text", ()))
    for words, kind in (("labels", "label"), ("ids", "ids")):
        for name, target in row.pop(words, {}).items():
            yield Parameter(name, cast(Kind, kind), names=target)
    yield from (Parameter(one, "number", default=defaults[one]) for one in row.pop("numbers", ()))
    for name, values in row.pop("choice", {}).items():
        yield Parameter(name, "choice", tuple(values), defaults.get(name))
    for name in row.pop("flags", ()):
        yield Parameter(name, "flag", default=False if name.startswith("include") else None)


def _list(name: str, rows: Mapping[str, Any], common: Mapping[str, Any]) -> List:
    told = dict(rows[name])
    if "same_as" in told:
        told = {**rows[told.pop("same_as")], "methods": [], **told}
    parameters = {one.name: one for one in _parameters(told, common)}
    return List(name=name, parameters=parameters, **told)


def _operations() -> Iterator[Operation]:
    for one in LISTS.values():
        yield Operation("GET", one.path, one.section, list=one.name, is_list=True)
    for one in LISTS.values():
        item = f"{one.path}/{{{one.item}}}"
        if one.item:
            yield Operation("GET", item, one.section, list=one.name)
        for method in one.methods:
            path, success = (one.path, 201) if method == "POST" else (item, 200)
            body = "" if method == "DELETE" else one.name
            yield Operation(method, path, one.section, body, list=one.name, success=success)
    for row in _table["paths"]:
        yield Operation(**{"method": "GET", "success": 201 if "body" in row else 200, **row})


_table = tomllib.loads(Path(__file__).with_name("api.toml").read_text(encoding="utf-8"))

LIMITS = Limits(**_table["limits"])
LISTS: Mapping[str, List] = MappingProxyType(
    {name: _list(name, _table["lists"], _table["common"]) for name in _table["lists"]}
)
"""Name -> list, in the document's order."""
BODIES: Mapping[str, Body] = MappingProxyType(
    {name: _body(name, row) for name, row in _table["bodies"].items()}
)
"""Name of the list, or of the array's elements -> body."""
OPERATIONS = tuple(_operations())
"""Every method of every path, those of lists before those of their records."""
