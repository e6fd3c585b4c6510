"""Further destinations of the mirror, beside the file: a PostgreSQL, or any that dlt knows."""
