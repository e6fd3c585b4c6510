"""One pydantic model for each request body of the specification, and what may be written where.

Data flow: a mapping of field names to values -> :func:`validate` -> the JSON object to send, or one
:class:`BodyError` that names every fault::

    validate("customers", "create", {"name": "Ann", "dateOfBirth": date(1990, 1, 5)})
    # {"name": "Ann", "dateOfBirth": "05-Jan-1990"}

Defaults of the specification are the service's to fill in and are not sent, but for fields that are
both required and have a default (``Body.suggested``).
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from pipelines.bodies.fields import Queued, QueuedRow
from pipelines.bodies.models import Body, model
from specification import LISTS, METHOD_OF

BODIES: Mapping[tuple[str, str], type[Body]] = MappingProxyType(
    {
        (one.name, op): model(one.name, op)
        for one in LISTS.values()
        for op, method in METHOD_OF.items()
        if method in one.methods
    }
)
"""(resource, "create" | "update") -> its body; the resource is the raw table's name."""

UPLOADS: Mapping[str, type[Body]] = MappingProxyType(
    {f"{name}s": model(f"{name}_upload", "create") for name in ("ticket", "product")}
)
"""Resource -> metadata body of the first step of an upload."""

PATHS: Mapping[str, str] = MappingProxyType({name: LISTS[name].path for name, _ in BODIES})
"""Writable resource -> path of its list; a record is at ``path/{id}``."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with one field (``lines[0].quantity``); the field is empty for the whole."""

    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message


class BodyError(Exception):
    """A change that the specification forbids. ``faults`` are all of them. Exit code 2."""

    exit_code = 2

    def __init__(self, what: str, faults: list[Fault], section: str = "") -> None:
        where = f" (specification, {section})" if section else ""
        super().__init__(f"{what}: " + "; ".join(map(str, faults)) + where)
        self.what = what
        self.faults = faults
        self.section = section


def operations(resource: str) -> tuple[str, ...]:
    """The operations that the specification has for a resource, uploads included."""
    found = [op for op in ("create", "update") if (resource, op) in BODIES]
    if resource in LISTS and "DELETE" in LISTS[resource].methods:
        found.append("delete")
    if resource in UPLOADS:
        found.append("upload")
    return tuple(found)


def validate(
    resource: str, op: str, body: Mapping[str, Any], *, zone: tzinfo | None = None
) -> dict[str, Any]:
    """The body as the service takes it; :class:`BodyError` with all faults otherwise.

    People's values are converted, times with an offset to the shop's ``zone``; id fields may hold
    references (:class:`Queued`, :class:`QueuedRow`), which come out unchanged.
    """
    body_model = BODIES.get((resource, op))
    if body_model is None:
        known = ", ".join(operations(resource)) or "nothing: it is read-only"
        raise BodyError(
            f"{resource} {op}", [Fault("", f"the specification has no such write; it has {known}")]
        )
    return _checked(body_model, f"{resource} {op}", body, zone)


def validate_upload(resource: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """The metadata of an upload to a ticket or product; :class:`BodyError` with all faults."""
    body_model = UPLOADS.get(resource)
    if body_model is None:
        raise BodyError(f"{resource} upload", [Fault("", "only tickets and products take files")])
    return _checked(body_model, f"{resource} upload", body, None)


def _checked(
    model: type[Body], what: str, body: Mapping[str, Any], zone: tzinfo | None
) -> dict[str, Any]:
    if not isinstance(body, Mapping):
        raise BodyError(what, [Fault("", "the body must be a JSON object")], model.section)
    try:
        checked = model.model_validate({**model.suggested, **body}, context=zone)
    except ValidationError as error:
        faults = [_fault(model, dict(entry)) for entry in error.errors(include_url=False)]
        raise BodyError(what, faults, model.section) from None
    dumped: dict[str, Any] = checked.model_dump(exclude_unset=True, warnings=False)
    return {name: _plain(getattr(checked, name), dumped[name]) for name in dumped}


def _plain(value: Any, dumped: Any) -> Any:
    """Dumping would turn a reference, a dataclass, into a mapping: keep the reference itself."""
    if isinstance(value, Queued | QueuedRow):
        return value
    if isinstance(value, list):
        return [_plain(inner, shown) for inner, shown in zip(value, dumped, strict=True)]
    if hasattr(value, "model_fields_set"):
        return {name: _plain(getattr(value, name), dumped[name]) for name in dumped}
    return dumped


_NO_OBJECT = ("model_type", "model_attributes_type", "dict_type")
_IN_WORDS = {
    "missing": "is required",
    "too_short": "must have at least one element",
    **dict.fromkeys(_NO_OBJECT, "must be an object"),
}
"""Kinds of pydantic's faults that are better said otherwise."""


def _fault(model: type[Body], entry: dict[str, Any]) -> Fault:
    field = ""
    for part in entry["loc"]:
        field += f"[{part}]" if isinstance(part, int) else f".{part}" if field else str(part)
    if entry["type"] == "extra_forbidden":
        return Fault(field, _unknown(model, str(entry["loc"][-1]), nested=len(entry["loc"]) > 1))
    return Fault(field, _IN_WORDS.get(entry["type"], str(entry["msg"])))


def _unknown(model: type[Body], name: str, *, nested: bool) -> str:
    if not nested:
        for (_, op), other in BODIES.items():
            sibling = op == "create" and other is not model and other.section == model.section
            if sibling and name in other.model_fields:
                return "may be given on create only"
        close = difflib.get_close_matches(name, model.model_fields, 1, 0.6) or [
            field for field in model.model_fields if field.lower() == name.lower()
        ]
        if close:
            return f"there is no such field; did you mean {close[0]}?"
    return "there is no such field"
