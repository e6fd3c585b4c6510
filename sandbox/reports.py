"""The four reports, counted from the documents as the shop's definition says."""

import calendar
import re
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from sandbox.calls import Answer, Call, Query, Refusal
from sandbox.quirks import Definition, Quirks
from sandbox.render import spelled
from sandbox.store import ShopStore
from sandbox.values import MONTHS, BadValue

REPORTS = ("monthlySales", "monthlyPurchases", "dailySales", "dailyPurchases")
_MOST_DAYS = 3_700
"""More days in one answer are refused; ten years are enough for anyone."""
_RETURN_DAY = "substr(json_extract(r.value, '$.created_date'), 1, 10)"
_BACK = "CAST(round(100 * json_extract(r.value, '$.amount')) AS INTEGER)"
_BACK_TAX = (
    "(SELECT coalesce(sum(CAST(round(100 * json_extract(l.value, '$.tax')) AS INTEGER)), 0) "
    "FROM json_each(r.value, '$.lines') AS l)"
)

Sums = dict[str, int]


def report(name: str, call: Call) -> Answer:
    """Answer one report in the shape the shop has."""
    store, quirks = call.store, call.quirks
    is_monthly = name.startswith("monthly")
    if is_monthly:
        year = call.query.read("year", _year) or int(store.now_text()[:4])
        first, last = date(year, 1, 1), date(year, 12, 31)
    else:
        first, last = _span(call.query, store)
    kind = "sales" if name.endswith("Sales") else "purchases"
    counted = by_day(kind, store, quirks.definition, first.isoformat(), last.isoformat())
    days = sorted(counted)
    if quirks.zero_periods:
        days = [(first + timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]
    length = len("yyyy-mm" if is_monthly else "yyyy-mm-dd")
    sums: dict[Any, int] = dict.fromkeys((day[:length] for day in days), 0)
    for day, value in counted.items():
        sums[day[:length]] += value
    if not is_monthly:
        return Answer(_shape(sums, "date", quirks.daily_report, quirks))
    if quirks.monthly_report != "parts":
        sums = {_month_name(month, quirks.month_name): value for month, value in sums.items()}
    return Answer(_shape(sums, "month", quirks.monthly_report, quirks))


def _year(text: str) -> int:
    if not re.fullmatch("[0-9]{4}", text) or text == "0000":
        raise BadValue("must be a year in the form yyyy")
    return int(text)


def _span(query: Query, store: ShopStore) -> tuple[date, date]:
    """The days asked for; without any the current month so far, with one only that day."""
    today = date.fromisoformat(store.now_text()[:10])
    given_first, given_last = query.day("dateFrom"), query.day("dateTo")
    first = given_first or given_last or today.replace(day=1)
    last = given_last or given_first or today
    if last < first:
        raise Refusal("Parameter 'dateTo' must not lie before 'dateFrom'.")
    if (last - first).days > _MOST_DAYS:
        raise Refusal(f"At most {_MOST_DAYS} days can be asked for at once.")
    return first, last


def by_day(kind: str, store: ShopStore, rule: Definition, first: str, last: str) -> Sums:
    """``sales`` or ``purchases`` from one day to another: day -> hundredths."""
    asked = {"shop": store.shop, "first": first, "last": last}
    sums: Sums = {}
    for counted in (_sales if kind == "sales" else _purchases)(rule):
        query = (
            f"SELECT day, sum(value) FROM ({counted}) "
            "WHERE day BETWEEN :first AND :last GROUP BY day"
        )
        for day, value in store.database.rows(query, asked):
            sums[day] = sums.get(day, 0) + value
    return sums


def _sales(rule: Definition) -> Iterator[str]:
    """Statements of days and values, which are to be added up."""
    net = rule.tax == "net"
    amount = "d.total_cents - d.tax_cents" if net else "d.total_cents"
    paid = " AND d.status = 'Paid'" if rule.documents == "paid" else ""
    for table in ("r_ticket_invoices", "r_pos_orders"):
        if rule.date == "created":
            yield (
                f"SELECT d.created_day AS day, {amount} AS value FROM {table} AS d "
                f"WHERE d.shop = :shop{paid}"
            )
        elif rule.date == "payment":
            yield (
                f"SELECT p.day, {amount} AS value FROM {table} AS d JOIN (SELECT document_id, "
                "max(created_day) AS day FROM r_payments WHERE shop = :shop AND cents >= 0 "
                "GROUP BY 1) AS p ON p.document_id = d.id "
                "WHERE d.shop = :shop AND d.status = 'Paid'"
            )
        else:
            share = "p.cents * 1.0 * (d.total_cents - d.tax_cents) / d.total_cents"
            value = f"CAST(round(CASE d.total_cents WHEN 0 THEN 0 ELSE {share} END) AS INTEGER)"
            yield (
                f"SELECT p.created_day AS day, {value if net else 'p.cents'} AS value "
                f"FROM r_payments AS p JOIN {table} AS d ON d.shop = p.shop "
                f"AND d.id = p.document_id WHERE p.shop = :shop AND p.cents >= 0{paid}"
            )
        if rule.returns != "ignored":
            day = "d.created_day" if rule.returns == "sale_day" else _RETURN_DAY
            back = f"{_BACK} - {_BACK_TAX}" if net else _BACK
            yield (
                f"SELECT {day} AS day, -({back}) AS value FROM {table} AS d, "
                f"json_each(d.doc, '$.returns') AS r WHERE d.shop = :shop{paid}"
            )


def _purchases(rule: Definition) -> Iterator[str]:
    day = "received_day" if rule.purchase_date == "received" else "created_day"
    value = "cost_cents + shipping_cents" if rule.shipping else "cost_cents"
    yield f"SELECT {day} AS day, {value} AS value FROM r_purchase_orders WHERE shop = :shop"
    if rule.expenses:
        yield "SELECT created_day AS day, cents AS value FROM r_expenses WHERE shop = :shop"


def _month_name(month: str, style: str) -> Any:
    number = int(month[5:])
    names = {"Jan": MONTHS[number - 1], "January": calendar.month_name[number], "number": number}
    return names.get(style, month)


def _amount(value: int, quirks: Quirks) -> Any:
    return spelled(Decimal(value).scaleb(-2), quirks.report_amounts)


def _shape(sums: Mapping[Any, int], name: str, shape: str, quirks: Quirks) -> Any:
    if shape == "object":
        return {str(period): _amount(value, quirks) for period, value in sums.items()}
    if shape == "list":
        return [{name: period, "total": _amount(value, quirks)} for period, value in sums.items()]
    return [
        {
            # The period's numbers apart; tax and count beside the total are made up.
            **dict(zip(("year", "month", "day"), map(int, period.split("-")), strict=False)),
            "amount": _amount(value, quirks),
            "tax": Decimal(value * 12 // 112).scaleb(-2),
            "count": 1 + value % 7,
        }
        for period, value in sums.items()
    ]
