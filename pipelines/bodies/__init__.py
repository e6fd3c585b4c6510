"""One pydantic model for each request body of the specification, and what may be written where.

Data flow: a mapping of field names to values -> :func:`validate` -> the JSON object to send, or one
:class:`BodyError` that names every fault::

    validate("customers", "create", {"name": "Ann", "dateOfBirth": date(1990, 1, 5)})
    # {"name": "Ann", "dateOfBirth": "05-Jan-1990"}

Defaults of the specification are the service's to fill in and are not sent. Fields that are both
required and have a default are (``Body.suggested``).
"""

import difflib
from collections.abc import Mapping
from datetime import tzinfo
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from pipelines.bodies.models import Body, model
from specification import BODIES as OF_SPECIFICATION
from specification import LISTS, METHOD_OF

BODIES: Mapping[tuple[str, str], type[Body]] = MappingProxyType(
    {
        (one.name, op): model(one.name, op)
        for one in LISTS.values()
        for op, method in METHOD_OF.items()
        if method in one.methods
    }
    | {(one.name, "delete"): Body for one in LISTS.values() if "DELETE" in one.methods}
    | {(f"{name}s", "upload"): model(f"{name}_upload", "create") for name in ("ticket", "product")}
)
"""(resource, operation) -> its body, of an upload its metadata; the resource is the raw table's
name."""

PATHS: Mapping[str, str] = MappingProxyType({name: LISTS[name].path for name, _ in BODIES})
"""Writable resource -> path of its list; a record is at ``path/{id}``."""


class BodyError(Exception):
    """A change that the specification forbids. ``faults`` are all of them, each with its field
    (``lines[0].quantity``) and the section of the specification. Exit code 2."""

    exit_code = 2

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


def operations(resource: str) -> tuple[str, ...]:
    """The operations that the specification has for a resource, uploads included."""
    return tuple(op for name, op in BODIES if name == resource)


def validate(
    resource: str, op: str, body: Mapping[str, Any], *, zone: tzinfo | None = None
) -> dict[str, Any]:
    """The body as the service takes it; :class:`BodyError` with all faults otherwise.

    People's values are converted, times with an offset to the shop's ``zone``; id fields may hold
    references (:data:`~pipelines.bodies.fields.Reference`).
    """
    model = BODIES.get((resource, op))
    if model is None:
        known = ", ".join(operations(resource)) or "nothing: it is read-only"
        raise BodyError([f"{resource} {op}: the specification has no such write; it has {known}"])
    try:
        checked = model.model_validate({**model.suggested, **body}, context=zone)
    except ValidationError as error:
        section = f" (specification, {model.section})" if model.section else ""
        faults = [_fault(resource, op, dict(entry)) for entry in error.errors(include_url=False)]
        raise BodyError([f"{resource} {op}: {fault}{section}" for fault in faults]) from None
    return checked.model_dump(exclude_unset=True, warnings=False)


_NO_OBJECT = ("model_type", "model_attributes_type", "dict_type")
_IN_WORDS = {
    "missing": "is required",
    "too_short": "must have at least one element",
    **dict.fromkeys(_NO_OBJECT, "must be an object"),
}
"""Kinds of pydantic's faults that are better said otherwise."""


def _fault(resource: str, op: str, entry: dict[str, Any]) -> str:
    field = ""
    for part in entry["loc"]:
        field += f"[{part}]" if isinstance(part, int) else f".{part}" if field else str(part)
    told = _IN_WORDS.get(entry["type"], str(entry["msg"]))
    if entry["type"] == "extra_forbidden":
        is_nested = len(entry["loc"]) > 1
        told = NO_FIELD if is_nested else unknown_field(resource, op, str(entry["loc"][-1]))
    return f"{field}: {told}" if field else told


NO_FIELD = "there is no such field"
"""What is said of a field where nothing else may be meant."""


def unknown_field(resource: str, op: str, name: str) -> str:
    """What is to be said of a field that a body has not, and of what may be meant."""
    fields, inner = BODIES[resource, op].model_fields, name.rpartition(".")[2]
    if op == "update" and name in BODIES.get((resource, "create"), Body).model_fields:
        return "may be given on create only"
    for outer in OF_SPECIFICATION[resource].taken("create").values() if op != "delete" else ():
        if outer.name in fields and outer.of and inner in OF_SPECIFICATION[outer.of].fields:
            return f'stands in {outer.name}: [{{"{inner}": ...}}]'
    close = difflib.get_close_matches(name, fields, 1, 0.6) or [
        field for field in fields if field.lower() == name.lower()
    ]
    return f"{NO_FIELD}; did you mean {close[0]}?" if close else NO_FIELD
