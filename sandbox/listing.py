"""Answering one list: parameters in, SQL conditions over the tables, a page's records out."""

import random
from collections.abc import Sequence
from functools import partial
from typing import Any

from sandbox.calls import Call, Condition, Query, Refusal
from sandbox.quirks import Quirks
from sandbox.resources import DOCUMENTS, PRIORITIES, Resource, resource_of
from sandbox.values import BadValue, parse_bool
from specification import List, Parameter

PIPELINE = "in_pipeline = 1"
"""Tickets listed when no status is asked for (specification, GET /tickets)."""
_ORDERS = {
    "newest": ("created DESC, seq DESC", "created"),
    "oldest": ("created, seq", "created"),
    "recently_updated": ("updated DESC, seq DESC", "updated"),
}
_PRIORITIES = {**dict(zip("0123", PRIORITIES, strict=True)), **{one: one for one in PRIORITIES}}
ALL: Condition = ("1", [])


def read_page(row: List, call: Call) -> tuple[list[dict[str, Any]], frozenset[str]]:
    """Answer a list: its records, and the parts of them that stay hidden as their flag is off."""
    kind, query, store = resource_of(row), call.query, call.store
    parts = [ALL, *_own_rules(kind, row, call)]
    for one in row.parameters.values():
        parts += _asked(kind, one, call)
    cut = parts
    if "type" in call.path and call.quirks.custom_fields != "own":
        parts, cut = _as_shop_shows(parts, call)
    records = _cut(kind, cut, _order(row, call), call)
    if parts != cut:
        wanted = {record["id"] for record in store.select(kind.name, *_all_of(parts))}
        records = [record for record in records if record["id"] in wanted]
    flags = {flag: part for flag, part in kind.include.items() if part and flag in row.parameters}
    hidden = frozenset(part for flag, part in flags.items() if not query.flag(flag))
    if kind.name == "payments" and query.flag("includeResource"):
        _embed(records, call)
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
    if one.kind == "date":
        pair = name.removesuffix("From")
        return [] if pair == name else _days(kind, pair, call)
    if one.kind in ("page", "sort") or name in kind.include:
        return []
    if name == "filter" and query.all("invoiceId"):
        return []  # specification, GET /payments: ignored when invoiceId is given
    if one.kind == "number" and call.path.get("type") != "tickets":
        return []  # specification, GET /customFields: category and tab apply to type tickets
    reader = partial(_condition, kind, one, call)
    found = query.read(name, reader)
    if found is None and one.kind == "number":
        found = reader(str(one.default))
    return [] if found is None else [found]


def _days(kind: Resource, pair: str, call: Call) -> list[Condition]:
    if pair != "paymentDate" or kind.name != "ticket_invoices":
        return call.query.days(pair, kind.looks_at(pair)[0])
    paid = call.query.days(pair, "created_day")
    where, values = _all_of([("shop = ?", [call.store.shop]), *paid])
    return [(f"id IN (SELECT document_id FROM r_payments WHERE {where})", values)] if paid else []


def _condition(kind: Resource, one: Parameter, call: Call, value: str) -> Condition:
    """What a parameter's value asks for."""
    name, paths = one.name, kind.looks_at(one.name)
    if one.kind in ("label", "ids") or name == "priority":
        left, meant = kind.sql(paths[0]), _meant(one, call, value)
        turned = "NOT " if call.query.one(f"{name}Condition") == "NOT-EQUAL" else ""
        if turned or paths[0] not in kind.columns:
            left = f"coalesce(CAST({left} AS TEXT), '')"
        return f"{left} {turned}IN ({_marks(meant)})", meant
    if one.kind == "flag":
        return _flag(kind, name, paths[0], wanted=parse_bool(value))
    if one.kind == "choice":
        return _choice(kind, one, value)
    if one.kind == "number":
        if not value.lstrip("-").isdecimal():
            raise BadValue("must be a number")
        return f"CAST(coalesce({kind.sql(paths[0])}, {one.default}) AS TEXT) = ?", [value]
    if name == "searchKeyword":
        paths = kind.search
    test = "CAST({} AS TEXT) = ?" if name in kind.exact else "has({}, ?)"
    text = value if name in kind.exact else value.casefold()
    return " OR ".join(_holds(kind, path, test) for path in paths) or "0", [text] * len(paths)


def _meant(one: Parameter, call: Call, value: str) -> list[str]:
    """The values that a field must have one of."""
    if one.name == "priority":
        _must_be(value, list(_PRIORITIES))
        return [_PRIORITIES[value]]
    if one.kind == "ids":
        ids = [part.strip() for text in call.query.all(one.name) for part in text.split(",")]
        known = f"SELECT id FROM r_{one.names} WHERE shop = ? AND id IN ({_marks(ids)})"
        return [row[0] for row in call.store.database.rows(known, (call.store.shop, *ids))]
    found = call.store.called(one.names, value, kind="repair" if one.names == "statuses" else "")
    if not found:
        raise BadValue(f"'{value}' is no id and no exact match of an existing label")
    return [str(record["id"]) for record in found]


def _choice(kind: Resource, one: Parameter, value: str) -> Condition:
    _must_be(value, one.values)
    if one.name.endswith("Condition"):  # it turns another parameter round
        return ALL
    left = kind.sql(kind.looks_at(one.name)[0])
    # Public and Private are written in small letters as a parameter only.
    case = " COLLATE NOCASE" if left.startswith("json_extract") else ""
    return f"{left} = ?{case}", [value]


def _must_be(value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise BadValue(f"must be one of {', '.join(known)}")


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))


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
        return test.format(kind.sql(path))
    return f"EXISTS (SELECT 1 FROM {others} AS one WHERE {named} AND {test.format(value)})"


def _flag(kind: Resource, name: str, path: str, *, wanted: bool) -> Condition:
    if name == "running":  # specification, /ticketTimers: "only running timers"
        return ("json_extract(doc, '$.end_date') IS NULL", []) if wanted else ALL
    found = _holds(kind, path, "coalesce({}, 0) = 1")
    return (found if wanted else f"NOT {found}"), []


def _own_rules(kind: Resource, row: List, call: Call) -> list[Condition]:
    """Rules of the shop and of single lists that no parameter asks for."""
    parts: list[Condition] = []
    query, quirks = call.query, call.quirks
    if row.name == "tickets":
        parts += _pipeline(call)
    if quirks.hides and kind.hides and not query.all("status") and not query.all("type"):
        parts.append((kind.hides, []))
    for variable, values in row.path_values.items():
        if call.path[variable] not in values:
            raise Refusal(f"The {variable} must be one of {', '.join(values)}.")
        parts.append(("kind = ?", [call.path[variable]]))
    if quirks.shows_after:
        shown = call.store.now().timestamp() - quirks.shows_after
        parts.append(("coalesce(json_extract(doc, '$._made'), 0) <= ?", [shown]))
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


def _embed(records: list[dict[str, Any]], call: Call) -> None:
    """Embed the pos, invoice or return object (specification, GET /payments, includeResource)."""
    wanted = sorted({str(record.get("_document_id")) for record in records})
    documents: dict[str, dict[str, Any]] = {}
    for resource in DOCUMENTS:
        for found in call.store.select(resource, f"id IN ({_marks(wanted)})", wanted):
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
