"""The specification's field tables ("Resources and their fields") as pydantic models.

A block is a body: its name and the section of the specification (``; update``: it has no other
operation), then its fields in their order as ``name:kind``, plain text where no kind stands. Marks
behind a name: ``!`` must be there on create, ``+`` on create only, ``-`` on update only. ``=x`` is
what is sent when nothing is given, of fields that are required and have a default all the same.
``[block]`` is a list of objects with a block of their own, ``[block]*`` one that is not empty.
"""

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    create_model,
    model_validator,
)

from pipelines.bodies import moments
from pipelines.bodies.fields import (
    Flag,
    Identifier,
    Label,
    Number,
    NumericId,
    OneOrMoreIds,
    Priority,
    choice,
    fault,
    from_json_text,
    number,
    text,
)

UPLOAD_TYPES = ("pdf", "doc", "png", "jpg")
"""Specification, "Allowed file types for ticket uploads"."""
_TABLES = """
customers: Customer
  name!:long_name company VATRegistration email invoiceemail telephone mobile address city
  countryCode:country dateOfBirth:day group latitude longitude gender:gender referredBy
  accountManager paymentTermDays:number comments gdprCompliant:flag subSmsService:flag
  subPrintMedia:flag subEmailMarketing:flag subEmailNotifications:flag IntraCommunity:flag
  vatExemption:flag tax:id_number creditlimit
tickets: Ticket
  customerId!:id shortInfo!:filled status:label priority:priority issueType:label
  deviceModelId:label dueDate:day_or_second userId:id tax:from_0 discount:from_0
  discountLevel:level customerGroupDiscount:flag presetId:id createInvoice:flag invoiceDate:second
  invoiceDueDate:second printInvoice:flag printReceipt:flag printLabel:flag lines:[ticket_line]
  issueDescription+ createdDate+:day workApproved+:flag preDiagnosed+:flag
ticket_line: Ticket
  productCode!:filled quantity!:number unitPrice:number itemDescription
ticket_comments: Ticket comment; create
  ticket!:id status!:label=Update type!:visibility comment!:filled
ticket_timers: Ticket timer
  startDate!:second endDate!:second userId!:id notes ticket!+:id
ticket_upload: Ticket file upload metadata; create
  fileName!:file fileSize!:from_0 fileTitle displayType
product_upload: Ticket file upload metadata; create
  fileName!:filled fileSize!:from_0
payments: Payment; create
  invoiceId!:ids paymentDate:any_moment invoiceNote lines!:[payment_line]*
payment_line: Payment
  amount!:number paymentMethod!:id paymentNote isAdvance:flag
products: Product
  type!:product_type=product name!:name condition!:condition=New code!:code boughtFrom:id imei:imei
  category:id model:id additionalModels status!:product_status oneTimeUse:flag
  inventoryControl:flag TaxIncludedInCost:flag cost!:number TaxIncludedInPrice:flag price!:number
  enableOfferPrice:flag offerStart:minute offerEnd:minute TaxIncludedInOfferPrice:flag
  offerPrice:number tax!:id_number alertQuantity discountable:flag supplier:id
  reorderQuantity:number supplierItemCode emailToSupplier:flag physicalLocation warranty:id
  serialisedStock:flag maintenancePlan:flag planDuration:duration serviceSchedule:schedule
  description stockQuantity:above_0 stock_cog_per_item:number
models: Model
  brand!:id model_group:id name!:name status!:model_status
categories: Category
  name!:name profit_margin:margin parent_category:id
brands: Brand
  name!:name
stock: Stock record
  product!:id quantity!:number cog_per_item:number expired_on:minute
serials: Serial; update
  term_in_days serial other_serial_update:flag
adjustments: Stock adjustment
  adjustment_date!:minute reference_no:reference notes products+:[adjusted]
  add_products-:[added] update_products-:[updated] delete_products-:[deleted]
adjusted: Stock adjustment
  product_id!:id quantity!:number type!:direction internal_use:flag breakage:flag
added: Stock adjustment
  ad_product_id!:id ad_quantity!:number ad_type!:direction ad_internal_use:flag ad_breakage:flag
updated: Stock adjustment
  up_stock_id!:id up_quantity:number up_type:direction up_internal_use:flag up_breakage:flag
deleted: Stock adjustment
  stock_id!:id
leads: Lead
  name!:filled businessName telephone mobile!:filled countryCode:country email address
  gdprCompliant:flag subject!:filled description issueType:label userId:id referredBy
appointments: Appointment
  subject!:subject description type:appointment_type color location latitude longitude ticket:id
  customer:id leads:id dateandtime!:minute duration!:number=10 attendees:id createticket+:flag
  presetId+:id
time_clock: Staff time clock entry
  inDate!:second inNotes! OutDate:second OutNotes userId!:id
"""


def _allowed_type(name: str) -> str:
    if PurePath(name).suffix.lower().lstrip(".") not in UPLOAD_TYPES:
        raise fault(f"must be a file of type {', '.join(UPLOAD_TYPES)}")
    return name


_KINDS: Mapping[str, Any] = {
    "text": text(),
    "filled": text(blank=False),
    "code": text(25, blank=False),
    "name": text(100, blank=False),
    "subject": text(100, blank=False),
    "long_name": text(250, blank=False),
    "imei": text(20),
    "reference": text(50),
    "country": text(pattern="[A-Za-z]{2}"),
    "file": Annotated[text(blank=False), AfterValidator(_allowed_type)],
    "id": Identifier,
    "ids": OneOrMoreIds,
    "id_number": NumericId,
    "label": Label,
    "priority": Priority,
    "flag": Flag,
    "number": Number,
    "from_0": number(least=0),
    "above_0": number(above=0),
    "margin": number(above=0, below=100),
    "duration": number(among=tuple(range(3, 37, 3))),
    "schedule": number(among=tuple(range(1, 13))),
    "day": moments.Day,
    "minute": moments.Minute,
    "second": moments.Second,
    "day_or_second": moments.DayOrSecond,
    "any_moment": moments.AnyMoment,
    "gender": choice("Female", "Male", "Not Specified"),
    "level": choice("gross", "grand"),
    "visibility": choice("Private", "Public"),
    "product_type": choice("product", "service"),
    "condition": choice("New", "Used"),
    "product_status": choice("Active", "In active", "Request"),
    "model_status": choice("Active", "In active"),
    "direction": choice("Subtraction", "Addition"),
    "appointment_type": choice("InShop", "OnSite", "PhoneCall"),
}
_BLOCK = re.compile(r"^(\w+): ([\w ]+)(?:; (\w+))?\n((?:  .+\n)+)", re.MULTILINE)
_FIELD = re.compile(r"(\w+)([!+-]*)(?::([\w\[\]*]+))?(?:=(\w+))?")


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


def _kind(word: str) -> Any:
    if not word.startswith("["):
        return _KINDS[word or "text"]
    element: Any = models(word.strip("[]*"))["create"]
    least = int(word.endswith("*"))
    return Annotated[list[element], BeforeValidator(from_json_text), Field(min_length=least)]


def models(name: str) -> dict[str, type[Body]]:
    """The models of a block: operation (``create``, ``update``) -> body."""
    section, only, lines = _BLOCKS[name]
    made: dict[str, type[Body]] = {}
    for op, foreign in (("create", "-"), ("update", "+")):
        if only not in ("", op):
            continue
        fields: dict[str, Any] = {}
        suggested: dict[str, Any] = {}
        for field, marks, kind, default in _FIELD.findall(lines):
            if foreign in marks:
                continue
            fields[field] = (_kind(kind), ... if "!" in marks and op == "create" else None)
            if default and op == "create":
                suggested[field] = int(default) if default.isdecimal() else default
        base = _LeadUpdate if (name, op) == ("leads", "update") else Body
        made[op] = create_model(f"{name}_{op}", __base__=base, **fields)
        made[op].section, made[op].suggested = section, suggested
    return made


_BLOCKS = {name: (section, op, lines) for name, section, op, lines in _BLOCK.findall(_TABLES)}
_NUMERIC = {"number", "from_0", "above_0", "margin", "duration", "schedule"}


def numeric_fields(name: str) -> frozenset[str]:
    """The fields of a block whose values are numbers."""
    fields = _FIELD.findall(_BLOCKS[name][2])
    return frozenset(field for field, _, kind, _ in fields if kind in _NUMERIC)
