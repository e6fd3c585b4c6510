"""Does a record at the service show what a change says? Request fields against rows of ``raw``.

A request names fields in its own words (``customerId``), an answer in others (``customer {id,
name}``), and how a service spells values is open (specification, "Response fields ... not shown").
So records are first cleaned as the sync cleans them, and a value is compared with every column that
may show it. A field that no column shows is *not visible*, which is neither agreement nor not.

Services were also seen to keep less than they are sent: without accents or signs beyond ASCII,
escaped for HTML or without its tags, cut off, in another zone's time. A create whose answer was
lost would count as absent then, and be made twice. So a record that comes near is left to a person,
but for one that holds a marker: a short token in a free-text field, where the user allows it.
"""

import html
import json
import re
import unicodedata
import uuid
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any
from zoneinfo import ZoneInfo

from pipelines.outbox.change import Fields
from pipelines.outbox.refers import takes_id
from sources.repair_shop.schema.clean import parse_amount, snake_case
from sources.repair_shop.schema.dates import parse_moment

_SHOWN_BY: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "customers": {
        "VATRegistration": ("vat_registration_number",),
        "telephone": ("phone",),
        "address": ("fulladdress__address",),
        "city": ("fulladdress__city",),
        "creditlimit": ("credit_limit",),
        "tax": (),
    },
    "tickets": {
        "customerId": ("customer",),
        "userId": ("technician",),
        "issueDescription": ("description",),
        "tax": (),
        "deviceModelId": (),
        "workApproved": (),
    },
    "ticket_timers": {"userId": ("user",)},
    "products": {
        "cost": ("prices__cost_price", "prices__cost_price_inc_vat"),
        "price": ("prices__retail_price", "prices__retail_price_inc_vat"),
        "supplierItemCode": ("supplier_code",),
        "tax": (),
        "warranty": (),
        "stockQuantity": (),
    },
    "models": {"name": ("model",), "brand": ("make", "brand")},
    "leads": {"userId": ("user",)},
    "appointments": {"dateandtime": ("start_date",), "leads": ("lead",), "attendees": ()},
    "time_clock": {"userId": ("user",)},
    "adjustments": {"add_products": (), "update_products": (), "delete_products": ()},
}
"""Resource -> request field -> columns that show it, where it is not the field in snake_case."""

_NUMBERS = frozenset({"mobile", "telephone"})
_LOCAL_DIGITS = 6
"""Digits of a telephone number from which its end tells it from others."""

_PRIORITIES = {"0": "urgent", "1": "high", "2": "normal", "3": "low"}
_ID = re.compile(r"\d+|[0-9a-fA-F]+(-[0-9a-fA-F]+)+")
_OUR_MOMENT = re.compile(r"\d{2}-[A-Za-z]{3}-\d{4}( \d{2}:\d{2}(:\d{2})?)?")


def columns_of(resource: str, name: str) -> tuple[str, ...]:
    """Roots of the columns that may show a request field; none when it is not shown."""
    return _SHOWN_BY.get(resource, {}).get(name, (snake_case(name),))


def picture(resource: str, name: str, row: Fields) -> dict[str, str]:
    """What a cleaned row shows of a request field: column -> text; empty when it shows nothing."""
    found: dict[str, str] = {}
    for root in columns_of(resource, name):
        for column, value in row.items():
            shown = column == root or column.startswith(root + "__")
            if shown and value not in (None, "") and not isinstance(value, list):
                found[column] = str(value)
    return found


def pictured(resource: str, name: str, row: Fields) -> Any:
    """What a record shows of a field, to be compared with what it showed before the request."""
    if name == "lines":
        return bag(row.get("lines"))
    return {column: _plain(text) for column, text in picture(resource, name, row).items()}


_LINE = (
    "product_code item_description quantity unit_price id product_id type internal_use breakage"
).split()


def bag(lines: Any) -> list[str]:
    """Lines of a record to be compared, in whatever order: what tells each from others."""
    return sorted(str([_plain(line.get(name)) for name in _LINE]) for line in lines or ())


def _plain(value: Any) -> str:
    """A value as text, numbers by what they are worth: ``2.0`` is ``2``."""
    try:
        return str(Decimal(str(value)).normalize())
    except InvalidOperation:
        return str(value)


def shows(resource: str, name: str, sent: Any, row: Fields, zone: ZoneInfo) -> bool | None:
    """Whether a cleaned row shows the value sent in a request field; None when not visible."""
    if isinstance(sent, list):
        return _lines_show(sent, row.get("lines")) if name == "lines" else None
    seen = picture(resource, name, row)
    if not seen:
        return True if sent == "" else None
    if name == "priority":
        wanted = {str(sent).lower(), _PRIORITIES.get(str(sent), "")}
        wanted |= {digit for digit, label in _PRIORITIES.items() if label == str(sent).lower()}
        return any(value.lower() in wanted for value in seen.values())
    if any(same(sent, value, zone) for value in seen.values()):
        return True
    if name in _NUMBERS and any(_dials(str(sent), value) for value in seen.values()):
        return True
    if takes_id(resource, name) and not _shows_an_id(resource, name, seen):
        # Many records show its name alone (field notes: a model's ``make``), which says nothing.
        return None
    return False


def _dials(sent: str, seen: str) -> bool:
    """Whether two spellings of a telephone number end alike: services add the country code
    (specification, Customer, countryCode) and drop spaces, hyphens and leading zeros."""
    ours, theirs = (re.sub(r"\D", "", text).lstrip("0") for text in (sent, seen))
    shorter = min(len(ours), len(theirs))
    return shorter >= _LOCAL_DIGITS and ours[-shorter:] == theirs[-shorter:]


def _shows_an_id(resource: str, name: str, seen: Mapping[str, str]) -> bool:
    """Whether one of the columns holds an id: ``brand__id``, or ``brand`` itself with a number or
    hyphen-separated identifier in it (specification, Customer)."""
    return any(
        column.endswith("__id") or (column in columns_of(resource, name) and _ID.fullmatch(value))
        for column, value in seen.items()
    )


def same(sent: Any, seen: Any, zone: ZoneInfo) -> bool:
    """Whether two spellings mean one value: dates to the precision sent, numbers by value."""
    if isinstance(sent, bool):
        return str(seen).strip().lower() in (("true", "yes", "1") if sent else ("false", "no", "0"))
    ours, theirs = _folded(sent), _folded(seen)
    if ours == theirs:
        return True
    if is_moment(sent):
        return _same_moment(sent, str(seen), zone)
    try:
        # A leading zero makes it a code or a telephone number, which is text.
        if re.match(r"\+?0\d", ours) or re.match(r"\+?0\d", theirs):
            return False
        return Decimal(ours) == parse_amount(seen)
    except (InvalidOperation, ValueError):
        return False


def is_moment(sent: Any) -> bool:
    """Whether a value is a date or time as we send it."""
    return isinstance(sent, str) and bool(_OUR_MOMENT.fullmatch(sent))


def _same_moment(sent: str, seen: str, zone: ZoneInfo) -> bool:
    ours, theirs = parse_moment(sent, zone), parse_moment(seen, zone)
    if ours is None or theirs is None:
        return False
    length = {11: 10, 17: 16}.get(len(sent), 19)
    return ours[:length] == theirs[:length]


def _folded(value: Any) -> str:
    """Letters with an accent are one code point or two, which means the same."""
    return " ".join(unicodedata.normalize("NFC", str(value)).split()).casefold()


def _lines_show(sent: list[Any], seen: Any) -> bool | None:
    if not isinstance(seen, list):
        return None
    for line in sent:
        found = _of_product(seen, line["productCode"])
        wanted = (("quantity", "quantity"), ("unitPrice", "unit_price"))
        if not any(
            all(
                name not in line
                or row.get(column) is None
                or Decimal(str(line[name])) == Decimal(str(row[column]))
                for name, column in wanted
            )
            for row in found
        ):
            return False
    return True


def _of_product(lines: Any, code: str) -> list[Any]:
    return [line for line in lines or () if _folded(line.get("product_code")) == _folded(code)]


KEYS: Mapping[str, tuple[str, ...]] = {
    "customers": ("name",),
    "tickets": ("shortInfo",),
    "ticket_comments": ("comment",),
    "ticket_timers": ("startDate", "endDate"),
    "products": ("code",),
    "models": ("name",),
    "categories": ("name",),
    "brands": ("name",),
    "stock": ("product", "quantity"),
    "adjustments": ("adjustment_date",),
    "leads": ("name",),
    "appointments": ("subject", "dateandtime"),
    "time_clock": ("inDate",),
}
"""Resource -> request fields that a record must show to be taken for the one we created."""

_COMMON = frozenset(
    (
        "type status condition gender priority color countryCode city group referredBy supplier "
        "accountManager paymentTermDays tax userId category brand model model_group duration "
        "location issueType deviceModelId term_in_days profit_margin parent_category warranty "
        "boughtFrom stockQuantity alertQuantity reorderQuantity discount discountLevel"
    ).split()
)
"""Request fields in which many records are equal."""
_WORDED = _COMMON - {"city", "status", "priority", "discount", "profit_margin", "duration"}
"""Of them, those that services show in words of their own, such as a country for its code."""
_HALF = 0.5
"""Share of the other fields that a record must show to come near."""
_SHORTEST_CUT = 12
"""Letters and digits from which the beginning of a text tells it from others."""
_ZONE_SECONDS = 15 * 3600.0
"""Zones differ by 14 hours from UTC; the rest is for services that round times."""


def distorts(resource: str, body: Fields, row: Fields, zone: ZoneInfo, *, wide: bool) -> bool:
    """Whether a cleaned row comes near to a body: in every key, or, if ``wide``, in half of what
    tells records apart. A key that is a time may be near by chance, so nothing else must differ."""
    shown = {
        name: shows(resource, name, value, row, zone)
        for name, value in body.items()
        if not isinstance(value, bool | list) and value not in (None, "")
    }
    near = {
        name: _near(resource, name, body[name], row, zone) if found is False else found
        for name, found in shown.items()
    }
    if all(near.get(name) for name in KEYS[resource]):
        at_times = any(is_moment(body[name]) and not shown[name] for name in KEYS[resource])
        return not at_times or False not in near.values()
    telling = [found for name, found in near.items() if found is not None and name not in _COMMON]
    return wide and any(telling) and sum(telling) >= len(telling) * _HALF


def retains(resource: str, name: str, sent: Any, row: Fields, zone: ZoneInfo) -> bool | None:
    """As :func:`shows`, of a record that is the one for sure: also if it was rounded to cents,
    escaped, or lost its accents, signs or spaces. With an accent put on it is another's word."""
    found = shows(resource, name, sent, row, zone)
    seen = picture(resource, name, row).values() if found is False else ()
    return any(_respelled(str(sent), shown) for shown in seen) or found


def _respelled(sent: str, shown: str) -> bool:
    try:
        ours, theirs = Decimal(sent), parse_amount(shown)
        return ours != round(ours, 2) and abs(ours - theirs) < Decimal("0.01")
    except (InvalidOperation, ValueError):
        plain = re.sub(r"[^a-z0-9]", "", html.unescape(shown).casefold())
        return plain in _spellings(sent) and not plain.isdecimal()


def left_out(resource: str, body: Fields, before: Fields, row: Fields, zone: ZoneInfo) -> list[str]:
    """Fields, and lines, that a record shows as before an update and not as they were sent: none
    whose words may stand for what was sent, as it may have been so before."""
    found = [
        name
        for name, value in body.items()
        if name not in _WORDED
        and not isinstance(value, bool)
        and retains(resource, name, value, row, zone) is False
        and pictured(resource, name, before) == pictured(resource, name, row)
        and not (isinstance(value, str) and _near(resource, name, value, row, zone))
    ]
    for line in body.get("lines", ()) if "lines" not in found else ():
        code = line["productCode"]
        was, now = (bag(_of_product(shown.get("lines"), code)) for shown in (before, row))
        if was == now and _lines_show([line], row.get("lines")) is False:
            found.append(f"line {code}")
    return found


def is_cut(resource: str, name: str, sent: Any, row: Fields) -> bool:
    """Whether a cleaned row shows the beginning of what was sent in a field."""
    shown = picture(resource, name, row).values()
    return any(_texts_near(str(sent), seen, shortest=1) for seen in shown)


def _near(resource: str, name: str, sent: Any, row: Fields, zone: ZoneInfo) -> bool:
    return any(
        _moments_near(sent, seen, zone) if is_moment(sent) else _texts_near(str(sent), seen)
        for seen in picture(resource, name, row).values()
    )


def _moments_near(sent: str, seen: str, zone: ZoneInfo) -> bool:
    ours, theirs = parse_moment(sent, zone), parse_moment(seen, zone)
    if ours is None or theirs is None:
        return False
    one, other = (datetime.fromisoformat(text).replace(tzinfo=None) for text in (ours, theirs))
    return abs((one - other).total_seconds()) <= _ZONE_SECONDS


def _texts_near(sent: str, seen: str, shortest: int = _SHORTEST_CUT) -> bool:
    try:
        return abs(Decimal(sent) - parse_amount(seen)) < 1
    except (InvalidOperation, ValueError):
        pass
    ours, theirs = _spellings(sent), _spellings(seen)
    cut = any(
        len(shown) >= shortest and whole.startswith(shown) for shown in theirs for whole in ours
    )
    return cut or not ours.isdisjoint(theirs)


def _spellings(text: str) -> set[str]:
    """Letters and digits of a text: without its accents, without its letters beyond ASCII, each
    with and without what may be tags."""
    plain = html.unescape(text)
    # A sharp s folds to "ss", where a service that drops letters beyond ASCII leaves nothing.
    forms = {plain.casefold(), plain.lower()}
    forms |= {unicodedata.normalize("NFKD", form) for form in forms}
    forms |= {re.sub(r"<[^>]*>", "", form) for form in forms}
    return {re.sub(r"[^a-z0-9]", "", form) for form in forms} - {""}


MARKER_FIELDS: Mapping[str, str] = {
    "customers": "comments",
    "tickets": "issueDescription",
    "ticket_comments": "comment",
    "ticket_timers": "notes",
    "payments": "paymentNote",
    "products": "description",
    "adjustments": "notes",
    "leads": "description",
    "appointments": "description",
    "time_clock": "inNotes",
}
"""Resource -> free-text field that takes a marker; a payment's is in each of its lines."""


def marked_body(resource: str, body: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
    """The body of a create with a new marker in it, and the marker; None where no field takes
    one."""
    name = MARKER_FIELDS.get(resource)
    if name is None:
        return body, None
    marker = f"sm-{uuid.uuid4().hex[:10]}"
    if resource == "payments":
        lines = [_with_note(line, name, marker) for line in body["lines"]]
        return {**body, "lines": lines}, marker
    return _with_note(body, name, marker), marker


def _with_note(values: Fields, name: str, marker: str) -> dict[str, Any]:
    return {**values, name: f"{values.get(name) or ''} [{marker}]".strip()}


def holds(row: Fields, marker: str) -> bool:
    """Whether a record shows the marker anywhere, in capitals perhaps, or without its hyphen."""
    return marker.rpartition("-")[2] in json.dumps(row, default=str).lower()
