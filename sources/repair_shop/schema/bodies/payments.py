"""Bodies of payments, appointments and the time clock (specification, Payment ...)."""

# ruff: noqa: N815 - the fields are named as the service names them

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from ...schema.bodies.base import Body, Part, optional
from ...schema.bodies.fields import (
    Flag,
    Identifier,
    Number,
    OneOrMoreIds,
    choice,
    from_json_text,
    text,
)
from ...schema.bodies.moments import AnyMoment, Minute, Second

Text: Any = text()
Subject: Any = text(100, blank=False)
AppointmentType: Any = choice("InShop", "OnSite", "PhoneCall")


class PaymentLine(Part):
    """One payment line; amount in the shop's currency."""

    amount: Number
    paymentMethod: Identifier
    paymentNote: Text = optional()
    isAdvance: Flag = optional()


class PaymentCreate(Body):
    """POST /payments: payments of one invoice or of several."""

    section: ClassVar[str] = "Payment"

    invoiceId: OneOrMoreIds
    paymentDate: AnyMoment = optional()
    invoiceNote: Text = optional()
    lines: Annotated[list[PaymentLine], BeforeValidator(from_json_text), Field(min_length=1)]


class AppointmentUpdate(Body):
    """PUT /appointments/{appointmentId}: only the fields to change."""

    section: ClassVar[str] = "Appointment"

    subject: Subject = optional()
    description: Text = optional()
    type: AppointmentType = optional()
    color: Text = optional()
    location: Text = optional()
    latitude: Text = optional()
    longitude: Text = optional()
    ticket: Identifier = optional()
    customer: Identifier = optional()
    leads: Identifier = optional()
    dateandtime: Minute = optional()
    duration: Number = optional()
    attendees: Identifier = optional()


class AppointmentCreate(AppointmentUpdate):
    """POST /appointments, with the fields that exist on create only."""

    suggested: ClassVar[dict[str, Any]] = {"duration": 10}

    subject: Subject
    dateandtime: Minute
    duration: Number
    createticket: Flag = optional()
    presetId: Identifier = optional()


class TimeClockUpdate(Body):
    """PUT /timeClock/{timeClockId}: only the fields to change."""

    section: ClassVar[str] = "Staff time clock entry"

    inDate: Second = optional()
    inNotes: Text = optional()
    OutDate: Second = optional()
    OutNotes: Text = optional()
    userId: Identifier = optional()


class TimeClockCreate(TimeClockUpdate):
    """POST /timeClock."""

    inDate: Second
    inNotes: Text
    userId: Identifier
