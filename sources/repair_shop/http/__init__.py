"""The client of one shop: requests within the budget, answers told apart."""
