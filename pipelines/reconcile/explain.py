"""Explains a period that differs from the service's: by day, then by document, with a reason.

Reads the marts, ``staging`` and ``history`` of one warehouse; changes nothing. A finding's
``amount`` is what the document contributes to ``ours - theirs``, so findings whose amounts add up
to the difference explain it. What no document explains is said too, never left out.
"""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import duckdb

from sources.repair_shop.schema.dates import month_end

MEANING = {
    "deleted": "It is gone at the service; its report may still count it.",
    "missing": "Something here refers to it, but it is not in the mirror.",
    "edited": "It changed after an earlier night; the report may hold the earlier state.",
    "midnight": "It is dated so close to midnight that another clock puts it on the next day.",
    "unreadable": "Its amount is missing or could not be read.",
    "still_due": "It is not paid; the service may count it only once it is.",
    "unexplained": "No document here accounts for this much.",
}
"""Reasons, the likeliest first, in words."""
_ORDER = tuple(MEANING)
_QUERIES = Path(__file__).with_name("explain.sql")
_CENT = Decimal("0.005")
_MOST = 20
"""Findings of one day, at most."""


@dataclass(frozen=True)
class Finding:
    """One document (or remainder) that may account for a difference."""

    day: dt.date
    reason: str
    """One of :data:`MEANING`."""
    amount: Decimal | None
    """Its part of ``ours - theirs`` in the shop's currency; ``None`` when it cannot be known."""
    document_type: str | None
    document_id: str | None
    document_number: str | None
    detail: str
    settles: bool = False
    """Whether this one amount is exactly the day's difference."""

    @property
    def meaning(self) -> str:
        """The reason in a sentence."""
        return MEANING[self.reason]


class _Day(NamedTuple):
    day: dt.date
    difference: Decimal


def explain(
    connection: duckdb.DuckDBPyConnection, shop_id: str, report: str, period: dt.date
) -> list[Finding]:
    """The documents that may account for a difference in a report's period, likeliest first.

    ``report`` is one of ``monthly_sales``, ``monthly_purchases``, ``daily_sales``,
    ``daily_purchases``; ``period`` the month's first day, or the day. A month is split into its
    days where the service's days are known. At most 20 findings for each day. An empty list
    means the period agrees; ``ValueError`` that the service's figure for it is not known.
    """
    if report not in {"monthly_sales", "monthly_purchases", "daily_sales", "daily_purchases"}:
        raise ValueError(f"There is no report '{report}'.")
    found = connection.execute(
        "select difference, matches from marts.reconciliation "
        "where shop_id = ? and report = ? and period = ?",
        [shop_id, report, period],
    ).fetchone()
    if found is None:
        raise ValueError(f"The service's {report} for {period} is not known.")
    if found[1]:
        return []
    kind = report.split("_")[1]
    if report.startswith("daily"):
        return _of_span(connection, shop_id, kind, _Day(period, found[0]), period)
    days = _differing_days(connection, shop_id, kind, period)
    last = month_end(period)
    if not days:
        return _of_span(connection, shop_id, kind, _Day(period, found[0]), last)
    findings = [
        finding for day in days for finding in _of_span(connection, shop_id, kind, day, day.day)
    ]
    rest = found[0] - sum((day.difference for day in days), Decimal(0))
    if abs(rest) > _CENT:
        findings.append(
            _remainder(period, rest, "The days the service reported do not add up to its month.")
        )
    return findings


def _differing_days(
    connection: duckdb.DuckDBPyConnection, shop_id: str, kind: str, month: dt.date
) -> list[_Day]:
    rows = connection.execute(
        "select period, difference from marts.reconciliation where shop_id = ? and report = ? "
        "and period between ? and ? and not matches order by period",
        [shop_id, f"daily_{kind}", month, month_end(month)],
    ).fetchall()
    return [_Day(*row) for row in rows]


def _of_span(
    connection: duckdb.DuckDBPyConnection, shop_id: str, kind: str, day: _Day, last: dt.date
) -> list[Finding]:
    suspects = [
        _marked(suspect, day.difference)
        for suspect in _suspects(connection, shop_id, kind, day.day, last)
    ]
    suspects.sort(key=lambda one: (not one.settles, _ORDER.index(one.reason), one.day))
    kept = suspects[:_MOST]
    if any(one.settles for one in kept):
        return kept
    known = sum(
        (one.amount for one in kept if one.amount is not None and one.reason in _CERTAIN),
        Decimal(0),
    )
    if abs(day.difference - known) > _CENT:
        side = "more" if day.difference > 0 else "less"
        kept.append(
            _remainder(
                day.day,
                day.difference,
                f"The mirror holds {abs(day.difference):.2f} {side} than the service reports, and "
                "no single document is that much: the service counts others, or counts "
                "differently (try --calibrate).",
            )
        )
    return kept


# Reasons that are facts of their own; the others are only suspicions until the amount fits.
_CERTAIN = frozenset({"deleted", "edited"})


def _marked(finding: Finding, difference: Decimal) -> Finding:
    fits = finding.amount is not None and abs(finding.amount - difference) <= _CENT
    return replace(finding, settles=fits)


def _remainder(day: dt.date, amount: Decimal, detail: str) -> Finding:
    return Finding(day, "unexplained", amount, None, None, None, detail)


def _suspects(
    connection: duckdb.DuckDBPyConnection, shop_id: str, kind: str, first: dt.date, last: dt.date
) -> Iterator[Finding]:
    parameters = {"shop": shop_id, "first": first, "last": last}
    for reason, sql in _named_queries(kind):
        for day, *values in connection.execute(sql, parameters).fetchall():
            yield Finding(day, reason, *values)


def _named_queries(kind: str) -> Iterator[tuple[str, str]]:
    """The queries of ``explain.sql`` under ``-- name: <kind> <reason>``."""
    for part in _QUERIES.read_text(encoding="utf-8").split("-- name: ")[1:]:
        title, _, sql = part.partition("\n")
        for_kind, _, reason = title.strip().partition(" ")
        if for_kind == kind:
            yield reason, sql
