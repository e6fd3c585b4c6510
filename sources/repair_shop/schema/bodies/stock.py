"""Bodies of stock records, serials and adjustments (specification, Stock record ...)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator

from ...schema.bodies.base import Body, Part, optional
from ...schema.bodies.fields import (
    Flag,
    Identifier,
    Number,
    choice,
    from_json_text,
    text,
)
from ...schema.bodies.moments import Minute

Text: Any = text()
Reference: Any = text(50)
Direction: Any = choice("Subtraction", "Addition")


class StockUpdate(Body):
    """PUT /stock/{stockId}: only the fields to change."""

    section: ClassVar[str] = "Stock record"

    product: Identifier = optional()
    quantity: Number = optional()
    cog_per_item: Number = optional()
    expired_on: Minute = optional()


class StockCreate(StockUpdate):
    """POST /stock."""

    product: Identifier
    quantity: Number


class SerialUpdate(Body):
    """PUT /serials/{serialId}; serials come into being with stock, so there is no create."""

    section: ClassVar[str] = "Serial"

    term_in_days: Text = optional()
    serial: Text = optional()
    other_serial_update: Flag = optional()


class AdjustedProduct(Part):
    """An element of an adjustment's products."""

    product_id: Identifier
    quantity: Number
    type: Direction
    internal_use: Flag = optional()
    breakage: Flag = optional()


class AddedProduct(Part):
    """An element of add_products."""

    ad_product_id: Identifier
    ad_quantity: Number
    ad_type: Direction
    ad_internal_use: Flag = optional()
    ad_breakage: Flag = optional()


class UpdatedProduct(Part):
    """An element of update_products: a stock line of the adjustment."""

    up_stock_id: Identifier
    up_quantity: Number = optional()
    up_type: Direction = optional()
    up_internal_use: Flag = optional()
    up_breakage: Flag = optional()


class DeletedProduct(Part):
    """An element of delete_products."""

    stock_id: Identifier


class AdjustmentCreate(Body):
    """POST /adjustments."""

    section: ClassVar[str] = "Stock adjustment"

    adjustment_date: Minute
    reference_no: Reference = optional()
    notes: Text = optional()
    products: Annotated[list[AdjustedProduct], BeforeValidator(from_json_text)] = optional()


class AdjustmentUpdate(Body):
    """PUT /adjustments/{adjustmentId}."""

    section: ClassVar[str] = "Stock adjustment"

    adjustment_date: Minute = optional()
    reference_no: Reference = optional()
    notes: Text = optional()
    add_products: Annotated[list[AddedProduct], BeforeValidator(from_json_text)] = optional()
    update_products: Annotated[list[UpdatedProduct], BeforeValidator(from_json_text)] = optional()
    delete_products: Annotated[list[DeletedProduct], BeforeValidator(from_json_text)] = optional()
