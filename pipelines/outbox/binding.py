"""Which service a change is for: the address and the key it was queued under, as fingerprints.

A change is sent to no other. A key that was replaced, or an address that moved, is the same shop
only on a person's word (``queue adopt``).
"""

from __future__ import annotations

import functools
import hashlib
import sqlite3
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pipelines.outbox.errors import ServiceChanged
from sources.repair_shop.settings import ShopSettings

if TYPE_CHECKING:
    from pipelines.outbox.store import Outbox


def bind(outbox: Outbox, shop: ShopSettings) -> int:
    """The row of the service that the settings name for a shop, made if need be."""
    queue = outbox.select("select queue from identity")[0][0]
    hashes = (_address_hash(shop), _key_hash(shop.api_key.get_secret_value(), queue))
    with outbox.transaction() as db:
        db.execute(
            "insert into services (shop, address, address_hash, key_hash) values (?, ?, ?, ?)"
            " on conflict do nothing",
            (shop.name, shown_address(shop.base_url), *hashes),
        )
        row = db.execute(
            "select id from services where shop = ? and address_hash = ? and key_hash = ?",
            (shop.name, *hashes),
        ).fetchone()
    return int(row[0])


def claim(outbox: Outbox, shop: ShopSettings) -> int:
    """The row of a shop's service, once all its open changes are for that one.

    Changes of a version that did not keep it are for the first that is asked.
    :class:`ServiceChanged` names those that were queued for another.
    """
    service = bind(outbox, shop)
    refuse_others(outbox, shop, service)
    with outbox.transaction() as db:
        db.execute(
            "update changes set service = ? where shop = ? and service is null",
            (service, shop.name),
        )
    return service


def refuse_others(outbox: Outbox, shop: ShopSettings, service: int) -> None:
    """Raise :class:`ServiceChanged` when open changes of a shop are for another service."""
    others = _others(outbox, shop.name, service)
    if not others:
        return
    first = others[0]
    own = outbox.select("select address_hash from services where id = ?", service)[0][0]
    if first["address_hash"] == own:
        was, now = "under another API key", "the settings name a new one"
    else:
        was = f"for {first['address']}"
        now = f"the settings name {shown_address(shop.base_url)}"
    numbers = ", ".join(str(row["number"]) for row in others[:10])
    more = f" and {len(others) - 10} more" if len(others) > 10 else ""
    raise ServiceChanged(
        f"Change {numbers}{more} of shop '{shop.name}' was queued {was}; {now}. Nothing was sent. "
        f"If it is the same shop (a replaced key, a new address): 'shopmirror queue adopt --shop "
        f"{shop.name}'. If not, put the settings right, or 'queue discard' what is not for it."
    )


def rebind(outbox: Outbox, shop: ShopSettings, by: str) -> int:
    """Bind a shop's open changes to the service that the settings name; how many were others'."""
    service = bind(outbox, shop)
    others = _others(outbox, shop.name, service)
    with outbox.transaction() as db:
        outbox.set_in(
            db,
            [row["number"] for row in others],
            "adopted",
            f"by {by}: for {shown_address(shop.base_url)} with the key of today",
            service=service,
        )
    return len(others)


def shown_address(base_url: str) -> str:
    """An address as people may see it: without a user and a password."""
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _others(outbox: Outbox, shop: str, service: int) -> list[sqlite3.Row]:
    return outbox.select(
        "select c.number, s.address, s.address_hash from changes as c join services as s"
        " on s.id = c.service where c.shop = ? and c.service != ?"
        " and c.state in ('queued', 'sending', 'in_doubt', 'conflict') order by c.number",
        shop,
        service,
    )


def _address_hash(shop: ShopSettings) -> str:
    return hashlib.sha256(shop.base_url.rstrip("/").lower().encode()).hexdigest()[:32]


@functools.lru_cache(maxsize=64)
def _key_hash(key: str, salt: str) -> str:
    """Slow and salted: the file may be copied about, and a short key must not be found from it."""
    return hashlib.scrypt(key.encode(), salt=salt.encode(), n=2**12, r=8, p=1, dklen=16).hex()
