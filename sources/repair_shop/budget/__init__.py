"""The rate budget: how many requests each key may still make, shared by the whole machine.

::

    key = Budget(home / "budget.sqlite").key(shop)
    slot = key.acquire("sync")      # waits for the limit, for silences, for its turn
    ...                             # the request
    slot.answered("ok")
"""

from .limiter import Budget, KeyBudget, Lane, Outcome, Slot, Wait
from .rules import Standing

__all__ = ["Budget", "KeyBudget", "Lane", "Outcome", "Slot", "Standing", "Wait"]
