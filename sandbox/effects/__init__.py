"""What follows from a write beside keeping what was sent (specification, Resources)."""
