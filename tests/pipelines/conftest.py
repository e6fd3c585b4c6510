"""Rows as the cleaner gives them, and a home of their own for each test."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from pipelines.home import Home
from pipelines.load.loader import Loader
from sources.repair_shop.schema.clean import clean_row

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def cleaned(
    table: str, *rows: dict[str, Any], shop: str = "main", minute: int = 0, seq: int = 0
) -> list[dict[str, Any]]:
    """Rows of a list, fetched at ``minute``, in order from ``seq``."""
    return [
        clean_row(
            row,
            table,
            shop_id=shop,
            zone=ZoneInfo("America/Guatemala"),
            extra={"_seen_at": START + timedelta(minutes=minute), "_seq": seq + number},
        )
        for number, row in enumerate(rows)
    ]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def loader(home: Home) -> Iterator[Loader]:
    yield Loader(home, ["main"])
