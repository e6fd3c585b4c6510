"""Answering one list: parameters in, SQL conditions over the tables, a page's records out."""

import random
from collections.abc import Sequence
from typing import Any

from sandbox.calls import Call
from sandbox.errors import Refusal
from sandbox.query import Condition, Query
from sandbox.quirks import Quirks
from sandbox.resources import DOCUMENTS, PRIORITIES, Resource, resource_of
from sandbox.store import ShopStore
from sandbox.values import BadValue, parse_bool
from specification import List, Parameter

PIPELINE = "in_pipeline = 1"
"""Tickets listed when no status is asked for (specification, GET /tickets)."""
_ORDERS = {
    "newest": ("created DESC, seq DESC", "created"),
    "oldest": ("created, seq", "created"),
    "recently_updated": ("updated DESC, seq DESC", "updated"),
}
_COLUMNS_SHARED = frozenset({"id", "created_day", "updated_day"})
ALL: Condition = ("1", [])


def read_page(row: List, call: Call) -> tuple[list[dict[str, Any]], frozenset[str]]:
    """Answer a list: its records, and the parts of them that stay hidden as their flag is off.

    Raises:
        Refusal: a parameter is not in the form it must have.
    """
    kind, query, store = resource_of(row), call.query, call.store
    parts = [ALL]
    for one in row.parameters.values():
        parts += _asked(kind, one, call)
    parts += _own_rules(kind, row, call)
    if call.quirks.shows_after:
        shown = store.now().timestamp() - call.quirks.shows_after
        parts.append(("coalesce(json_extract(doc, '$._made'), 0) <= ?", [shown]))
    cut = parts
    if "type" in call.path and call.quirks.custom_fields != "own":
        parts, cut = _as_shop_shows(parts, call)
    records = _cut(kind, cut, _order(row, call), call)
    if parts != cut:
        where, arguments = _all_of(parts)
        wanted = {record["id"] for record in store.select(kind.name, where, arguments)}
        records = [record for record in records if record["id"] in wanted]
    flags = {flag: part for flag, part in kind.include.items() if part and flag in row.parameters}
    hidden = frozenset(part for flag, part in flags.items() if not query.flag(flag))
    if kind.name == "payments" and query.flag("includeResource"):
        _embed(records, store)
    return records, hidden


def _as_shop_shows(parts: list[Condition], call: Call) -> tuple[list[Condition], list[Condition]]:
    """What is asked of custom fields in a quirk's way, and from which rows pages are cut."""
    category = "coalesce(json_extract(doc, '$.category_id'), 0)"
    if call.quirks.custom_fields == "cut_first":
        return parts, [ALL]
    if call.path["type"] != "tickets":
        return parts, parts
    if call.quirks.custom_fields == "with_default":
        where, arguments = _all_of(parts)
        tab = "coalesce(json_extract(doc, '$.tab_id'), 0)"
        default = f"kind = 'tickets' AND {category} = 0 AND {tab} = 0"
        parts = [(f"({where}) OR ({default})", arguments)]
    elif asked := call.query.one("categoryId"):
        named = f"CAST({category} AS TEXT) = ?"
        if not call.store.first("custom_fields", named, [asked]):
            raise Refusal("There is no such category of custom fields.")
    return parts, parts


def _all_of(parts: Sequence[Condition]) -> tuple[str, list[Any]]:
    """Conditions as one, with its values."""
    where = " AND ".join(f"({sql})" for sql, _ in parts)
    return where, [value for _, values in parts for value in values]


def _asked(kind: Resource, one: Parameter, call: Call) -> list[Condition]:
    """What one parameter asks for."""
    name, query = one.name, call.query
    value = query.one(name)
    if one.kind == "date":
        pair = name.removesuffix("From")
        return [] if pair == name else _days(kind, pair, query)
    if value is None or one.kind in ("page", "sort") or name in kind.include:
        return []
    if name == "searchKeyword":
        return [_contains(kind, kind.search, value)]
    if name == "filter" and query.all("invoiceId"):
        return []  # specification, GET /payments: ignored when invoiceId is given
    if one.kind == "number" and call.path.get("type") != "tickets":
        return []  # specification, GET /customFields: category and tab apply to type tickets
    turned = query.one(f"{name}Condition") == "NOT-EQUAL"
    try:
        if one.kind == "label":
            return [_label(kind, one, value, turned, call.store)]
        if one.kind == "ids":
            return [_ids(kind, one, query.all(name))]
        if name == "priority":
            return [_priority(value, turned)]
        return [_plain(kind, one, value)]
    except BadValue as error:
        raise Refusal(f"Parameter '{name}' {error}.") from error


def _days(kind: Resource, pair: str, query: Query) -> list[Condition]:
    if pair == "paymentDate" and kind.name == "ticket_invoices":
        return []  # see _own_rules
    column = {"createdDate": "created_day", "updatedDate": "updated_day"}.get(pair)
    return query.days(pair, column or kind.looks_at(pair)[0])


def _expression(kind: Resource, path: str) -> str:
    """SQL for a field: its column where there is one, else out of the document."""
    if path.startswith("@"):
        # A moment, searched for as every list spells its dates.
        return f"dmy(substr(json_extract(doc, '$.{path[1:]}'), 1, 10))"
    if path in _COLUMNS_SHARED or path in kind.columns:
        return path
    return f"json_extract(doc, '$.{path}')"


def _holds(kind: Resource, path: str, test: str) -> str:
    """SQL for whether a field passes a test, which has ``{}`` for its value.

    ``[]list.field`` looks into the record's own list, ``leads.id=lead.id>company`` into the records
    of another list whose column is equal to a field of this one.
    """
    if path.startswith("[]"):
        parent, _, field = path[2:].partition(".")
        value, others = f"json_extract(one.value, '$.{field}')", f"json_each(doc, '$.{parent}')"
        named = "1"
    elif ">" in path:
        reference, _, field = path.partition(">")
        column, _, key = reference.partition("=")
        other, _, column = column.partition(".")
        value, others = f"json_extract(one.doc, '$.{field}')", f"r_{other}"
        mine = kind.table
        named = f"one.shop = {mine}.shop AND one.{column} = json_extract({mine}.doc, '$.{key}')"
    else:
        return test.format(_expression(kind, path))
    return f"EXISTS (SELECT 1 FROM {others} AS one WHERE {named} AND {test.format(value)})"


def _contains(kind: Resource, paths: Sequence[str], text: str) -> Condition:
    """Free text in any of the fields."""
    parts = [_holds(kind, path, "has({}, ?)") for path in paths]
    return " OR ".join(parts) or "0", [text.casefold()] * len(parts)


def _plain(kind: Resource, one: Parameter, value: str) -> Condition:
    """A parameter that needs nothing but its value."""
    paths = kind.looks_at(one.name)
    if one.name.endswith("Condition"):  # it turns another parameter round
        if value not in one.values:
            raise BadValue(f"must be {' or '.join(one.values)}")
        return ALL
    if one.kind == "flag":
        return _flag(kind, one.name, paths[0], parse_bool(value))
    if one.kind == "choice":
        if value not in one.values:
            raise BadValue(f"must be one of {', '.join(one.values)}")
        left = _expression(kind, paths[0])
        # Public and Private are written in small letters as a parameter only.
        case = " COLLATE NOCASE" if left.startswith("json_extract") else ""
        return f"{left} = ?{case}", [value]
    if one.kind == "number" and not value.lstrip("-").isdecimal():
        raise BadValue("must be a number")
    if one.kind != "number" and one.name not in kind.exact:
        return _contains(kind, paths, value)
    tests = [
        f"{path} = ?" if path in kind.columns else f"CAST({_expression(kind, path)} AS TEXT) = ?"
        for path in paths
    ]
    return " OR ".join(tests), [value] * len(tests)


def _flag(kind: Resource, name: str, path: str, wanted: bool) -> Condition:
    if name == "running":  # specification, /ticketTimers: "only running timers"
        return ("json_extract(doc, '$.end_date') IS NULL", []) if wanted else ALL
    found = _holds(kind, path, "coalesce({}, 0) = 1")
    return (found if wanted else f"NOT {found}"), []


def _priority(value: str, turned: bool) -> Condition:
    names = {**{label: label for label in PRIORITIES}, **dict(zip("0123", PRIORITIES, strict=True))}
    if value not in names:
        raise BadValue(f"must be one of {', '.join(names)}")
    sign = "<>" if turned else "="
    return f"coalesce(json_extract(doc, '$.priority'), '') {sign} ?", [names[value]]


def _ids(kind: Resource, one: Parameter, values: Sequence[str]) -> Condition:
    ids = [part.strip() for text in values for part in text.split(",") if part.strip()]
    left = _expression(kind, kind.looks_at(one.name)[0])
    there = f"SELECT 1 FROM r_{one.names} AS d WHERE d.shop = {kind.table}.shop AND d.id = {left}"
    return f"{left} IN ({','.join('?' * len(ids))}) AND EXISTS ({there})", [*ids]


def _label(kind: Resource, one: Parameter, value: str, turned: bool, store: ShopStore) -> Condition:
    found = store.called(one.names, value, kind="repair" if one.names == "statuses" else "")
    if not found:
        raise BadValue(f"'{value}' is no id and no exact match of an existing label")
    path = kind.looks_at(one.name)[0]
    left = _expression(kind, path)
    if turned or path not in kind.columns:
        left = f"coalesce(CAST({left} AS TEXT), '')"
    marks = ",".join("?" * len(found))
    return f"{left} {'NOT IN' if turned else 'IN'} ({marks})", [str(one["id"]) for one in found]


def _own_rules(kind: Resource, row: List, call: Call) -> list[Condition]:
    """Rules of single lists that no kind of parameter covers."""
    parts: list[Condition] = []
    query, path = call.query, call.path
    if row.name == "tickets":
        parts += _pipeline(call)
    if call.quirks.hides and kind.hides and not query.all("status") and not query.all("type"):
        parts.append((kind.hides, []))
    if kind.name == "ticket_invoices":
        paid_on = query.days("paymentDate", "created_day")
        tests = " AND ".join(sql for sql, _ in paid_on)
        paid = f"SELECT document_id FROM r_payments WHERE shop = ? AND {tests}"
        days = [day for _, [day] in paid_on]
        parts += [(f"id IN ({paid})", [call.store.shop, *days])] if days else []
    for variable, values in row.path_values.items():
        if path[variable] not in values:
            raise Refusal(f"The {variable} must be one of {', '.join(values)}.")
        parts.append(("kind = ?", [path[variable]]))
        # Specification: category and tab apply to type tickets; 0, the default, is the default
        # custom fields.
        for one in row.parameters.values() if path[variable] == "tickets" else ():
            if one.kind == "number" and query.one(one.name) is None:
                field = kind.looks_at(one.name)[0]
                parts.append((f"coalesce(json_extract(doc, '$.{field}'), 0) = 0", []))
    return parts


def _pipeline(call: Call) -> list[Condition]:
    if call.query.one("status") is not None:
        return [(PIPELINE, [])] if call.quirks.status_filter == "pipeline" else []
    if not call.quirks.finished_shown:
        return [(PIPELINE, [])]
    newest = "SELECT max(created_day) FROM r_tickets WHERE shop = ?"
    recent = f"created_day >= date(({newest}), '-60 days') AND ticket_no % 5 <> 0"
    return [(f"{PIPELINE} OR ({recent})", [call.store.shop])]


def _order(row: List, call: Call) -> str:
    quirks = call.quirks
    known = row.parameters.get("sort")
    if known is None:
        # Lists of changes come by the last one; custom fields in their order.
        sort = "recently_updated" if row.path.endswith("/updated") else "newest"
        sort = "oldest" if row.path_values else sort
    else:
        sort = call.query.one("sort") or str(known.default)
        if sort not in known.values:
            raise Refusal(f"Parameter 'sort' must be one of {', '.join(known.values)}.")
        if quirks.sort == "ignored":
            sort = str(known.default)
    order, key = _ORDERS[sort]
    if quirks.order == "loose":
        # Up to two hours either way, always the same for a row.
        return order.replace(key, f"coalesce({key}, 0) + (seq * 7919) % 14400", 1)
    if quirks.order == "unstable":
        mix = random.randrange(1, 10**6)  # noqa: S311 - no secret
        descending = " DESC" if "DESC" in order else ""
        return f"{key}_day{descending}, (seq * {mix * 2 + 1}) % 1000003"
    return order


def _cut(
    kind: Resource, parts: Sequence[Condition], order: str, call: Call
) -> list[dict[str, Any]]:
    """The rows of one page."""
    store, past_the_end = call.store, call.quirks.past_the_end
    offset, limit = _window(call.query, call.quirks)
    if limit == 0:
        return []
    where, arguments = _all_of(parts)
    found = store.select(kind.name, where, arguments, order=order, limit=limit, offset=offset)
    if not found and offset and past_the_end != "empty":
        if past_the_end == "error":
            raise Refusal("The page does not exist.")
        every = store.select(kind.name, where, arguments, order=order)
        found = every[(len(every) - 1) // limit * limit :] if every else []
    return found


def _window(query: Query, quirks: Quirks) -> tuple[int, int]:
    rows, page = quirks.page_rows, query.number("page", 1, 1)
    if quirks.paging == "page":
        return (page - 1) * rows, rows
    if quirks.paging == "none":
        return 0, rows
    if query.one("offset") is None and page > 1:
        return (0, 0) if quirks.paging == "offset_only" else (0, rows)
    return query.number("offset", 0, 0), min(query.number("limit", rows, 0), rows)


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
