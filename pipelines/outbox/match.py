"""Does a record at the service show what a change says? Request fields against rows of ``raw``.

A request names fields in its own words (``customerId``), an answer in others (``customer {id,
name}``). How a service spells values is open (specification, "Response fields ... not shown"). So
records are first cleaned as the sync cleans them, and a value is compared with every column that
may show it: :func:`compare` says how near it comes.
"""

import difflib
import hashlib
import html
import json
import re
import unicodedata
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from enum import IntEnum
from typing import Any
from zoneinfo import ZoneInfo

from pipelines.outbox.change import Fields
from pipelines.outbox.references import named_by
from sources.repair_shop.schema.clean import parse_amount, says_deleted, snake_case
from sources.repair_shop.schema.dates import parse_moment


class Match(IntEnum):
    """How a record shows a value, from not at all to exactly."""

    DIFFERENT = 0
    """It shows another value."""
    ALTERED = 1
    """It shows one that may have been made of ours: cut off, of another zone, of other letters."""
    HIDDEN = 2
    """It does not show the field, which says nothing."""
    SAME = 3
    """It shows it: rounded to cents perhaps, escaped, without accents or signs."""


_SHOWN_BY: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "customers": {
        "VATRegistration": ("vat_registration_number",),
        "telephone": ("phone",),
        "address": ("fulladdress__address",),
        "city": ("fulladdress__city", "city"),
        "creditlimit": ("credit_limit",),
    },
    "tickets": {
        "customerId": ("customer",),
        "userId": ("technician",),
        "issueDescription": ("description",),
        "deviceModelId": (),
        "workApproved": (),
    },
    "ticket_timers": {"userId": ("user",)},
    "products": {
        "cost": ("prices__cost_price", "prices__cost_price_inc_vat", "cost"),
        "price": ("prices__retail_price", "prices__retail_price_inc_vat", "price"),
        "supplierItemCode": ("supplier_code",),
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

KEYS: Mapping[str, tuple[str, ...]] = {
    "customers": ("name",),
    "tickets": ("shortInfo",),
    "ticket_comments": ("comment",),
    "ticket_timers": ("startDate", "endDate"),
    "products": ("code",),
    "models": ("name",),
    "categories": ("name",),
    "brands": ("name",),
    "stock": ("product",),
    "adjustments": ("adjustment_date",),
    "leads": ("name",),
    "appointments": ("subject", "dateandtime"),
    "time_clock": ("inDate",),
}
"""Resource -> request fields that tell a record that may be ours from others."""

TELLING = frozenset(
    "mobile telephone email invoiceemail VATRegistration imei reference_no "
    "customerId customer ticket".split()
)
"""Request fields by which a record may be ours though the service, or somebody, rewrote its
name."""

IN_WORDS = frozenset(
    (
        "type condition gender color countryCode group referredBy supplier accountManager tax "
        "paymentTermDays userId category brand model model_group location issueType deviceModelId "
        "term_in_days parent_category warranty boughtFrom alertQuantity reorderQuantity"
    ).split()
)
"""Request fields that services show in words of their own, such as a country for its code."""

_PRIORITIES = {"0": "Urgent", "1": "High", "2": "Normal", "3": "Low"}
_LOCAL_DIGITS = 6
"""Digits of a telephone number from which its end tells it from others."""
_ID = re.compile(r"\d+|[0-9a-fA-F]+(-[0-9a-fA-F]+)+")
_OUR_MOMENT = re.compile(r"\d{2}-[A-Za-z]{3}-\d{4}( \d{2}:\d{2}(:\d{2})?)?")
_ZONE_SECONDS = 15 * 3600.0
"""Zones differ by 14 hours from UTC; the rest is for services that round times."""
SLACK = 120.0
"""Seconds that a ``Date`` in whole seconds and a slow answer leave open."""
_LIKE = 0.75
"""Share of letters in common from which a text may have been made of another."""


def columns_of(resource: str, name: str) -> tuple[str, ...]:
    """Roots of the columns that may show a request field; none when it is not shown."""
    return _SHOWN_BY.get(resource, {}).get(name, (snake_case(name),))


def picture(resource: str, name: str, row: Fields) -> dict[str, str]:
    """What a cleaned row shows of a request field: column -> text; empty when it shows nothing."""
    found: dict[str, str] = {}
    if name == "lines" and isinstance(row.get("lines"), list):
        return {"lines": str(sorted(map(_line, row["lines"])))}
    for root in columns_of(resource, name):
        for column, value in row.items():
            shown = column == root or column.startswith(root + "__")
            if shown and value not in (None, "") and not isinstance(value, list):
                found[column] = str(value)
    return found


def _line(line: Fields) -> str:
    names = "product_code item_description quantity unit_price id".split()
    return str([_worth(line.get(name)) for name in names])


def _worth(value: Any) -> str:
    """A value as text, numbers by what they are worth: ``2.0`` is ``2``."""
    try:
        return str(Decimal(str(value)).normalize())
    except InvalidOperation:
        return str(value)


def compare(resource: str, name: str, sent: Any, row: Fields, zone: ZoneInfo) -> Match:
    """How a cleaned row shows the value sent in a request field."""
    if isinstance(sent, list):
        shown = row.get("lines") if name == "lines" else None
        return Match.HIDDEN if not isinstance(shown, list) else _lines_match(sent, shown)
    seen = picture(resource, name, row)
    if not seen:
        return Match.SAME if sent == "" else Match.HIDDEN
    if name == "priority":
        sent = _PRIORITIES.get(str(sent), sent)
        seen = {column: _PRIORITIES.get(value, value) for column, value in seen.items()}
    best = max(_nearness(name, sent, value, zone) for value in seen.values())
    is_id = named_by(resource, name) == ("id",) and not _an_id(resource, name, seen)
    in_words = str(sent).isdecimal() and not re.search(r"\d", " ".join(seen.values()))
    if best is not Match.SAME and (is_id or in_words):
        # Many records show its name alone (field notes: a model's ``make``), which says nothing.
        return Match.HIDDEN
    return best


def _nearness(name: str, sent: Any, seen: str, zone: ZoneInfo) -> Match:
    if same(sent, seen, zone) or (name in ("mobile", "telephone") and _dials(str(sent), seen)):
        return Match.SAME
    if moments := _moments(sent, seen, zone):
        first, second = (datetime.fromisoformat(text).replace(tzinfo=None) for text in moments)
        is_near = abs((first - second).total_seconds()) <= _ZONE_SECONDS
        return Match.ALTERED if is_near else Match.DIFFERENT
    try:
        ours, theirs = Decimal(str(sent)), parse_amount(seen)
        is_rounded = ours != round(ours, 2) and abs(ours - theirs) < Decimal("0.01")
        return Match.SAME if is_rounded else Match.DIFFERENT
    except (InvalidOperation, ValueError):
        pass
    one, other = _letters(str(sent)), _letters(seen)
    if one == other:
        return Match.SAME if one else Match.ALTERED
    is_part = one.startswith(other) or other.startswith(one)
    is_near = is_part or difflib.SequenceMatcher(None, one, other).ratio() >= _LIKE
    return Match.ALTERED if is_near else Match.DIFFERENT


def _dials(sent: str, seen: str) -> bool:
    """Whether two spellings of a telephone number end alike: services add the country code
    (specification, Customer, countryCode) and drop spaces, hyphens and leading zeros."""
    ours, theirs = (re.sub(r"\D", "", text).lstrip("0") for text in (sent, seen))
    shorter = min(len(ours), len(theirs))
    return shorter >= _LOCAL_DIGITS and ours[-shorter:] == theirs[-shorter:]


def _an_id(resource: str, name: str, seen: Mapping[str, str]) -> bool:
    """Whether one of the columns holds an id: ``brand__id``, or ``brand`` itself with a number or
    hyphen-separated identifier in it (specification, Customer)."""
    return any(
        column.endswith("__id") or (column in columns_of(resource, name) and _ID.fullmatch(value))
        for column, value in seen.items()
    )


def kind_of(name: str) -> str:
    """What kind of name of a record a text may be: those of one kind look alike."""
    return "number" if name.isdecimal() else "id" if _ID.fullmatch(name) else "word"


def same(sent: Any, seen: Any, zone: ZoneInfo) -> bool:
    """Whether two spellings mean one value: dates to the precision sent, numbers by value."""
    if isinstance(sent, bool):
        return str(seen).strip().lower() in (("true", "yes", "1") if sent else ("false", "no", "0"))
    ours, theirs = _folded(sent), _folded(seen)
    if ours == theirs:
        return True
    if moments := _moments(sent, seen, zone):
        length = {11: 10, 17: 16}.get(len(sent), 19)
        return moments[0][:length] == moments[1][:length]
    try:
        # A leading zero makes it a code or a telephone number, which is text.
        if re.match(r"\+?0\d", ours) or re.match(r"\+?0\d", theirs):
            return False
        return Decimal(ours) == parse_amount(seen)
    except (InvalidOperation, ValueError):
        return False


def _moments(sent: Any, seen: Any, zone: ZoneInfo) -> tuple[str, str] | None:
    """Two moments in ISO form, where a date of ours was sent and one is shown."""
    if not isinstance(sent, str) or not _OUR_MOMENT.fullmatch(sent):
        return None
    ours, theirs = parse_moment(sent, zone), parse_moment(seen, zone)
    return (ours, theirs) if ours and theirs else None


def _folded(value: Any) -> str:
    """Letters with an accent are one code point or two, which means the same."""
    return " ".join(unicodedata.normalize("NFC", str(value)).split()).casefold()


def _letters(text: str) -> str:
    """Letters and digits of a text, without accents and what may be tags."""
    plain = re.sub(r"<[^>]*>", "", html.unescape(text))
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKD", plain)).casefold()


def _lines_match(sent: Iterable[Fields], seen: Sequence[Fields]) -> Match:
    """Whether a ticket has each line that was sent (specification, Ticket item line)."""

    def is_shown(line: Fields, row: Fields) -> bool:
        if _folded(row.get("product_code")) != _folded(line["productCode"]):
            return False
        pairs = [("quantity", "quantity"), ("unitPrice", "unit_price")]
        known = [pair for pair in pairs if pair[0] in line and row.get(pair[1]) is not None]
        return all(_worth(line[name]) == _worth(row[column]) for name, column in known)

    whole = all(any(is_shown(line, row) for row in seen) for line in sent)
    return Match.SAME if whole else Match.DIFFERENT


def shows(
    resource: str, name: str, sent: Any, before: Fields | None, row: Fields, zone: ZoneInfo
) -> bool:
    """Whether a record shows what an update set: to the letter, where it is as before or may be."""
    seen = picture(resource, name, row).values()
    if compare(resource, name, sent, row, zone) is not Match.SAME:
        return False
    exact = not seen or any(
        sent == value if isinstance(sent, str) else same(sent, value, zone) for value in seen
    )
    return exact or not is_as_before(resource, name, before, row)


def is_as_before(resource: str, name: str, before: Fields | None, row: Fields) -> bool:
    """Whether a record shows of a field what it did before, as far as that is known."""
    now, then = picture(resource, name, row), picture(resource, name, before or {})
    return before is None or set(now.values()) == set(then.values())


def left_out(
    resource: str,
    body: Fields,
    before: Fields | None,
    row: Fields,
    zone: ZoneInfo,
    served: Collection[str] = (),
) -> list[str]:
    """Fields that a record shows as before an update, where that is known, and not as they were
    sent. Words that may stand for what was sent say nothing, as it may have been so before.
    ``served``: columns in which null is empty, not hidden: of an update those that the record had
    before, for what the service answered and left null may not be there."""

    def is_empty(name: str, sent: Any) -> bool:
        if not sent or picture(resource, name, row):
            return False
        # In an object, such as an address, an empty text is null in a cleaned row.
        told = [column for column in columns_of(resource, name) if column in row]
        return any(row[c] == "" or "__" in c or c in served for c in told)

    return [
        name
        for name, sent in body.items()
        if is_as_before(resource, name, before, row)
        and (is_empty(name, sent) or compare(resource, name, sent, row, zone) is Match.DIFFERENT)
        and not (name in IN_WORDS or isinstance(sent, bool))
        and not (before is None and _may_be_named_otherwise(resource, name, str(sent), row))
    ]


def _may_be_named_otherwise(resource: str, name: str, sent: str, row: Fields) -> bool:
    """Whether a record shows, of another one, perhaps a name that is not the one we sent: an id in
    place of a label, one of the three names of a ticket."""
    kinds = map(kind_of, picture(resource, name, row).values())
    names = named_by(resource, name)
    return len(names) > 2 or (len(names) == 2 and kind_of(sent) not in kinds)


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


def marked_body(
    resource: str, body: dict[str, Any], key: str = ""
) -> tuple[dict[str, Any], str | None]:
    """The body of a create with a marker in it, and the marker: a new one, or that of the caller's
    ``key``, which another queue gives it, too. None where no field takes one."""
    name = MARKER_FIELDS.get(resource)
    if name is None:
        return body, None
    drawn = hashlib.sha256(f"{resource} {key}".encode()).hexdigest() if key else uuid.uuid4().hex
    marker = f"sm-{drawn[:10]}"
    if resource == "payments":
        return {**body, "lines": [_noted(line, name, marker) for line in body["lines"]]}, marker
    return _noted(body, name, marker), marker


def _noted(values: Fields, name: str, marker: str) -> dict[str, Any]:
    return {**values, name: f"{values.get(name) or ''} [{marker}]".strip()}


def holds(row: Fields, marker: str) -> bool:
    """Whether a record shows the marker anywhere, in capitals perhaps, or without its hyphen."""
    return marker.rpartition("-")[2] in json.dumps(row, default=str).lower()


def seconds_of(text: Any, zone: ZoneInfo) -> float | None:
    """The moment that a time means, in the shop's zone where it names none, in seconds since 1970;
    None for a day, and for none."""
    iso = parse_moment(text, zone) if text else None
    if iso is None or len(iso) == 10:
        return None
    shown = datetime.fromisoformat(iso)
    return (shown if shown.tzinfo else shown.replace(tzinfo=zone)).timestamp()


def cents(amount: Any) -> int | None:
    """Hundredths of an amount; None for what is none."""
    try:
        return int((parse_amount(amount) * 100).to_integral_value())
    except ValueError:
        return None


def is_deleted(row: Fields) -> bool:
    """Whether a record says of itself that it was deleted, or its status does."""
    return says_deleted(row) or str(row.get("status")).lower() == "deleted"
