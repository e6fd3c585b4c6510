"""Nights of little work: few models, for tests that do not ask the marts."""

import re

import pytest

from pipelines.transform import compiled

NEEDED = (
    "marts.reconciliation", "marts.payments", "marts.daily_sales", "marts.purchase_documents",
    "ops.unreadable", "intermediate.int_sales_by_definition",
    "intermediate.int_purchases_by_definition",
)  # fmt: skip
"""What a sync itself asks: the figures that reports are compared with."""


def build_few(patch: pytest.MonkeyPatch, *tables: str) -> None:
    """Builds make what a sync asks and these tables from now on, and carry out these tests only."""
    whole = compiled.read

    def few(project):
        nodes = whole(project)
        named = {f"{node.schema}.{node.table}": node for node in nodes if node.kind != "test"}
        wanted, left = set[str](), [*NEEDED, *tables]
        while left:
            if (table := left.pop()) in named and table not in wanted:
                wanted.add(table)
                left += [
                    f"{a}.{b}" for a, b in re.findall(r'"?(\w+)"?\."?(\w+)"?', named[table].sql)
                ]
        return [
            node for node in nodes if f"{node.schema}.{node.table}" in wanted or node.name in tables
        ]

    patch.setattr(compiled, "read", few)
