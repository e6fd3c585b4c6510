"""What all request bodies share."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field


def optional() -> Any:
    """A field that may be left out. Null is not "left out": the specification knows no null."""
    return Field(default=None)


def _without_null_defaults(schema: dict[str, Any]) -> None:
    for shown in schema.get("properties", {}).values():
        if "default" in shown and shown["default"] is None:
            del shown["default"]


class Body(BaseModel):
    """A request body. Dump it with ``exclude_unset``: what was not given is not sent.

    ``section`` is where the specification has the table; ``suggested`` holds the defaults of
    fields that are marked required and have a default all the same: the client sends it when it
    was given nothing, the service insists on the field.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_without_null_defaults)

    section: ClassVar[str] = ""
    suggested: ClassVar[dict[str, Any]] = {}


class Part(BaseModel):
    """An element of a list inside a body."""

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_without_null_defaults)
