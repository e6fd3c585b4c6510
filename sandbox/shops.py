"""Shops of a sandbox: what each is made of, its key, its store."""

import hashlib
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from sandbox.generator import Size, generate
from sandbox.generator.context import WORDS
from sandbox.quirks import Quirks
from sandbox.resources import NUMBERED
from sandbox.store import Database, ShopStore
from specification import LIMITS

Records = Iterable[tuple[str, Mapping[str, Any]]]
"""``(resource, record)`` pairs."""


@dataclass(frozen=True)
class ShopSpec:
    """One shop to serve.

    Attributes:
        name: lower-case name; it appears nowhere in an answer but ``/info``.
        timezone: IANA name; every day of a filter or report is a day there.
        quirks: how it answers.
        limit: requests a minute; None lifts the limit.
        key: a fixed key for tests; None makes one, unless the file already holds one.
        seed: of the generator.
        until: last day of the generated data; None takes the generator's fixed default.
        records: ``(resource, record)`` pairs to serve instead of generated ones.
    """

    name: str = "main"
    timezone: str = "UTC"
    quirks: Quirks = field(default_factory=Quirks)
    limit: int | None = LIMITS.requests_per_minute
    key: str | None = field(default=None, repr=False)
    seed: int = 1
    until: date | None = None
    records: Records | None = field(default=None, repr=False)


def key_hash(key: str) -> str:
    """Give the SHA-256 of a key, which is all that is ever stored (specification, Authentication).

    A random key of 256 bits needs no slow hash: there is no dictionary to try.
    """
    return hashlib.sha256(key.encode()).hexdigest()


def _made(*, in_spanish: bool, numbered: bool, **wanted: Any) -> Records:
    """A made-up shop; ``in_spanish``: its labels of tickets, ``numbered``: plain numbers for the
    ids of brands, models and issue types."""
    labels: dict[str, str] = WORDS["spanish_statuses"] if in_spanish else {}
    ids: dict[str, int] = {}

    def told(value: Any, name: str = "") -> Any:
        if isinstance(value, str):
            return labels.get(value, value) if name == "label" else ids.get(value, value)
        if isinstance(value, Mapping):
            return {name: told(part, name) for name, part in value.items()}
        return [told(part) for part in value] if isinstance(value, list) else value

    for resource, record in generate(**wanted):
        if numbered and resource in NUMBERED:
            ids[record["id"]] = len(ids) + 101
        yield resource, told(record)


@lru_cache(maxsize=8)
def _made_once(**wanted: Any) -> Records:
    """Tests make the same small shops again and again."""
    return tuple(_made(**wanted))


class Shops:
    """All shops of one database: opened or made, found by their key."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self.database = database
        self._now = now
        self.specs: dict[str, ShopSpec] = {}
        self.stores: dict[str, ShopStore] = {}

    def open(self, spec: ShopSpec, size: Size) -> str | None:
        """Serve a shop, filling it if the file does not hold it yet; gives its key if it is new.

        Raises:
            ValueError: the file holds the shop with another time zone.
        """
        asked = "SELECT timezone, key_hash FROM shops WHERE shop = ?"
        row = self.database.one(asked, spec.name)
        if row is not None and row[0] != spec.timezone:
            raise ValueError(f"shop '{spec.name}' was made with the time zone {row[0]}")
        store = ShopStore(self.database, spec.name, spec.timezone, self._now)
        if row is None:
            with self.database.writing() as connection:
                store.load(self._records(spec, size))
                connection.execute(
                    "INSERT INTO shops VALUES (?, ?, NULL)", (spec.name, spec.timezone)
                )
        self.specs[spec.name] = spec
        self.stores[spec.name] = store
        if spec.key is not None:
            return self.set_key(spec.name, spec.key)
        return self.set_key(spec.name) if row is None or row[1] is None else None

    def _records(self, spec: ShopSpec, size: Size) -> Records:
        if spec.records is not None:
            return spec.records
        return (_made_once if size == "tiny" else _made)(
            seed=spec.seed,
            size=size,
            shop=spec.name,
            timezone=spec.timezone,
            until=spec.until,
            in_spanish=spec.quirks.status_labels == "spanish",
            numbered=spec.quirks.second_look,
        )

    def set_key(self, shop: str, key: str | None = None) -> str:
        """Replace a shop's key, which makes the one before invalid; gives the new one.

        Raises:
            KeyError: there is no such shop.
        """
        key = secrets.token_urlsafe(32) if key is None else key
        with self.database.writing() as connection:
            changed = connection.execute(
                "UPDATE shops SET key_hash = ? WHERE shop = ?", (key_hash(key), shop)
            )
            if changed.rowcount == 0:
                raise KeyError(shop)
        return key

    def by_key(self, key: str) -> str | None:
        """Name of the shop that this key belongs to."""
        row = self.database.one("SELECT shop FROM shops WHERE key_hash = ?", key_hash(key))
        return row[0] if row is not None and row[0] in self.stores else None
