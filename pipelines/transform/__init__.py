"""Transforming: raw -> staging, marts and history, by dbt."""
