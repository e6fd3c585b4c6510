"""Bodies of customers and leads (specification, Customer and Lead)."""

# ruff: noqa: N815 - the fields are named as the service names them

from __future__ import annotations

from typing import Any, ClassVar, Self

from pydantic import ValidationInfo, model_validator

from ...schema.bodies.base import Body, optional
from ...schema.bodies.fields import (
    Flag,
    Identifier,
    Label,
    Number,
    NumericId,
    choice,
    fault,
    text,
)
from ...schema.bodies.moments import Day

CountryCode: Any = text(pattern="[A-Za-z]{2}")
Name: Any = text(250, blank=False)
Text: Any = text()
Filled: Any = text(blank=False)
Gender: Any = choice("Female", "Male", "Not Specified")


class CustomerUpdate(Body):
    """PUT /customers/{customerId}: only the fields to change."""

    section: ClassVar[str] = "Customer"

    name: Name = optional()
    company: Text = optional()
    VATRegistration: Text = optional()
    email: Text = optional()
    invoiceemail: Text = optional()
    telephone: Text = optional()
    mobile: Text = optional()
    address: Text = optional()
    city: Text = optional()
    countryCode: CountryCode = optional()
    dateOfBirth: Day = optional()
    group: Text = optional()
    latitude: Text = optional()
    longitude: Text = optional()
    gender: Gender = optional()
    referredBy: Text = optional()
    accountManager: Text = optional()
    paymentTermDays: Number = optional()
    comments: Text = optional()
    gdprCompliant: Flag = optional()
    subSmsService: Flag = optional()
    subPrintMedia: Flag = optional()
    subEmailMarketing: Flag = optional()
    subEmailNotifications: Flag = optional()
    IntraCommunity: Flag = optional()
    vatExemption: Flag = optional()
    tax: NumericId = optional()
    creditlimit: Text = optional()


class CustomerCreate(CustomerUpdate):
    """POST /customers."""

    name: Name
    paymentTermDays: Number = optional()


class LeadUpdate(Body):
    """PUT /leads/{leadId}: only the fields to change."""

    section: ClassVar[str] = "Lead"

    name: Filled = optional()
    businessName: Text = optional()
    telephone: Text = optional()
    mobile: Filled = optional()
    countryCode: CountryCode = optional()
    email: Text = optional()
    address: Text = optional()
    gdprCompliant: Flag = optional()
    subject: Filled = optional()
    description: Text = optional()
    issueType: Label = optional()
    userId: Identifier = optional()
    referredBy: Text = optional()

    @model_validator(mode="after")
    def _mobile_brings_its_country(self, info: ValidationInfo) -> Self:
        given = self.model_fields_set
        if type(self) is LeadUpdate and "mobile" in given and "countryCode" not in given:
            raise fault("countryCode is required when the mobile number is changed")
        return self


class LeadCreate(LeadUpdate):
    """POST /leads."""

    name: Filled
    mobile: Filled
    subject: Filled
