"""The four sizes of a shop: how long it has been open and how much goes on in it."""

from dataclasses import dataclass
from typing import Literal

Size = Literal["tiny", "small", "medium", "large"]


@dataclass(frozen=True)
class Scale:
    """Targets of one size; the rows of all lists add up to about ``rows``."""

    rows: int
    days: int
    tickets: int
    pos_orders: int
    models: int
    products: int
    users: int
    clock_share: float
    """Share of the days that staff remembered to clock in."""
    leads: int
    appointments: int
    expenses_a_month: int


SCALES: dict[Size, Scale] = {
    "tiny": Scale(1_000, 425, 55, 48, 10, 44, 5, 0.02, 14, 14, 2),
    "small": Scale(10_000, 913, 1_000, 980, 30, 180, 7, 0.10, 110, 150, 4),
    "medium": Scale(100_000, 1_461, 10_400, 10_800, 90, 700, 14, 0.35, 1_000, 1_600, 8),
    "large": Scale(1_000_000, 2_192, 109_000, 116_000, 240, 2_500, 45, 0.50, 9_000, 15_000, 20),
}
