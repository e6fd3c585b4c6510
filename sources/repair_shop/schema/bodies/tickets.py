"""Bodies of tickets, their lines, comments, timers and uploads (specification, Ticket ...)."""

# ruff: noqa: N815 - the fields are named as the service names them

from __future__ import annotations

from pathlib import PurePath
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BeforeValidator

from ...schema.bodies.base import Body, Part, optional
from ...schema.bodies.fields import (
    Flag,
    Identifier,
    Label,
    Number,
    Priority,
    choice,
    fault,
    from_json_text,
    number,
    text,
)
from ...schema.bodies.moments import Day, DayOrSecond, Second

UPLOAD_TYPES = ("pdf", "doc", "png", "jpg")
"""Specification, "Allowed file types for ticket uploads"."""

Text: Any = text()
Filled: Any = text(blank=False)
ZeroOrMore: Any = number(least=0)
Level: Any = choice("gross", "grand")
Visibility: Any = choice("Private", "Public")


class TicketLine(Part):
    """An item line; on update a line with the productCode of an existing one updates it."""

    productCode: Filled
    quantity: Number
    unitPrice: Number = optional()
    itemDescription: Text = optional()


Lines = Annotated[list[TicketLine], BeforeValidator(from_json_text)]


class TicketUpdate(Body):
    """PUT /tickets/{ticketId}: only the fields to change."""

    section: ClassVar[str] = "Ticket"

    customerId: Identifier = optional()
    shortInfo: Filled = optional()
    status: Label = optional()
    priority: Priority = optional()
    issueType: Label = optional()
    deviceModelId: Label = optional()
    dueDate: DayOrSecond = optional()
    userId: Identifier = optional()
    tax: ZeroOrMore = optional()
    discount: ZeroOrMore = optional()
    discountLevel: Level = optional()
    customerGroupDiscount: Flag = optional()
    presetId: Identifier = optional()
    createInvoice: Flag = optional()
    invoiceDate: Second = optional()
    invoiceDueDate: Second = optional()
    printInvoice: Flag = optional()
    printReceipt: Flag = optional()
    printLabel: Flag = optional()
    lines: Lines = optional()


class TicketCreate(TicketUpdate):
    """POST /tickets, with the fields that exist on create only."""

    customerId: Identifier
    shortInfo: Filled
    status: Label = optional()
    issueDescription: Text = optional()
    createdDate: Day = optional()
    workApproved: Flag = optional()
    preDiagnosed: Flag = optional()


class TicketCommentCreate(Body):
    """POST /ticketComments."""

    section: ClassVar[str] = "Ticket comment"
    suggested: ClassVar[dict[str, Any]] = {"status": "Update"}

    ticket: Identifier
    status: Label
    type: Visibility
    comment: Filled


class TicketTimerUpdate(Body):
    """PUT /ticketTimers/{timerId}: only the fields to change; a timer keeps its ticket."""

    section: ClassVar[str] = "Ticket timer"

    startDate: Second = optional()
    endDate: Second = optional()
    userId: Identifier = optional()
    notes: Text = optional()


class TicketTimerCreate(TicketTimerUpdate):
    """POST /ticketTimers."""

    ticket: Identifier
    startDate: Second
    endDate: Second
    userId: Identifier


def _allowed_type(name: str) -> str:
    if PurePath(name).suffix.lower().lstrip(".") not in UPLOAD_TYPES:
        raise fault(f"must be a file of type {', '.join(UPLOAD_TYPES)}")
    return name


class ProductUpload(Body):
    """POST /products/{productId}/upload: what the file will be; fileSize in bytes."""

    section: ClassVar[str] = "Ticket file upload metadata"

    fileName: Filled
    fileSize: ZeroOrMore


class TicketUpload(ProductUpload):
    """POST /tickets/{ticketId}/upload."""

    fileName: Annotated[Filled, AfterValidator(_allowed_type)]
    fileTitle: Text = optional()
    displayType: Text = optional()
