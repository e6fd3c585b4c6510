"""The dbt project: SQL models over ``raw``. ``pipelines.models`` runs it; see its docstring."""
