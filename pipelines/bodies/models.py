"""The bodies of :mod:`specification` as pydantic models, read as the client reads them.

The facts are the document's. What it leaves open is decided here: which texts may be blank, which
ids are numbers, what an element of an adjustment cannot do without.
"""

from pathlib import PurePath
from typing import Annotated, Any, ClassVar, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationInfo,
    create_model,
    model_validator,
)
from pydantic import Field as Bounded

from pipelines.bodies.fields import (
    Flag,
    Identifier,
    Label,
    NumericId,
    OneOrMoreIds,
    choice,
    fault,
    from_json_text,
    number,
    text,
)
from pipelines.bodies.moments import when
from specification import BODIES, LIMITS, LISTS, Field, Op

_NEEDED = (
    *("product_id", "quantity", "type"),
    *("ad_product_id", "ad_quantity", "ad_type"),
    *("up_stock_id", "stock_id"),
)
"""Fields of an adjustment's elements without which nothing can be done; the document is silent."""
_BLANK = ("inNotes",)
"""Required texts that a person may have nothing to say in."""
_COMMON = ("dd-mmm-yyyy", "dd-mmm-yyyy HH:mm", "dd-mmm-yyyy HH:mm:ss")
"""The commonly used formats: for a date of which the document gives none."""
_COUNTRY = "[A-Za-z]{2}"


class Body(BaseModel):
    """A request body, or an object in a list of one. Dump it with ``exclude_unset``: what was not
    given is not sent. Null is not "left out": the specification knows no null.

    ``section`` is where the specification has the table; ``suggested`` holds the defaults of
    required fields, which are sent when nothing was given.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    section: ClassVar[str] = ""
    suggested: ClassVar[dict[str, Any]] = {}


class _LeadUpdate(Body):
    @model_validator(mode="after")
    def _mobile_brings_its_country(self, info: ValidationInfo) -> Self:
        if "mobile" in self.model_fields_set and "countryCode" not in self.model_fields_set:
            raise fault("countryCode is required when the mobile number is changed")
        return self


def model(name: str, op: Op) -> type[Body]:
    """The model of a body of the specification for one operation."""
    taken = BODIES[name].taken(op).values()
    needed = [one.name for one in taken if op == "create" and one.required]
    if name not in LISTS:
        needed += [one.name for one in taken if one.name in _NEEDED]
    fields: dict[str, Any] = {
        one.name: (_type(one), ... if one.name in needed else None) for one in taken
    }
    base = _LeadUpdate if (name, op) == ("leads", "update") else Body
    made = cast(type[Body], create_model(f"{name}_{op}", __base__=base, **fields))
    made.section = BODIES[name].section
    if op == "create":
        defaults = {one.name: one.default for one in taken if one.required}
        made.suggested = {field: value for field, value in defaults.items() if value is not None}
    return made


def numeric_fields(name: str) -> frozenset[str]:
    """The fields of a body whose values are numbers, not ids."""
    fields = BODIES[name].fields.values()
    return frozenset(one.name for one in fields if one.type == "numeric" and not one.names)


def _type(one: Field) -> Any:
    if one.of:
        element: Any = model(one.of, "create")
        least = Bounded(min_length=int(one.required))
        return Annotated[list[element], BeforeValidator(from_json_text), least]
    if one.names or one.name.endswith("stock_id"):
        return _id(one)
    if one.format or one.name == "paymentDate":
        return when(*one.format or _COMMON)
    if one.type == "boolean":
        return Flag
    if one.type == "numeric":
        among = tuple(int(value) for value in one.values)
        return number(least=one.at_least, above=one.above, below=one.below, among=among)
    if one.values:
        return choice(*one.values)
    if one.file:
        return Annotated[text(blank=False), AfterValidator(_allowed_file)]
    blank = not one.required or one.name in _BLANK
    return text(one.most, blank=blank, pattern=_COUNTRY if one.name == "countryCode" else "")


def _id(one: Field) -> Any:
    if one.several:
        return OneOrMoreIds if one.several == "list" else text()
    if one.type == "any" or one.names == "models":  # a model's label does, too
        return Label if one.type != "string" else Identifier
    return NumericId if one.type == "numeric" else Identifier


def _allowed_file(name: str) -> str:
    if PurePath(name).suffix.lower().lstrip(".") not in LIMITS.upload_types:
        raise fault(f"must be a file of type {', '.join(LIMITS.upload_types)}")
    return name
