"""``doctor``: find out how this service really answers, in a handful of requests.

The specification leaves response shapes open, and services differ. Each finding is an item with
what was seen; ``problems`` say what a report needs and this service does not give. They also say
what the settings get wrong, as a time zone whose offset is not that of the timestamps. The sync
follows what matters: paging by number or offset is taken from here.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from typing import Any

from pipelines.service_reports import contradiction, fetch_days, fetch_year
from pipelines.transform.findings import COUNTED
from sources.repair_shop.errors import BadAnswer, NotFound, ShopError, Unreachable, wrong_address
from sources.repair_shop.http.answers import Answer
from sources.repair_shop.http.client import Client
from sources.repair_shop.http.service_clock import clock_words
from sources.repair_shop.scan.outcome import PAGE_ROWS
from sources.repair_shop.schema.clean import clean_row, parse_amount, snake_case
from sources.repair_shop.schema.dates import month_end
from sources.repair_shop.schema.endpoints import ENDPOINTS

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?")
_OFFSET = re.compile(r".*[T ].*[+-]\d{2}:?\d{2}")
_ENGLISH = re.compile(r"\d{2}-[A-Za-z]{3}-\d{4}.*")
_ALSO_NEEDED = {
    "ticket_invoices": ("status",),
    "pos_orders": ("status",),
    "purchase_orders": ("created_date", "received_date", "cost", "shipping_cost"),
    "tickets": ("created_date", "last_updated"),
}
Row = Mapping[str, Any]


@dataclass
class ServiceProfile:
    """What a service was found to do. ``paging`` is ``page``, ``offset`` or ``unknown``."""

    shop: str
    found_at: datetime
    items: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    paging: str = "unknown"
    currency: str = ""
    requests: int = 0
    error: ShopError | None = None
    """What kept us from finding anything out."""

    def as_json(self) -> dict[str, Any]:
        """For ``--json`` and the ledger."""
        if self.error:
            return {"shop": self.shop, "error": str(self.error)}
        found = {name: value for name, value in vars(self).items() if name != "error"}
        return found | {"found_at": self.found_at.isoformat()}


def probe(client: Client) -> ServiceProfile:
    """Ask some ten requests and say what was found. Raises what stops every request."""
    found = _Probe(client, ServiceProfile(client.shop.name, datetime.now(UTC)))
    before = client.requests
    found.all()
    found.profile.requests = client.requests - before
    return found.profile


def fields_of_info(client: Client) -> dict[str, Any]:
    """What a shop's ``/info`` holds, one request."""
    info = client.get("/info").detail()
    return {snake_case(str(key)): value for key, value in info.items()}


def currency_and_zone(info: Mapping[str, Any]) -> tuple[str, str]:
    """The shop's currency, and its time zone as IANA name; empty where it says nothing."""
    currency = info.get("currency") or info.get("currency_code")
    if isinstance(currency, Mapping):
        currency = currency.get("code")
    zone = info.get("timezone") or info.get("time_zone")
    return str(currency or ""), zone if isinstance(zone, str) else ""


@dataclass
class _Probe:
    """Asks, and writes down what was found."""

    client: Client
    profile: ServiceProfile

    def __post_init__(self) -> None:
        self.items, self.problems = self.profile.items, self.profile.problems

    def all(self) -> None:
        """Everything; the first request alone: a wrong key or address ends here, after one."""
        invoices = self._list("ticket_invoices", {})
        self._info()
        if invoices and invoices[0].get("id"):
            self._detail(f"{ENDPOINTS['ticket_invoices'].path}/{invoices[0]['id']}")
        self._reports()
        if invoices:
            self._formats(invoices)
        else:
            self.items["formats"] = "not known: the shop has no invoice yet"
        self._list("pos_orders", {})
        self._list("purchase_orders", {"status": "Received"})
        self._list("tickets", {})
        if "envelope of lists" not in self.items:
            raise Unreachable(f"No list can be read. {self.problems[0]}")
        try:
            self._paging()
        except BadAnswer as error:
            self.problems.append(str(error))
        self._clock()

    def _page(self, table: str, params: Mapping[str, Any]) -> Answer:
        endpoint = ENDPOINTS[table]
        asked = {**endpoint.include_params, "page": 1, "sort": "newest", **params}
        return self.client.get(endpoint.path, asked)

    def _list(self, table: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
        try:
            answer = self._page(table, params)
            rows = answer.rows()
        except BadAnswer as error:
            if isinstance(error, NotFound) and not self.client.budget.standing.worked:
                raise wrong_address(error) from error
            self.problems.append(str(error))
            return []
        self.items.setdefault("envelope of lists", _envelope(answer.payload))
        self._missing_columns(table, rows)
        return rows

    def _missing_columns(self, table: str, rows: Sequence[dict[str, Any]]) -> None:
        path, zone = ENDPOINTS[table].path, self.client.shop.zone
        cleaned = [clean_row(r, table, zone) for r in rows]
        received = any(row.get("status") == "Received" for row in cleaned)
        for column in (*COUNTED.get(table, ()), *_ALSO_NEEDED.get(table, ())):
            if column == "received_date" and not received:
                continue  # an order that is not here yet has none
            if column == "shipping_cost" and any(column in row for row in cleaned):
                continue  # known, and nothing was shipped at a price
            self._found_under_none(path, column, cleaned, rows)
        lines = [line for row in cleaned for line in row.get("lines", ())]
        is_priced = any(line.get("unit_price", line.get("cost")) is not None for line in lines)
        names = "product__id" if any(line.get("product__id") for line in lines) else "product_code"
        for column in (names, "quantity", *(() if is_priced else ("total",))):
            self._found_under_none(f"{path}, lines", column, lines, lines)
        unreadable = {name for row in cleaned for name in json.loads(row["_unreadable"] or "{}")}
        if unreadable:
            self.problems.append(
                f"{path}: values of {', '.join(sorted(unreadable))} cannot be read; "
                "they are kept and listed in ops.unreadable."
            )

    def _found_under_none(
        self, where: str, column: str, cleaned: Sequence[Row], rows: Sequence[Row]
    ) -> None:
        if rows and all(row.get(column) is None for row in cleaned):
            raw = ", ".join(sorted(map(str, rows[0]))[:30])
            self.problems.append(
                f"{where}: no row has '{column}' under any name we know, and "
                f"the reports need it. The rows have: {raw}."
            )

    def _info(self) -> None:
        try:
            info = fields_of_info(self.client)
        except BadAnswer as error:
            self.items["/info"] = f"not usable: {error}"
            return
        self.items["/info"] = "fields " + ", ".join(sorted(info)[:20])
        self.profile.currency, zone = currency_and_zone(info)
        shop = self.client.shop
        if zone and zone != shop.timezone:
            self.problems.append(
                f"The service says its time zone is {zone}, the settings say {shop.timezone}: "
                f"days begin and end at other moments. Set timezone of shop '{shop.name}'."
            )

    def _detail(self, path: str) -> None:
        try:
            answer = self.client.get(path)
            answer.detail()
        except NotFound:
            self.items["detail"] = "not found although the list shows the record"
        except BadAnswer as error:
            self.items["detail"] = f"not usable: {error}"
        else:
            is_list = isinstance(answer.payload, list)
            self.items["detail"] = "list of one object" if is_list else "the object"

    def _clock(self) -> None:
        skew = self.client.clock.skew
        told = clock_words(skew)
        self.items["clock"] = (
            "not told" if skew is None else "differs from ours" if told else "agrees with ours"
        )
        if told:
            self.problems.append(told)

    def _reports(self) -> None:
        today = self.client.today()
        for kind in ("sales", "purchases"):
            name = f"monthly_{kind}"
            months = self._report(name, partial(fetch_year, self.client, name, today.year, today))
            first, month = _newest_month(months, today)
            last = min(month_end(first), today)
            name = f"daily_{kind}"
            days = self._report(name, partial(fetch_days, self.client, name, first, last, month))
            if told := contradiction(kind, days, month):
                self.problems.append(told)

    def _report(self, name: str, fetch: Callable[[], dict[date, Decimal]]) -> dict[date, Decimal]:
        """A report, empty when it cannot be read."""
        try:
            totals = fetch()
        except BadAnswer as error:
            self.items[f"report {name}"] = "not readable"
            self.problems.append(str(error))
            return {}
        told = sum(1 for total in totals.values() if total)
        unit = "month" if name.startswith("monthly") else "day"
        self.items[f"report {name}"] = f"readable, {told} {unit}(s) with a total"
        return totals

    def _formats(self, rows: Sequence[dict[str, Any]]) -> None:
        fields = [(str(key), value) for row in rows for key, value in row.items()]
        self._dates([value for _, value in fields if isinstance(value, str)])
        names = ("amount_total", "amount", "total", "total_amount")
        amounts = [value for name, value in fields if snake_case(name) in names]
        if amounts:
            kind = "text" if isinstance(amounts[0], str) else "numbers"
            readable = all(map(_is_amount, amounts))
            self.items["amounts"] = kind if readable else f"{kind}, some cannot be read"

    def _dates(self, texts: list[str]) -> None:
        dates = [text for text in texts if _ISO.fullmatch(text)]
        if dates:
            self.items["dates"] = "ISO 8601, e.g. " + re.sub(r"\d", "9", dates[0])
        elif any(_ENGLISH.fullmatch(text) for text in texts):
            self.items["dates"] = "dd-mmm-yyyy"
        shop = self.client.shop
        moments = [datetime.fromisoformat(text) for text in dates if _OFFSET.fullmatch(text)]
        wrong = sum(m.astimezone(shop.zone).utcoffset() != m.utcoffset() for m in moments)
        if wrong:
            self.problems.append(
                f"{wrong} of {len(dates)} timestamps have another offset than {shop.timezone}: "
                f"days may be cut at the wrong moment. Set timezone of shop '{shop.name}' to its "
                "own IANA zone."
            )

    def _paging(self) -> None:
        """On the longest list a shop has: payments."""
        first = self._page("payments", {}).rows()
        self._missing_columns("payments", first)
        if len(first) < PAGE_ROWS:
            self.items["paging"] = "not known: no list checked fills a page"
            return
        ids = {str(row.get("id")) for row in first}
        ways: tuple[tuple[str, dict[str, Any], str], ...] = (
            ("page", {"page": 2}, "by page number"),
            (
                "offset",
                {"page": None, "offset": PAGE_ROWS, "limit": PAGE_ROWS},
                "by offset and limit; page 2 answers nothing new",
            ),
        )
        for paging, params, words in ways:
            if not {str(row.get("id")) for row in self._page("payments", params).rows()} <= ids:
                self.profile.paging, self.items["paging"] = paging, words
                return
        self.items["paging"] = "one page; neither page 2 nor an offset shows more"


def _envelope(payload: Any) -> str:
    if isinstance(payload, list):
        return "bare array"
    if isinstance(payload, Mapping):
        return "object with the field(s) " + ", ".join(sorted(map(str, payload))[:6])
    return type(payload).__name__


def _newest_month(months: dict[date, Decimal], today: date) -> tuple[date, Decimal | None]:
    """The newest month that is over and has a total; else this month, whose total still moves."""
    this_month = today.replace(day=1)
    over = [month for month, total in months.items() if total and month < this_month]
    return (max(over), months[max(over)]) if over else (this_month, None)


def _is_amount(value: Any) -> bool:
    try:
        parse_amount(value)
    except ValueError:
        return value in (None, "")
    return True
