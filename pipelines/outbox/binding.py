"""Which service a change is for: the address and the key it was queued under, as fingerprints.

A change is sent to no other. A key that was replaced, or an address that moved, is the same shop
only on a person's word (``queue adopt``).
"""

import functools
import hashlib
from urllib.parse import urlsplit

from pipelines.outbox.errors import ServiceChanged
from pipelines.outbox.store import Outbox
from sources.repair_shop.settings import ShopSettings


def bind(outbox: Outbox, shop: ShopSettings) -> int:
    """The row of the service that the settings name for a shop, made if need be."""
    identity = outbox.identity()
    assert identity is not None
    key_hash = _key_hash(shop.api_key.get_secret_value(), identity["queue"])
    address_hash = hashlib.sha256(shop.base_url.rstrip("/").lower().encode()).hexdigest()[:32]
    return outbox.service(shop.name, shown_address(shop.base_url), address_hash, key_hash)


def claim(outbox: Outbox, shop: ShopSettings) -> int:
    """The row of a shop's service, once all its open changes are for that one.

    Changes of a version that did not keep it are for the first that is asked.
    :class:`ServiceChanged` names those that were queued for another.
    """
    service = bind(outbox, shop)
    refuse_others(outbox, shop, service)
    outbox.claim_unbound(shop.name, service)
    return service


def refuse_others(outbox: Outbox, shop: ShopSettings, service: int) -> None:
    """Raise :class:`ServiceChanged` when open changes of a shop are for another service."""
    others = outbox.bound_to_others(shop.name, service)
    if not others:
        return
    first = others[0]
    if first["address_hash"] == outbox.address_hash(service):
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
    others = outbox.bound_to_others(shop.name, service)
    outbox.set(
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


@functools.lru_cache(maxsize=64)
def _key_hash(key: str, salt: str) -> str:
    """Slow and salted: the file may be copied about, and a short key must not be found from it."""
    return hashlib.scrypt(key.encode(), salt=salt.encode(), n=2**12, r=8, p=1, dklen=16).hex()
