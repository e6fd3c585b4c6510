"""Explains a period that differs from the service's: by day, then by document, with a reason.

Reads the marts, ``staging`` and ``history`` of one warehouse; changes nothing. A finding's
``amount`` is what the document contributes to ``ours - theirs``, so findings whose amounts add up
to the difference explain it. What no document explains is said too, never left out.
"""

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import duckdb

from sources.repair_shop.migrations import named
from sources.repair_shop.schema.dates import month_end

MEANING = {
    "late": "The service's report has nothing of this day yet; it may be made later.",
    "deleted": "It is gone at the service; its report may still count it.",
    "missing": "Something here refers to it, but it is not in the mirror.",
    "edited": "It changed after an earlier night; the report may hold the earlier state.",
    "midnight": "It is dated so close to midnight that another clock puts it on the next day.",
    "unreadable": "Its amount is missing or could not be read.",
    "void": "Its status is neither Paid nor Due; the service may not count it.",
    "still_due": "It is not paid; the service may count it only once it is.",
    "unexplained": "No document here accounts for this much.",
}
"""Reasons, the likeliest first, in words."""
_ORDER = tuple(MEANING)
_QUERIES = Path(__file__).with_name("explain.sql")
_CENT = Decimal("0.005")
# Late: asked on the day itself, or in the night after it of a zone behind UTC.
_COMPARED = """
select period, difference, theirs = 0 and period >= cast(fetched_at as date) - 1, matches
from marts.reconciliation where shop_id = ? and report = ? and period between ? and ? order by 1
"""
_NO_SUM = "The days the service reported do not add up to its month."
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
    document_type: str | None = None
    document_id: str | None = None
    document_number: str | None = None
    detail: str = ""
    settles: bool = False
    """Whether this one amount is exactly the day's difference."""

    @property
    def meaning(self) -> str:
        """The reason in a sentence."""
        return MEANING[self.reason]


class _Day(NamedTuple):
    day: dt.date
    difference: Decimal
    is_late: bool = False


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
    found = connection.execute(_COMPARED, [shop_id, report, period, period]).fetchone()
    if found is None:
        raise ValueError(f"The service's {report} for {period} is not known.")
    *whole, matches = found
    if matches:
        return []
    kind = report.split("_")[1]
    if report.startswith("daily"):
        return _of_span(connection, shop_id, kind, _Day(*whole), period)
    last = month_end(period)
    rows = connection.execute(_COMPARED, [shop_id, f"daily_{kind}", period, last]).fetchall()
    days = [_Day(*day) for *day, matches in rows if not matches]
    if not days:
        return _of_span(connection, shop_id, kind, _Day(*whole), last)
    findings = [
        finding for day in days for finding in _of_span(connection, shop_id, kind, day, day.day)
    ]
    rest = whole[1] - sum((day.difference for day in days), Decimal(0))
    if abs(rest) > _CENT:
        findings.append(Finding(period, "unexplained", rest, detail=_NO_SUM))
    return findings


def _of_span(
    connection: duckdb.DuckDBPyConnection, shop_id: str, kind: str, day: _Day, last: dt.date
) -> list[Finding]:
    suspects = []
    parameters = {"shop": shop_id, "first": day.day, "last": last}
    for name, sql in named(_QUERIES.read_text(encoding="utf-8")).items():
        of_kind, _, reason = name.partition(" ")
        if of_kind != kind:
            continue
        for on, amount, of, identity, number, detail in connection.execute(
            sql, parameters
        ).fetchall():
            fits = amount is not None and abs(amount - day.difference) <= _CENT
            suspects.append(Finding(on, reason, amount, of, identity, number, detail, fits))
    if day.is_late:
        suspects.append(Finding(day.day, "late", day.difference, settles=True))
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
        detail = (
            f"The mirror holds {abs(day.difference):.2f} {side} than the service reports, and "
            "no single document is that much: the service counts others, or counts "
            "differently (try --calibrate)."
        )
        kept.append(Finding(day.day, "unexplained", day.difference, detail=detail))
    return kept


# Reasons that are facts of their own; the others are only suspicions until the amount fits.
_CERTAIN = frozenset({"deleted", "edited"})
