"""The dbt project: SQL models over ``raw``; run by ``pipelines.transform.models``."""
