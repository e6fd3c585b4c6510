"""Loading: the ledger's answers -> raw in the private database."""
