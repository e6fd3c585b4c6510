"""The rate budget: how many requests each key may still make, shared by the whole machine."""

from .limiter import Budget, BudgetState, KeyBudget, Lane, Outcome, Slot, Wait

__all__ = ["Budget", "BudgetState", "KeyBudget", "Lane", "Outcome", "Slot", "Wait"]
