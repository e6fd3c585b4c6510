"""Bodies of products, models, categories and brands (specification, Product, Model ...)."""

# ruff: noqa: N815 - the fields are named as the service names them

from __future__ import annotations

from typing import Any, ClassVar

from ...schema.bodies.base import Body, optional
from ...schema.bodies.fields import (
    Flag,
    Identifier,
    Number,
    NumericId,
    choice,
    number,
    text,
)
from ...schema.bodies.moments import Minute

Text: Any = text()
Name: Any = text(100, blank=False)
Code: Any = text(25, blank=False)
Imei: Any = text(20)
ProductType: Any = choice("product", "service")
Condition: Any = choice("New", "Used")
ProductStatus: Any = choice("Active", "In active", "Request")
ModelStatus: Any = choice("Active", "In active")
Duration: Any = number(among=tuple(range(3, 37, 3)))
Schedule: Any = number(among=tuple(range(1, 13)))
AboveZero: Any = number(above=0)
Margin: Any = number(above=0, below=100)


class ProductUpdate(Body):
    """PUT /products/{productId}: only the fields to change."""

    section: ClassVar[str] = "Product"

    type: ProductType = optional()
    name: Name = optional()
    condition: Condition = optional()
    code: Code = optional()
    boughtFrom: Identifier = optional()
    imei: Imei = optional()
    category: Identifier = optional()
    model: Identifier = optional()
    additionalModels: Text = optional()
    status: ProductStatus = optional()
    oneTimeUse: Flag = optional()
    inventoryControl: Flag = optional()
    TaxIncludedInCost: Flag = optional()
    cost: Number = optional()
    TaxIncludedInPrice: Flag = optional()
    price: Number = optional()
    enableOfferPrice: Flag = optional()
    offerStart: Minute = optional()
    offerEnd: Minute = optional()
    TaxIncludedInOfferPrice: Flag = optional()
    offerPrice: Number = optional()
    tax: NumericId = optional()
    alertQuantity: Text = optional()
    discountable: Flag = optional()
    supplier: Identifier = optional()
    reorderQuantity: Number = optional()
    supplierItemCode: Text = optional()
    emailToSupplier: Flag = optional()
    physicalLocation: Text = optional()
    warranty: Identifier = optional()
    serialisedStock: Flag = optional()
    maintenancePlan: Flag = optional()
    planDuration: Duration = optional()
    serviceSchedule: Schedule = optional()
    description: Text = optional()
    stockQuantity: AboveZero = optional()
    stock_cog_per_item: Number = optional()


class ProductCreate(ProductUpdate):
    """POST /products."""

    suggested: ClassVar[dict[str, Any]] = {"type": "product", "condition": "New"}

    type: ProductType
    name: Name
    condition: Condition
    code: Code
    status: ProductStatus
    cost: Number
    price: Number
    enableOfferPrice: Flag = optional()
    tax: NumericId
    planDuration: Duration = optional()
    serviceSchedule: Schedule = optional()


class ModelUpdate(Body):
    """PUT /models/{modelId}: only the fields to change."""

    section: ClassVar[str] = "Model"

    brand: Identifier = optional()
    model_group: Identifier = optional()
    name: Name = optional()
    status: ModelStatus = optional()


class ModelCreate(ModelUpdate):
    """POST /models."""

    brand: Identifier
    name: Name
    status: ModelStatus


class CategoryUpdate(Body):
    """PUT /categories/{categoryId}: only the fields to change."""

    section: ClassVar[str] = "Category"

    name: Name = optional()
    profit_margin: Margin = optional()
    parent_category: Identifier = optional()


class CategoryCreate(CategoryUpdate):
    """POST /categories."""

    name: Name


class BrandUpdate(Body):
    """PUT /brands/{brandId}."""

    section: ClassVar[str] = "Brand"

    name: Name = optional()


class BrandCreate(BrandUpdate):
    """POST /brands."""

    name: Name
