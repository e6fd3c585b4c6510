"""Word lists of the invented shop: people in many scripts, devices, parts, phrases.

They stand in ``words.toml``. Short on purpose: combinations make the variety, not the length of the
lists. Brands are invented.
"""

import tomllib
from pathlib import Path
from typing import Any, NamedTuple


class Script(NamedTuple):
    """People's names of one script, and how they are written."""

    weight: int
    """How many of a hundred customers carry such a name."""
    given: tuple[str, ...]
    family: tuple[str, ...]
    family_first: bool = False
    """Family name first, without a space (Chinese, Japanese, Korean)."""


class Country(NamedTuple):
    """Where a shop stands."""

    code: str
    currency: str
    dial: str


_DATA: dict[str, Any] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _rows(name: str) -> Any:
    return tuple(tuple(row) for row in _DATA[name])


SCRIPTS = tuple(
    Script(one["weight"], _words(one["given"]), _words(one["family"]), "family_first" in one)
    for one in _DATA["scripts"]
)
COMPANIES, STREETS, BRANDS, MODEL_STEMS = (
    _words(_DATA[name]) for name in ("companies", "streets", "brands", "model_stems")
)
COMPANY_FORMS: tuple[str, ...] = tuple(_DATA["company_forms"])
CITIES: tuple[tuple[str, str], ...] = _rows("cities")
MODEL_GROUPS: tuple[str, ...] = tuple(_DATA["model_groups"])
REPAIR_CATEGORIES: tuple[str, ...] = tuple(_DATA["repair_categories"])
SHELF_CATEGORIES: tuple[str, ...] = tuple(_DATA["shelf_categories"])
SERVICE_CATEGORY = "Labour"
GOODS: dict[str, tuple[tuple[str, int, int], ...]] = {
    category: tuple(tuple(row) for row in rows) for category, rows in _DATA["goods"].items()
}
SERVICES: tuple[tuple[str, int], ...] = _rows("services")
ISSUES: tuple[tuple[str, str | None, str], ...] = tuple(
    (name, category or None, fault) for name, category, fault in _DATA["issues"]
)
STATUSES: tuple[tuple[str, str, bool], ...] = _rows("statuses")
SPANISH_STATUSES: dict[str, str] = _DATA["spanish_statuses"]
COMMENTS: dict[str, tuple[str, ...]] = {
    status: tuple(texts) for status, texts in _DATA["comments"].items()
}
RETURN_REASONS: tuple[str, ...] = tuple(_DATA["return_reasons"])
EXPENSE_CATEGORIES: tuple[tuple[str, int, int], ...] = _rows("expense_categories")
LEAD_STATUSES: tuple[str, ...] = tuple(_DATA["lead_statuses"])
LEAD_SUBJECTS: tuple[str, ...] = tuple(_DATA["lead_subjects"])
SOURCES: tuple[str, ...] = tuple(_DATA["sources"])
CARRIERS: tuple[str, ...] = tuple(_DATA["carriers"])
CUSTOM_FIELDS: tuple[tuple[str, str, str, int, int, str], ...] = _rows("custom_fields")
COUNTRIES = {zone: Country(*row) for zone, row in _DATA["countries"].items()}
"""By time zone; a shop in any other zone is one in Guatemala that keeps strange hours."""
