"""Taking slots of a budget in tests."""

from typing import Any

from sources.repair_shop.budget import Budget, KeyBudget, Slot, Wait


def working(budget: Budget, shop: Any) -> KeyBudget:
    """A key that worked once, long enough ago."""
    key = budget.key(shop)
    key.acquire().answered("ok")
    budget.sleep(61)
    return key


def take(key: KeyBudget, lane: Any = "sync", token: str | None = None) -> Slot:
    found = key.try_acquire(lane, token)
    assert isinstance(found, Slot)
    return found


def wait(key: KeyBudget, lane: Any = "sync", token: str | None = None) -> Wait:
    found = key.try_acquire(lane, token)
    assert isinstance(found, Wait)
    return found
