"""Answering one list: parameters in, the page's records out."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sandbox.errors import Refusal
from sandbox.filters import Condition, condition, contains
from sandbox.lists import CUSTOM_FIELD_TYPES, PAGE_SIZE, PIPELINE, PRIORITIES, ListEndpoint
from sandbox.quirks import Quirks
from sandbox.resources import DOCUMENTS
from sandbox.store import ShopStore
from sandbox.values import BadValue, parse_bool, parse_day

_ORDERS = {
    "newest": ("created DESC, seq DESC", "created"),
    "oldest": ("created, seq", "created"),
    "recently_updated": ("updated DESC, seq DESC", "updated"),
}
_MAX_PAGE = 10**12
"""Above it a page number would overflow SQLite's integers; no shop has such a page."""


class Query:
    """The query string of a request; a parameter may come several times, as ``x`` or ``x[]``."""

    def __init__(self, pairs: Sequence[tuple[str, str]]) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in pairs:
            self._values.setdefault(name.removesuffix("[]"), []).append(value)

    def all(self, name: str) -> list[str]:
        """Every value that is not empty; empty is the default of every parameter."""
        return [value for value in self._values.get(name, []) if value.strip()]

    def one(self, name: str) -> str | None:
        """The last value, or None when it is missing or empty."""
        values = self.all(name)
        return values[-1].strip() if values else None

    def flag(self, name: str) -> bool:
        """A boolean parameter, false by default."""
        text = self.one(name)
        try:
            return text is not None and parse_bool(text)
        except BadValue as error:
            raise Refusal(f"Parameter '{name}' {error}.") from error

    def number(self, name: str, default: int, least: int) -> int:
        """A whole number of at least ``least``."""
        given = self._values.get(name)
        if not given:
            return default
        text = given[-1].strip()
        # Digits beyond the largest page say nothing more, and Python refuses to read thousands.
        digits = text.lstrip("0")[:20] or "0"
        if not (text.isascii() and text.isdecimal()) or int(digits) < least:
            raise Refusal(f"Parameter '{name}' must be a number of {least} or more.")
        return min(int(digits), _MAX_PAGE)

    def day(self, name: str) -> date | None:
        """A day, or None when it is missing or empty."""
        text = self.one(name)
        try:
            return parse_day(text) if text else None
        except BadValue as error:
            raise Refusal(f"Parameter '{name}' {error}.") from error

    def days(self, first: str, last: str) -> list[Condition]:
        """What the parameters for the first and the last day ask of a record's day."""
        given = ((">=", self.day(first)), ("<=", self.day(last)))
        return [(f"created_day {sign} ?", [day.isoformat()]) for sign, day in given if day]


@dataclass(frozen=True)
class Page:
    """Records of one answer, and the parts that stay hidden as their flag is off."""

    records: list[dict[str, Any]]
    hidden: frozenset[str]


def read_page(
    row: ListEndpoint, query: Query, path: Mapping[str, str], store: ShopStore, quirks: Quirks
) -> Page:
    """Answer a list as its line of the specification says.

    Raises:
        Refusal: a parameter is not in the form it must have.
    """
    parts: list[Condition] = [("1", [])]
    for one in row.filters:
        values = query.all(one.name)
        if one.name == "filter" and query.all("invoiceId"):
            continue  # specification, GET /payments: ignored when invoiceId is given
        if one.name in ("categoryId", "tabId") and path.get("type") != "tickets":
            continue  # specification, GET /customFields: category and tab apply to type tickets
        if values and "@payment" not in one.paths:
            turned = query.one(f"{one.name}Condition") == "NOT-EQUAL"
            parts.append(
                _priority(one.name, values[-1], turned)
                or condition(row.resource, one, values, turned, store)
            )
    parts += _own_rules(row, query, path, store, quirks)
    if keyword := (query.one("searchKeyword") if row.search else None):
        parts.append(contains(row.resource, row.search, keyword))
    if row.created:
        parts += query.days("createdDateFrom", "createdDateTo")
    where = " AND ".join(f"({sql})" for sql, _ in parts)
    arguments = [value for _, values in parts for value in values]
    records = _sorted_page(row, query, quirks, store, where, arguments)
    hidden = frozenset(part for flag, part in row.include if part and not query.flag(flag))
    if row.resource == "payments" and query.flag("includeResource"):
        _embed(records, store)
    return Page(records, hidden)


def _priority(name: str, value: str, turned: bool) -> Condition | None:
    if name != "priority" or value not in (*PRIORITIES, "0", "1", "2", "3"):
        return None
    label = PRIORITIES[int(value)] if value.isdecimal() else value
    return f"coalesce(json_extract(doc, '$.priority'), '') {'<>' if turned else '='} ?", [label]


_SHOWING = ("status", "type")
_ACTIVE = "coalesce(json_extract(doc, '$.status'), '') <> 'In active'"
_HIDING = {
    "users": _ACTIVE,
    "products": _ACTIVE,
    "suppliers": _ACTIVE,
    "leads": "coalesce(json_extract(doc, '$.status'), '') NOT IN ('Won', 'Lost')",
}
"""What a shop that hides shows of its lists, and the parameters that ask for the rest."""


def _own_rules(
    row: ListEndpoint, query: Query, path: Mapping[str, str], store: ShopStore, quirks: Quirks
) -> list[Condition]:
    """Rules of single lists that no kind of parameter covers."""
    if row.path == "/tickets" and query.one("status") is None:
        if not quirks.finished_shown:
            return [(PIPELINE, [])]
        newest = "SELECT max(created_day) FROM r_tickets WHERE shop = ?"
        recent = f"created_day >= date(({newest}), '-60 days') AND ticket_no % 5 <> 0"
        return [(f"{PIPELINE} OR ({recent})", [store.shop])]
    if quirks.hides and not any(map(query.all, _SHOWING)):
        return [(_HIDING[row.resource], [])] if row.resource in _HIDING else []
    if row.resource == "ticket_invoices":
        paid_on = query.days("paymentDateFrom", "paymentDateTo")
        tests = " AND ".join(sql for sql, _ in paid_on)
        paid = f"SELECT document_id FROM r_payments WHERE shop = ? AND {tests}"
        days = [day for _, [day] in paid_on]
        return [(f"id IN ({paid})", [store.shop, *days])] if days else []
    if row.resource == "custom_fields":
        if path["type"] not in CUSTOM_FIELD_TYPES:
            raise Refusal(f"The type must be one of {', '.join(CUSTOM_FIELD_TYPES)}.")
        parts: list[Condition] = [("kind = ?", [path["type"]])]
        # Specification: category and tab apply to type tickets; 0, the default, is the default
        # custom fields.
        for name, field in (("categoryId", "category_id"), ("tabId", "tab_id")):
            if query.one(name) is None and path["type"] == "tickets":
                parts.append((f"coalesce(json_extract(doc, '$.{field}'), 0) = 0", []))
        return parts
    return []


def _sorted_page(
    row: ListEndpoint,
    query: Query,
    quirks: Quirks,
    store: ShopStore,
    where: str,
    arguments: list[object],
) -> list[dict[str, Any]]:
    sort = (query.one("sort") if row.sort else None) or row.default_sort
    if row.sort and sort not in row.sort:
        raise Refusal(f"Parameter 'sort' must be one of {', '.join(row.sort)}.")
    order, key = _ORDERS[sort]
    if quirks.order == "loose":
        # Up to two hours either way, always the same for a row.
        order = order.replace(key, f"coalesce({key}, 0) + (seq * 7919) % 14400", 1)
    elif quirks.order == "unstable":
        mix = random.randrange(1, 10**6)  # noqa: S311 - no secret
        descending = " DESC" if "DESC" in order else ""
        order = f"{key}_day{descending}, (seq * {mix * 2 + 1}) % 1000003"
    offset, limit = _window(query, quirks)
    if limit == 0:
        return []
    found = store.select(row.resource, where, arguments, order=order, limit=limit, offset=offset)
    if not found and offset and quirks.past_the_end != "empty":
        if quirks.past_the_end == "error":
            raise Refusal("The page does not exist.")
        whole = store.select(row.resource, where, arguments, order=order)
        found = whole[(len(whole) - 1) // PAGE_SIZE * PAGE_SIZE :] if whole else []
    return found


def _window(query: Query, quirks: Quirks) -> tuple[int, int]:
    page = query.number("page", 1, 1)
    if quirks.paging == "page":
        return (page - 1) * PAGE_SIZE, PAGE_SIZE
    if page > 1 and query.one("offset") is None:
        return 0, 0
    return query.number("offset", 0, 0), min(query.number("limit", PAGE_SIZE, 0), PAGE_SIZE)


def _embed(records: list[dict[str, Any]], store: ShopStore) -> None:
    """Embed the pos, invoice or return object (specification, GET /payments, includeResource)."""
    wanted = {str(record.get("_document_id")) for record in records}
    marks = ",".join("?" * len(wanted))
    documents: dict[str, dict[str, Any]] = {}
    for resource in DOCUMENTS:
        for found in store.select(resource, f"id IN ({marks})", sorted(wanted)):
            documents[str(found["id"])] = found
    for record in records:
        document = documents.get(str(record.get("_document_id")))
        if document is None:
            continue
        kind = record.get("_kind", "invoice")
        if kind == "return":
            given = document.get("returns") or []
            mine = [one for one in given if one["id"] == record.get("_return_id")]
            record["return"] = mine[0] if mine else None
            kind = "invoice" if record.get("_document_type") == "ticket_invoice" else "pos"
        parts = ("lines", "payments", "returns")
        record[kind] = {name: value for name, value in document.items() if name not in parts}
