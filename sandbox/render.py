"""From stored records to answers: private parts dropped, the shop's quirks applied, JSON or XML."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

from sandbox.quirks import Quirks
from sandbox.values import dumps, format_day

REFERENCES = frozenset(
    (
        "customer technician status issue_type invoice ticket supplier group brand model category "
        "user lead product model_group parent_category warranty return pos"
    ).split()
)
"""Fields that refer to another record: an empty one has as many looks as there are shops."""
_PERCENT = frozenset({"value", "profit_margin"})
"""Decimals that are no money and never carry a currency sign."""
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NOT_IN_NAMES = re.compile(r"[^\w.-]|^(?![^\W\d])")
"""What no name holds, and the place before one that begins with no letter."""
_MISSING = object()
_LONG = 3_000_000_000


def public(
    record: Mapping[str, Any], quirks: Quirks, hidden: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Give the record as this shop serves it, without private and ``hidden`` parts."""
    served: dict[str, Any] = {}
    for name, value in record.items():
        if name.startswith("_") or name in hidden or _is_left_out(name, value, record, quirks):
            continue
        shown = _value(name, _as_seen(name, value, record, quirks), quirks)
        if name == "invoice" and quirks.ticket_invoice == "empty" and _is_ticket(record):
            shown = {}
        if shown is not _MISSING:
            served[_name(name, quirks)] = shown
    return served


def _is_left_out(name: str, value: Any, record: Mapping[str, Any], quirks: Quirks) -> bool:
    """Custom fields come with at least one value, a ticket's payments when there are any
    (specification, GET /customers and /tickets)."""
    if name == "in_pipeline":
        return not quirks.pipeline_flag
    return not value and (name == "custom_fields" or (name == "payments" and _is_ticket(record)))


def as_seen(record: Mapping[str, Any], quirks: Quirks) -> dict[str, Any]:
    """The record with its private parts as this shop shows it, but for how it spells values."""

    def inside(value: Any) -> Any:
        if isinstance(value, Mapping):
            return as_seen(value, quirks)
        return [inside(one) for one in value] if isinstance(value, list) else value

    return {name: inside(_as_seen(name, value, record, quirks)) for name, value in record.items()}


def _is_ticket(record: Mapping[str, Any]) -> bool:
    """Whether it is a ticket, and no document that names one."""
    return "ticket_no" in record and "number" not in record


def _as_seen(name: str, value: Any, record: Mapping[str, Any], quirks: Quirks) -> Any:
    """What single fields look like at shops that have been seen (field notes, A second look)."""
    if name == "invoice" and value and _is_ticket(record) and quirks.ticket_invoice != "full":
        kept = value if quirks.ticket_invoice == "no_amount" else ()
        return {part: value[part] for part in kept if part != "amount"}
    if not quirks.second_look:
        return value
    if name in ("brand", "model") and "prices" in record and value:
        return value["name"]
    if name == "internal_id" and isinstance(value, int):
        return f"C{value:06d}"
    if name == "payment_id" and isinstance(value, int):
        return _LONG + value * 7
    return "services" if name == "type" and value == "service" else value


def _name(name: str, quirks: Quirks) -> str:
    if quirks.naming == "snake_case":
        return name
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def _value(name: str, value: Any, quirks: Quirks) -> Any:
    if not value and name in REFERENCES and value in (None, "", {}):
        empty = {"null": None, "object": {}, "text": "", "missing": _MISSING}
        return empty[quirks.empty_reference]
    if isinstance(value, dict):
        if name == "custom_fields":
            return dict(value)
        return public(value, quirks)
    if isinstance(value, list):
        return [_value("", one, quirks) for one in value]
    if isinstance(value, Decimal):
        is_money = name not in _PERCENT or quirks.amounts == "number"
        return spelled(value, quirks.amounts if is_money else "text")
    if isinstance(value, str) and quirks.dates != "iso":
        return _date(value, quirks)
    return value


def spelled(value: Decimal, how: str) -> Any:
    """An amount as a ``number``, as ``text``, or as ``currency``: Q1,234.50."""
    if how == "number":
        return value
    return f"{value:f}" if how == "text" else f"{'-' if value < 0 else ''}Q{abs(value):,.2f}"


def _date(text: str, quirks: Quirks) -> str:
    if _MOMENT.fullmatch(text):
        if quirks.dates == "iso_colon":
            return f"{text[:-2]}:{text[-2:]}"
        moment = datetime.fromisoformat(text)
        return f"{format_day(moment.date())} {moment:%H:%M:%S}"
    if quirks.dates == "dd-mmm-yyyy" and _DAY.fullmatch(text):
        return format_day(datetime.fromisoformat(text).date())
    return text


def envelope(rows: list[Any], resource: str, quirks: Quirks) -> Any:
    """Wrap a list as the shop does."""
    if quirks.envelope == "bare":
        return rows
    return {"data" if quirks.envelope == "data" else _name(resource, quirks): rows}


def written(told: dict[str, Any] | None, quirks: Quirks) -> Any:
    """What a write answers, as the shop words it."""
    if told is None:
        return None
    shapes: dict[str, Any] = {
        "id": told,
        "text": {"id": str(told["id"])},
        "data": {"data": told},
        "message": {"success": True, "message": "Saved", **told},
    }
    return shapes[quirks.written]


def body(content: Any, *, xml: bool) -> tuple[bytes, str]:
    """Write an answer; gives the bytes and their content type."""
    if not xml:
        return dumps(content).encode(), "application/json"
    root = ElementTree.Element("response")
    for name, value in content.items() if isinstance(content, Mapping) else [("item", content)]:
        _add(root, name, value)
    text = ElementTree.tostring(root, "utf-8", xml_declaration=True, short_empty_elements=False)
    return text, "application/xml"


def _add(parent: ElementTree.Element, name: str, value: Any) -> None:
    """Write a value under its name; of a list one element for each."""
    for one in value if isinstance(value, list) else [value]:
        element = ElementTree.SubElement(parent, _NOT_IN_NAMES.sub("_", name))
        if isinstance(one, Mapping):
            for inner, part in one.items():
                _add(element, inner, part)
        elif one is not None:
            text = json.dumps(one) if isinstance(one, bool) else str(one)
            element.text = _NOT_IN_XML.sub("", text)
