"""What all request bodies share."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field


def optional(default: Any = None) -> Any:
    """A field that may be left out. Null is not "left out": the specification knows no null.

    ``default`` is what the service takes then; it is published in the schema and never sent.
    """
    shown = None if default is None else {"default": default}
    return Field(default=None, json_schema_extra=shown)


def _published_defaults(schema: dict[str, Any], model: type[Any]) -> None:
    """The specification's defaults and no others: null stands for "not given" on our side only."""
    for name, shown in schema.get("properties", {}).items():
        if "default" in shown and shown["default"] is None:
            del shown["default"]
        if name in getattr(model, "suggested", {}):
            shown["default"] = model.suggested[name]


class Body(BaseModel):
    """A request body. Dump it with ``exclude_unset``: what was not given is not sent.

    ``section`` is where the specification has the table; ``suggested`` holds the defaults of
    fields that are marked required and have a default all the same: the client sends it when it
    was given nothing, the service insists on the field.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_published_defaults)

    section: ClassVar[str] = ""
    suggested: ClassVar[dict[str, Any]] = {}


class Part(BaseModel):
    """An element of a list inside a body."""

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_published_defaults)
