"""Whether a new record may be one that we asked for, though it does not show what was sent.

Services were seen to keep less than they are sent: without accents or signs beyond ASCII, escaped
for HTML or without its tags, cut off, in another zone's time. A create whose answer was lost would
count as absent then, and be made twice. So a record that comes near is left to a person.
"""

import html
import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any
from zoneinfo import ZoneInfo

from pipelines.outbox.compare import is_moment, picture, shows
from sources.repair_shop.schema.clean import parse_amount
from sources.repair_shop.schema.dates import parse_moment

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
_HALF = 0.5
"""Share of the other fields that a record must show to come near."""
_SHORTEST_CUT = 12
"""Letters and digits from which the beginning of a text tells it from others."""
_ZONE_SECONDS = 15 * 3600.0
"""Zones differ by 14 hours from UTC; the rest is for services that round times."""


def distorts(
    resource: str, body: Mapping[str, Any], row: Mapping[str, Any], zone: ZoneInfo, *, wide: bool
) -> bool:
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


def is_cut(resource: str, name: str, sent: Any, row: Mapping[str, Any]) -> bool:
    """Whether a cleaned row shows the beginning of what was sent in a field."""
    shown = picture(resource, name, row).values()
    return any(_texts_near(str(sent), seen, shortest=1) for seen in shown)


def _near(resource: str, name: str, sent: Any, row: Mapping[str, Any], zone: ZoneInfo) -> bool:
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
    plain = html.unescape(text).casefold()
    folded = unicodedata.normalize("NFKD", plain)
    bare = (re.sub(r"<[^>]*>", "", form) for form in (plain, folded))
    return {re.sub(r"[^a-z0-9]", "", form) for form in (plain, folded, *bare)} - {""}
