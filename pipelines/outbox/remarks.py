"""What looks like a mistake in changes that may well be meant: told, and queued all the same."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from pipelines.outbox.change import NewChange
from sources.repair_shop.schema.clean import parse_amount

_PRICES = ("price", "cost", "offerPrice")
_MANY = 20


def remarks(changes: Sequence[NewChange]) -> list[str]:
    """Prices that are negative, zero, halved or doubled, and records that occur twice."""
    found = [line for change in changes for line in _prices(change)]
    places: dict[tuple[str, str], str] = {}
    for change in changes:
        record = (change.resource, str(change.record_id))
        if change.op == "update" and isinstance(change.record_id, str):
            if record in places:
                first = places[record] or "above"
                found.append(
                    f"{change.at}{change.record_id} stands in {first}, too: the last counts"
                )
            places.setdefault(record, change.where)
    more = [f"... and {len(found) - _MANY} more like these"] if len(found) > _MANY else []
    return found[:_MANY] + more


def _prices(change: NewChange) -> Iterator[str]:
    for name in _PRICES:
        if name not in change.body:
            continue
        new, old = Decimal(str(change.body[name])), _old(change, name)
        target = f" of {change.record_id}" if isinstance(change.record_id, str) else ""
        what = f"{change.at}{name}{target}"
        if new <= 0:
            yield f"{what} is {new}" + (f", was {old}" if old is not None else "")
        elif old and (new <= old / 2 or new >= old * 2):
            yield f"{what} goes from {old} to {new} ({(new - old) / old:+.0%})"


def _old(change: NewChange, name: str) -> Decimal | None:
    seen = {**change.basis.get("seen", {}), **change.basis.get("values", {})}.get(name)
    for text in seen.values() if isinstance(seen, dict) else [seen]:
        try:
            return parse_amount(text).normalize() if text else None
        except ValueError:
            continue
    return None
