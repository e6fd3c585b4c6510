"""The answer of a report -> the total of each day or month; read with certainty, or refused.

Read are lists of entries and objects keyed by period, in an envelope or without; periods as ISO
dates, the specification's dates, days with slashes, or months by number or English or Spanish name;
totals under the names below or under the setting ``report_total``. A sum beside the entries must be
theirs. What is left unclear raises :class:`Unreadable`: a report read wrongly would "prove" wrong
books.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal
from zoneinfo import ZoneInfo

from sources.repair_shop.schema.dates import Order, month_number, order_of, parse_moment
from sources.repair_shop.schema.names import snake_case
from sources.repair_shop.schema.values import (
    Sign,
    bare_amount,
    parse_amount,
    readings,
    sign_of,
    to_text,
)

CENT = Decimal("0.01")
Totals = dict[date, Decimal]
Grain = Literal["month", "day"]
Fields = dict[str, Any]

TOTAL_NAMES = (
    "gross_total total_gross gross grand_total total_inc_tax total_inc_vat total total_amount "
    "amount_total totals total_sales total_purchases importe_total monto_total amount value sum "
    "sales purchases revenue monto importe ventas compras net net_total net_amount subtotal"
).split()
"""What a total may be called, the plainest first; ``""`` is a total without a name."""
_TAX_NAMES = frozenset("tax taxes vat iva gst tax_total total_tax impuesto impuestos".split())
_NOTES = _TAX_NAMES | {"year", "ano", "anio", "month", "mes", "count", "number", "currency"}
_SUM_WORDS = frozenset("total totals sum all grand_total suma total_general".split())
_PERIODS = frozenset("date fecha period periodo label name key month mes day dia".split())
_YEARS = frozenset("year ano anio".split())
_BESIDE = frozenset(
    "meta pagination paging links summary totals filters query params currency shop status".split()
)
"""Lists and objects beside the entries that hold none."""
_PAGES = {"next": 0, "next_page": 0, "next_page_url": 0, "has_more": 0, "has_next": 0}
_PAGES |= {"last_page": 1, "total_pages": 1, "page_count": 1, "pages": 1}
"""Fields that say that there are more pages, and up to which number they do not."""
_YEAR_MONTH = re.compile(r"(\d{4})[-/](\d{1,2})")
_MONTH_YEAR = re.compile(r"(\d{1,2})[-/](\d{4})")
_NAMED_MONTH = re.compile(r"([A-Za-z]{3,10})\.?(?:[-\s/]+(\d{4}))?")


class Unreadable(Exception):
    """The answer cannot be read with certainty; the message says what was seen, and the mend."""


@dataclass(frozen=True)
class Question:
    """What was asked. ``first`` and ``last`` are days; of a monthly report, first days of months
    (the last one that can have figures)."""

    path: str
    grain: Grain
    first: date
    last: date
    zone: ZoneInfo
    total_field: str = ""
    """The field that holds the total, where the settings name it."""
    month_total: Decimal | None = None
    """What the monthly report says of these days, if they are a whole month."""

    @property
    def periods(self) -> list[date]:
        """All days, or months, that were asked for."""
        if self.grain == "month":
            return [date(self.first.year, month, 1) for month in range(1, self.last.month + 1)]
        return [self.first + timedelta(n) for n in range((self.last - self.first).days + 1)]


@dataclass
class _Answer:
    """Entries by plain field names, and amounts beside them that should be their sum."""

    question: Question
    entries: list[Fields] = field(default_factory=list)
    sums: list[Any] = field(default_factory=list)

    def take(self, node: Any, known: Fields) -> None:
        """Take a part of the answer apart; ``known`` is what was said of the period further up."""
        if isinstance(node, list):
            for row in node:
                if not isinstance(row, Mapping):
                    raise Unreadable(f"{to_text(row)[:20]!r} among the entries of a list")
                self._entry(known | {plain(key): value for key, value in row.items()})
        elif not isinstance(node, Mapping):
            raise Unreadable(f"{to_text(node)[:20]!r} where a list or an object was expected")
        elif keys := [key for key in node if _is_period(key)]:
            self._keyed(node, keys, known)
        elif node:
            self._envelope({plain(key): value for key, value in node.items()}, known)

    def _keyed(self, node: Mapping[str, Any], keys: Sequence[str], known: Fields) -> None:
        for key in keys:
            value = node[key]
            if isinstance(value, Mapping) and any(map(_is_period, value)):
                name = "year" if len(key) == 4 and key.isdigit() else "month"
                self.take(value, {**known, name: key})
            elif isinstance(value, Mapping):
                inner = {plain(name): one for name, one in value.items()}
                self._entry({**known, "period": key, **inner})
            else:
                self._entry({**known, "period": key, "": value})
        beside = {plain(key): value for key, value in node.items() if key not in keys}
        for name, value in beside.items():
            is_note = name in _NOTES or name in TOTAL_NAMES or name in _PAGES
            if not (is_note or isinstance(value, str)) or isinstance(value, Mapping | list):
                raise Unreadable(f"the key {name[:40]!r}, which is no {self.question.grain}")
        self._beside(beside)

    def _envelope(self, fields: Fields, known: Fields) -> None:
        inner = {n: v for n, v in fields.items() if isinstance(v, Mapping | list)}
        if not inner:
            self._entry(known | fields)
            return
        own = plain(self.question.path.strip("/"))
        full = {n: v for n, v in inner.items() if v and (n == own or n not in _BESIDE)}
        if not full and all(name in _BESIDE for name in inner):
            raise Unreadable(f"only {', '.join(sorted(inner))[:80]}")
        if own in full:
            full = {own: full[own]}
        if len(full) > 1:
            raise Unreadable(f"several lists ({', '.join(sorted(full))[:80]}); one is meant")
        said = {n: v for n, v in fields.items() if n in _YEARS or n in ("month", "mes")}
        for value in full.values():
            self.take(value, known | said)
        self._beside({n: v for n, v in fields.items() if n not in inner})

    def _entry(self, fields: Fields) -> None:
        self._refuse_pages(fields)
        names = [fields[n] for n in fields if n in _PERIODS]
        if any(isinstance(name, str) and plain(name) in _SUM_WORDS for name in names):
            self.sums += [v for n, v in fields.items() if n == "" or n in TOTAL_NAMES]
        else:
            self.entries.append(fields)

    def _beside(self, fields: Fields) -> None:
        self._refuse_pages(fields)
        self.sums += [v for n, v in fields.items() if n in TOTAL_NAMES and _is_said(v)]

    def _refuse_pages(self, fields: Fields) -> None:
        for name, least in _PAGES.items():
            value = fields.get(name)
            number = isinstance(value, int) and not isinstance(value, bool)
            if value and (not number or value > least):
                raise Unreadable(f"one of several pages ({name}: {to_text(value)[:20]})")


def plain(name: object) -> str:
    """A name as it is looked up: ``totalAmount`` -> ``total_amount``, ``Año`` -> ``ano``."""
    return snake_case(str(name).replace("ñ", "n").replace("Ñ", "N")) if name else ""


def read(payload: Any, question: Question) -> Totals:
    """The total of every period asked for, zero for those without an entry.

    :class:`Unreadable` when the answer cannot be read, or in more than one way.
    """
    answer = _Answer(question)
    answer.take(payload, {})
    totals = dict.fromkeys(question.periods, Decimal(0))
    days, values = list[date](), list[Decimal]()
    if answer.entries:
        days = _days(answer.entries, question)
        values = _amounts(_total_field(answer.entries, question), answer.entries, question)
    for said in answer.sums:
        _check(said, values)
    return totals | {day: v for day, v in zip(days, values, strict=True) if day in totals}


# Periods -----------------------------------------------------------------------------------------


def _is_period(key: object) -> bool:
    text = str(key)
    is_moment = parse_moment(text, ZoneInfo("UTC"), "day first") is not None
    return is_moment or text.isdigit() or any(_texts_of(text))


def _texts_of(text: str) -> Iterator[tuple[int | None, int]]:
    """(year, month) of a month in words or as ``2026-01`` or ``01/2026``."""
    if found := _YEAR_MONTH.fullmatch(text):
        yield int(found[1]), int(found[2])
    elif found := _MONTH_YEAR.fullmatch(text):
        yield int(found[2]), int(found[1])
    elif (found := _NAMED_MONTH.fullmatch(text)) and (month := month_number(found[1])):
        yield int(found[2]) if found[2] else None, month


def _days(entries: Sequence[Fields], question: Question) -> list[date]:
    """The day, or first day of the month, of each entry."""
    texts = [v for entry in entries for n, v in entry.items() if n in _PERIODS]
    shown = {order for text in texts if (order := order_of(text))}
    order = shown.pop() if len(shown) == 1 else None
    days = [_day(entry, question, order) for entry in entries]
    for day in days:
        if days.count(day) > 1:
            raise Unreadable(f"more than one entry for {day}, and nothing says that they add up")
    asked = set(question.periods)
    covers = min(days) <= question.first and max(days) >= question.last
    if question.grain == "month":
        asked |= {day for day in days if day.year == question.first.year}
    if not covers and not set(days) <= asked:
        raise Unreadable(
            f"figures of {min(days)} to {max(days)} where {question.first} to {question.last} "
            "was asked"
        )
    return days


def _day(entry: Fields, question: Question, order: Order | None) -> date:
    parts: dict[str, int] = {}
    for name, value in entry.items():
        if (name in _PERIODS or name in _YEARS) and _is_said(value):
            for part, number in _parts(name, value, question, order).items():
                if parts.setdefault(part, number) != number:
                    raise Unreadable("fields that name different periods for one entry")
    fitting = [
        asked
        for asked in _candidates(parts, question)
        if all(getattr(asked, part) == number for part, number in parts.items())
    ]
    needed = {"month"} if question.grain == "month" else {"day"}
    if not needed <= parts.keys() or len(fitting) != 1:
        seen = ", ".join(f"{n} {to_text(v)[:20]!r}" for n, v in sorted(entry.items()))[:120]
        raise Unreadable(f"an entry without a {question.grain} that we know ({seen})")
    return fitting[0]


def _candidates(parts: dict[str, int], question: Question) -> list[date]:
    """Periods that an entry may stand for: the one it says, or those asked for."""
    try:
        if question.grain == "month":
            parts.pop("day", None)
            return [date(parts.get("year", question.first.year), parts["month"], 1)]
        return [date(parts["year"], parts["month"], parts["day"])]
    except KeyError:
        return question.periods
    except ValueError:
        return []


def _parts(name: str, value: Any, question: Question, order: Order | None) -> dict[str, int]:
    text = to_text(value).strip()
    if text.isdigit() and len(text) <= 4:
        if name in _YEARS or len(text) == 4:
            return {"year": int(text)}
        by_name = {"month": "month", "mes": "month", "day": "day", "dia": "day"}
        return {by_name.get(name, question.grain): int(text)}
    for year, month in _texts_of(text):
        return {"month": month} | ({"year": year} if year else {})
    moment = parse_moment(value, question.zone, order)
    if moment is None and question.grain == "month":
        moment = _first_of_month(value, question.zone)
    if moment is None:
        if name in ("label", "name", "key"):
            return {}
        raise Unreadable(f"{name} {text[:20]!r}, which is no period we know")
    day = _day_begun(moment, question.zone)
    return {"year": day.year, "month": day.month, "day": day.day}


def _first_of_month(value: Any, zone: ZoneInfo) -> str | None:
    """``01/08/2026`` in a report of months, which are called by their first days: August."""
    orders: tuple[Order, ...] = ("day first", "month first")
    moments = (parse_moment(value, zone, order) for order in orders)
    return next((one for one in moments if one and one[8:10] == "01"), None)


def _day_begun(moment: str, zone: ZoneInfo) -> date:
    """The day that a moment stands for: by its own clock and the shop's, or the one it begins."""
    found = datetime.fromisoformat(moment)
    here = found.astimezone(zone) if found.tzinfo else found
    begins = datetime(here.year, here.month, here.day, tzinfo=zone)
    midnight = (found.hour, found.minute, found.second) == (0, 0, 0)
    if here.date() == found.date() or midnight:
        return found.date()
    if here.timestamp() == begins.timestamp():  # 01:00 where clocks change at midnight
        return here.date()
    raise Unreadable(f"{moment}, which lies within two days")


# Totals ------------------------------------------------------------------------------------------


def _total_field(entries: Sequence[Fields], question: Question) -> str:
    """The field that holds the total; others that might must be the same, or it without tax."""
    names = list(dict.fromkeys(name for entry in entries for name in entry))
    mend = "set report_total to the name of the field that holds it"
    if question.total_field and (wanted := plain(question.total_field)) in names:
        return wanted
    other = "purchases" if question.path.lower().endswith("sales") else "sales"
    known = [n for n in ("", *TOTAL_NAMES) if n in names and other not in n.split("_")]
    if not known:
        seen = ", ".join(sorted(names))[:80]
        raise Unreadable(f"entries with {seen}, of which none is called a total; {mend}")
    first, *rivals = known
    taxes = [name for name in names if name in _TAX_NAMES]
    for rival in rivals:
        for entry in entries:
            mine, theirs = _readable(entry.get(first)), _readable(entry.get(rival))
            off = [theirs + (_readable(entry.get(tax)) or 0) for tax in taxes if theirs is not None]
            if theirs is not None and mine not in (theirs, *off):
                raise Unreadable(f"both {first or 'a bare total'!r} and {rival!r}; {mend}")
    return first


def _readable(value: Any) -> Decimal | None:
    try:
        return parse_amount(value, ".") if _is_said(value) else None
    except ValueError:
        return None


def _amounts(name: str, entries: Sequence[Fields], question: Question) -> list[Decimal]:
    """The column of totals, with the decimal sign that it shows; nothing at all is zero."""
    if any(name not in entry for entry in entries):
        raise Unreadable(f"entries without {name or 'a total'!r}, which others have")
    values = [bare_amount(entry[name]) for entry in entries]
    shown = {sign for v in values if isinstance(v, str) and (sign := sign_of(v))}
    signs: list[Sign] = [*shown] if len(shown) == 1 else [".", ","]
    columns = [[_amount(value, sign) for value in values] for sign in signs]
    if columns[0] == columns[-1]:
        return columns[0]
    total = question.month_total
    fitting = [c for c in columns if total is not None and abs(sum(c) - total) < CENT]
    if len(shown) > 1 or len(fitting) != 1:
        raise Unreadable("amounts that can be read in more than one way, such as 1.234")
    return fitting[0]


def _amount(value: Any, sign: Sign) -> Decimal:
    if not _is_said(value):
        return Decimal(0)
    try:
        return parse_amount(value, sign)
    except ValueError:
        raise Unreadable(f"the total {to_text(value)[:40]!r}") from None


def _check(said: Any, values: Sequence[Decimal]) -> None:
    """Raise where a sum beside the entries is neither theirs nor their number."""
    found = set(readings(said)) if isinstance(said, str) else {_readable(said)}
    whole = sum(values, Decimal(0))
    if not any(v is None or abs(v - whole) <= CENT or v == len(values) for v in found):
        shown = to_text(said)[:40]
        raise Unreadable(f"a sum {shown} beside {len(values)} entries whose sum is {whole:.2f}")


def _is_said(value: Any) -> bool:
    return value is not None and (not isinstance(value, str) or bool(value.strip()))
