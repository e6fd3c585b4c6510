"""``doctor``: find out how this service really answers, in a handful of requests.

The specification leaves response shapes open, and services differ. Each finding is an item with
what was seen; ``problems`` say what a report needs and this service does not give, or what the
settings get wrong (a time zone whose offset is not the one in the timestamps). The sync follows
what matters: paging by number or offset is taken from here.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from typing import Any

from .errors import BadAnswer, ConfigurationError, NotFound
from .http.answers import Answer
from .http.client import Client
from .http.service_clock import clock_words
from .reports import fetch_days, fetch_year
from .scan import PAGE_ROWS
from .schema.clean import clean_row, parse_amount, snake_case
from .schema.dates import month_end
from .schema.endpoints import ENDPOINTS, INFO_PATH

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2})?(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?")
_OFFSET = re.compile(r".*[T ].*[+-]\d{2}:?\d{2}")
_ENGLISH = re.compile(r"\d{2}-[A-Za-z]{3}-\d{4}.*")
_CENT = Decimal("0.01")
_NEEDED = {
    "ticket_invoices": ("created_date", "amount_total", "status"),
    "pos_orders": ("created_date", "amount_total", "status"),
    "purchase_orders": ("created_date", "received_date", "cost", "shipping_cost"),
    "payments": ("date", "amount"),
}


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

    def as_json(self) -> dict[str, Any]:
        """For ``--json`` and the ledger."""
        return vars(self) | {"found_at": self.found_at.isoformat()}


def probe(client: Client) -> ServiceProfile:
    """Ask some ten requests and say what was found. Raises what stops every request."""
    profile = ServiceProfile(client.shop.name, datetime.now(UTC))
    before = client.requests
    # The first request alone: a wrong key or address ends here, after one.
    invoices = _list(client, profile, "ticket_invoices", {"page": 1, "sort": "newest"})
    for one in (_probe_info, _probe_details, _probe_reports, _probe_formats):
        one(client, profile, invoices)
    _list(client, profile, "pos_orders", {"page": 1, "sort": "newest"})
    _list(client, profile, "purchase_orders", {"page": 1, "sort": "newest", "status": "Received"})
    _probe_paging(client, profile)
    _probe_clock(client, profile)
    profile.requests = client.requests - before
    return profile


def _list(
    client: Client, profile: ServiceProfile, table: str, params: Mapping[str, Any]
) -> list[dict[str, Any]]:
    endpoint = ENDPOINTS[table]
    try:
        answer = client.get(endpoint.path, {**endpoint.include_params, **params})
        rows = answer.rows()
    except BadAnswer as error:
        if isinstance(error, NotFound) and not client.budget.worked:
            # Nothing was ever answered here: it is the address, not this one list.
            raise ConfigurationError(
                f"base_url does not look like the service: {error}. It ends with /v1 "
                "(specification, Versioning)."
            ) from error
        profile.problems.append(str(error))
        return []
    profile.items.setdefault("envelope of lists", _envelope(answer))
    _missing_columns(client, profile, table, rows)
    return rows


def _envelope(answer: Answer) -> str:
    payload = answer.payload
    if isinstance(payload, list):
        return "bare array"
    if isinstance(payload, Mapping):
        return "object with the field(s) " + ", ".join(sorted(map(str, payload))[:6])
    return type(payload).__name__


def _missing_columns(
    client: Client, profile: ServiceProfile, table: str, rows: list[dict[str, Any]]
) -> None:
    if not rows or table not in _NEEDED:
        return
    cleaned = [clean_row(r, table, shop_id="", zone=client.shop.zone, extra={}) for r in rows]
    received = any(row.get("status") == "Received" for row in cleaned)
    for column in _NEEDED[table]:
        if column == "received_date" and not received:
            continue  # an order that is not here yet has none
        if column == "shipping_cost" and any(column in row for row in cleaned):
            continue  # known, and nothing was shipped at a price
        if all(row.get(column) is None for row in cleaned):
            raw = ", ".join(sorted(map(str, rows[0]))[:30])
            profile.problems.append(
                f"{ENDPOINTS[table].path}: no row has '{column}' under any name we know, and "
                f"the reports need it. The rows have: {raw}."
            )
    unreadable = {name for row in cleaned for name in json.loads(row["_unreadable"] or "{}")}
    if unreadable:
        profile.problems.append(
            f"{ENDPOINTS[table].path}: values of {', '.join(sorted(unreadable))} cannot be read; "
            "they are kept and listed in ops.unreadable."
        )


def _probe_info(client: Client, profile: ServiceProfile, _rows: list[dict[str, Any]]) -> None:
    try:
        info = client.get(INFO_PATH).detail()
    except BadAnswer as error:
        profile.items["/info"] = f"not usable: {error}"
        return
    flat = {snake_case(str(key)): value for key, value in info.items()}
    profile.items["/info"] = "fields " + ", ".join(sorted(flat)[:20])
    profile.currency, zone = _currency_and_zone(flat)
    if zone and zone != client.shop.timezone:
        profile.problems.append(
            f"The service says its time zone is {zone}, the settings say {client.shop.timezone}: "
            "days begin and end at other moments. Set sources.repair_shop.timezone."
        )


def said_of_itself(client: Client) -> tuple[str, str]:
    """What a shop's ``/info`` says: its currency, and its time zone as IANA name; empty: nothing.

    One request. Raises what stops every request.
    """
    try:
        info = client.get(INFO_PATH).detail()
    except BadAnswer:
        return "", ""
    return _currency_and_zone({snake_case(str(key)): value for key, value in info.items()})


def _currency_and_zone(info: Mapping[str, Any]) -> tuple[str, str]:
    currency = info.get("currency") or info.get("currency_code")
    if isinstance(currency, Mapping):
        currency = currency.get("code")
    zone = info.get("timezone") or info.get("time_zone")
    return str(currency or ""), zone if isinstance(zone, str) else ""


def _probe_details(client: Client, profile: ServiceProfile, rows: list[dict[str, Any]]) -> None:
    if not rows or not rows[0].get("id"):
        return
    try:
        answer = client.get(f"{ENDPOINTS['ticket_invoices'].path}/{rows[0]['id']}")
        answer.detail()
    except NotFound:
        profile.items["detail"] = "not found although the list shows the record"
        return
    except BadAnswer as error:
        profile.items["detail"] = f"not usable: {error}"
        return
    profile.items["detail"] = (
        "list of one object" if isinstance(answer.payload, list) else "the object"
    )


def _probe_clock(client: Client, profile: ServiceProfile) -> None:
    skew = client.clock.skew
    told = clock_words(skew)
    profile.items["clock"] = (
        "not told" if skew is None else "differs from ours" if told else "agrees with ours"
    )
    if told:
        profile.problems.append(told)


def _probe_reports(client: Client, profile: ServiceProfile, _rows: list[dict[str, Any]]) -> None:
    today = client.today()
    for kind in ("sales", "purchases"):
        name = f"monthly_{kind}"
        months = _probe_report(profile, name, partial(fetch_year, client, name, today.year, today))
        first, month = _newest_month(months, today)
        last = month_end(first)
        name = f"daily_{kind}"
        asked = partial(fetch_days, client, name, first, min(last, today), month)
        days = _probe_report(profile, name, asked)
        together = sum(days.values(), Decimal(0))
        if days and month is not None and abs(together - month) > _CENT:
            profile.problems.append(
                f"The service's daily {kind} of {first:%Y-%m} add up to {together:.2f}, its "
                f"monthly {kind} say {month:.2f}: at most one of them can agree with ours."
            )


def _probe_report(
    profile: ServiceProfile, name: str, fetch: Callable[[], dict[date, Decimal]]
) -> dict[date, Decimal]:
    """A report, empty when it cannot be read; what was found goes into the profile."""
    try:
        totals = fetch()
    except BadAnswer as error:
        profile.items[f"report {name}"] = "not readable"
        profile.problems.append(str(error))
        return {}
    told = sum(1 for total in totals.values() if total)
    unit = "month" if name.startswith("monthly") else "day"
    profile.items[f"report {name}"] = f"readable, {told} {unit}(s) with a total"
    return totals


def _newest_month(months: dict[date, Decimal], today: date) -> tuple[date, Decimal | None]:
    """The newest month that is over and has a total; else this month, whose total still moves."""
    this_month = today.replace(day=1)
    over = [month for month, total in months.items() if total and month < this_month]
    return (max(over), months[max(over)]) if over else (this_month, None)


def _probe_formats(client: Client, profile: ServiceProfile, rows: list[dict[str, Any]]) -> None:
    if not rows:
        profile.items["formats"] = "not known: the shop has no invoice yet"
        return
    fields = [(str(key), value) for row in rows for key, value in row.items()]
    camel = any(re.search(r"[a-z][A-Z]", name) for name, _ in fields)
    profile.items["names"] = "camelCase" if camel else "snake_case"
    _probe_dates(client, profile, [value for _, value in fields if isinstance(value, str)])
    _probe_amounts(profile, fields)
    _probe_references(profile, rows)


def _probe_dates(client: Client, profile: ServiceProfile, texts: list[str]) -> None:
    dates = [text for text in texts if _ISO.fullmatch(text) and len(text) >= 10]
    if dates:
        profile.items["dates"] = "ISO 8601, e.g. " + re.sub(r"\d", "9", dates[0])
    elif any(_ENGLISH.fullmatch(text) for text in texts):
        profile.items["dates"] = "dd-mmm-yyyy"
    _probe_zone(client, profile, dates)


def _probe_amounts(profile: ServiceProfile, fields: list[tuple[str, Any]]) -> None:
    names = ("amount_total", "amount", "total", "total_amount")
    amounts = [value for name, value in fields if snake_case(name) in names]
    if amounts:
        kind = "text" if isinstance(amounts[0], str) else "numbers"
        readable = all(_is_amount(value) for value in amounts)
        profile.items["amounts"] = kind if readable else f"{kind}, some cannot be read"


def _probe_references(profile: ServiceProfile, rows: list[dict[str, Any]]) -> None:
    named = [{snake_case(str(key)): value for key, value in row.items()} for row in rows]
    shown = {None: "null", "": '""'}
    empty = {
        "{}" if row[name] == {} else shown.get(row[name], str(row[name]))
        for row in named
        for name in ("ticket", "customer")
        if name in row and not row[name]
    }
    if any("ticket" not in row for row in named):
        empty.add("key missing")
    profile.items["empty references"] = ", ".join(sorted(empty)) or "none seen"


def _probe_zone(client: Client, profile: ServiceProfile, dates: list[str]) -> None:
    moments = [datetime.fromisoformat(text) for text in dates if _OFFSET.fullmatch(text)]
    wrong = sum(m.astimezone(client.shop.zone).utcoffset() != m.utcoffset() for m in moments)
    if wrong:
        profile.problems.append(
            f"{wrong} of {len(dates)} timestamps have another offset than {client.shop.timezone}: "
            "days may be cut at the wrong moment. Set sources.repair_shop.timezone to the shop's "
            "own IANA zone."
        )


def _is_amount(value: Any) -> bool:
    try:
        parse_amount(value)
    except ValueError:
        return value in (None, "")
    return True


def _probe_paging(client: Client, profile: ServiceProfile) -> None:
    """On the longest list a shop has: payments."""
    endpoint = ENDPOINTS["payments"]
    try:
        first = client.get(endpoint.path, {"page": 1, "sort": "newest"}).rows()
        _missing_columns(client, profile, "payments", first)
        if len(first) < PAGE_ROWS:
            profile.items["paging"] = "not known: no list checked fills a page"
            return
        second = client.get(endpoint.path, {"page": 2, "sort": "newest"}).rows()
        ids = {str(row.get("id")) for row in first}
        if second and not {str(row.get("id")) for row in second} <= ids:
            profile.paging = "page"
            profile.items["paging"] = "by page number"
            return
        params = {"offset": PAGE_ROWS, "limit": PAGE_ROWS, "sort": "newest"}
        other = client.get(endpoint.path, params).rows()
        if other and not {str(row.get("id")) for row in other} <= ids:
            profile.paging = "offset"
            profile.items["paging"] = "by offset and limit; page 2 answers nothing new"
            return
        profile.items["paging"] = "one page; neither page 2 nor an offset shows more"
    except BadAnswer as error:
        profile.problems.append(str(error))
