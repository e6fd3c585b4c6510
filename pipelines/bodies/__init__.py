"""What may be written where, and each request body as the specification has it.

Data flow: a mapping of field names to values -> :func:`validate` -> the JSON object to send, or one
:class:`BodyError` that names every fault::

    validate("customers", "create", {"name": "Ann", "dateOfBirth": date(1990, 1, 5)})
    # {"name": "Ann", "dateOfBirth": "05-Jan-1990"}

What was not given is not sent: defaults are the service's to fill in, but for required fields. Null
is not "left out": the specification knows no null.
"""

import difflib
from collections.abc import Mapping
from datetime import tzinfo
from types import MappingProxyType
from typing import Any

from pipelines.bodies.fields import as_list, read
from pipelines.bodies.moments import Fault
from specification import BODIES, LISTS, METHOD_OF, Body, Field, Op

_WRITES = [
    *(
        (one.name, op)
        for one in LISTS.values()
        for op, method in (*METHOD_OF.items(), ("delete", "DELETE"))
        if method in one.methods
    ),
    *(("tickets", "upload"), ("products", "upload")),
]
PATHS: Mapping[str, str] = MappingProxyType({name: LISTS[name].path for name, _ in _WRITES})
"""Writable resource (the raw table's name) -> path of its list; a record is at ``path/{id}``."""
_NEEDED = (
    *("product_id", "quantity", "type"),
    *("ad_product_id", "ad_quantity", "ad_type"),
    *("up_stock_id", "stock_id"),
)
"""Fields of an adjustment's elements without which nothing can be done; the document is silent."""


class BodyError(Exception):
    """A change that the specification forbids. ``faults`` are all of them, each with its field
    (``lines[0].quantity``) and the section of the specification. Exit code 2."""

    exit_code = 2

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def operations(resource: str) -> tuple[str, ...]:
    """The operations that the specification has for a resource, uploads included."""
    return tuple(op for name, op in _WRITES if name == resource)


def taken(resource: str, op: str) -> Mapping[str, Field]:
    """The fields that a write takes, of an upload those of its metadata."""
    body = _body(resource, op)
    return body.taken("update" if op == "update" else "create") if body else {}


def _body(resource: str, op: str) -> Body | None:
    name = f"{resource.removesuffix('s')}_upload" if op == "upload" else resource
    return None if op == "delete" else BODIES[name]


def validate(
    resource: str, op: str, body: Mapping[str, Any], *, zone: tzinfo | None = None
) -> dict[str, Any]:
    """The body as the service takes it; :class:`BodyError` with all faults otherwise.

    People's values are converted, times with an offset to the shop's ``zone``; id fields may hold
    references (:data:`~pipelines.bodies.fields.Reference`).
    """
    if op not in operations(resource):
        known = ", ".join(operations(resource)) or "nothing: it is read-only"
        raise BodyError([f"{resource} {op}: the specification has no such write; it has {known}"])
    faults, of = list[str](), _body(resource, op)
    strange = [str(name) for name in body if name not in taken(resource, op)]
    ours = {name: value for name, value in body.items() if str(name) not in strange}
    sent = _object(of, "update" if op == "update" else "create", ours, zone, "", faults)
    faults += [f"{name}: {unknown_field(resource, op, name)}" for name in strange]
    if (resource, op) == ("leads", "update") and "mobile" in body and "countryCode" not in body:
        faults.append("countryCode is required when the mobile number is changed")
    if faults:
        section = f" (specification, {of.section})" if of else ""
        raise BodyError([f"{resource} {op}: {fault}{section}" for fault in faults])
    return sent


def _object(
    of: Body | None, op: Op, given: Any, zone: tzinfo | None, at: str, faults: list[str]
) -> dict[str, Any]:
    """An object as it is sent; what is wrong with it is added to the ``faults``."""
    sent = dict[str, Any]()
    if not isinstance(given, Mapping):
        faults.append(f"{at}: must be an object")
    elif of is not None:
        inner, fields = f"{at}." if at else "", of.taken(op)
        for name, one in fields.items():
            is_needed = (op == "create" and one.required) or bool(at and name in _NEEDED)
            if name in given:
                sent[name] = _value(one, given[name], zone, inner + name, faults)
            elif is_needed and one.default is not None:
                sent[name] = one.default
            elif is_needed:
                faults.append(f"{inner}{name}: is required")
        faults += [f"{inner}{name}: {NO_FIELD}" for name in given if name not in fields]
    return sent


def _value(one: Field, value: Any, zone: tzinfo | None, at: str, faults: list[str]) -> Any:
    try:
        if not one.of:
            return read(one, value, zone)
        elements, of = as_list(value), BODIES[one.of]
        if one.required and not elements:
            raise Fault("must have at least one element")
    except Fault as fault:
        faults.append(f"{at}: {fault}")
        return None
    return [
        _object(of, "create", element, zone, f"{at}[{n}]", faults)
        for n, element in enumerate(elements)
    ]


NO_FIELD = "there is no such field"
"""What is said of a field where nothing else may be meant."""


def unknown_field(resource: str, op: str, name: str) -> str:
    """What is to be said of a field that a body has not, and of what may be meant."""
    fields, inner = taken(resource, op), name.rpartition(".")[2]
    if op == "update" and name in taken(resource, "create"):
        return "may be given on create only"
    for outer in fields.values():
        if outer.of and inner in BODIES[outer.of].fields:
            return f'stands in {outer.name}: [{{"{inner}": ...}}]'
    close = difflib.get_close_matches(name, fields, 1, 0.6) or [
        field for field in fields if field.lower() == name.lower()
    ]
    return f"{NO_FIELD}; did you mean {close[0]}?" if close else NO_FIELD


def numeric_fields(resource: str) -> frozenset[str]:
    """The fields of a resource whose values are numbers, not ids."""
    fields = BODIES[resource].fields.values()
    return frozenset(one.name for one in fields if one.type == "numeric" and not one.names)
