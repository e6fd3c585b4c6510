"""Publishing: the private database -> warehouse.duckdb, whole, and reading it."""
