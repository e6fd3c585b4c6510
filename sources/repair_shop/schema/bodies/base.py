"""What all request bodies share."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field


def optional() -> Any:
    """A field that may be left out. Null is not "left out": the specification knows no null."""
    return Field(default=None)


class Part(BaseModel):
    """An element of a list inside a body."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Body(Part):
    """A request body. Dump it with ``exclude_unset``: what was not given is not sent.

    ``section`` is where the specification has the table; ``suggested`` holds the defaults of
    fields that are marked required and have a default all the same, which are sent when nothing
    was given.
    """

    section: ClassVar[str] = ""
    suggested: ClassVar[dict[str, Any]] = {}
