"""Whose queue this file is: is it what the last push left, an older copy of it, or one elsewhere?

A queue put back from a backup holds changes as waiting that were sent since. Nothing in the file
itself can tell, so its place does (:mod:`pipelines.outbox.queue_file`):

* another machine, or another folder to which it was not moved: *foreign*. It sends nothing until
  ``queue adopt`` says that it is the queue from now on; the other one may still be at work.
* the same place, but not as the last push left it: *older*. Every change that waits may have been
  sent; each is looked up at the service before it is sent (:mod:`pipelines.outbox.verify`).
* a boot in between, a push that was cut off, a long time without a push: nothing of that needs a
  restored disk, but a snapshot of a whole machine looks just so. *Uncertain*: looked up as well.

And whose changes are in it: each is for the address and the key it was queued under, kept as
fingerprints, and is sent to no other service. A key that was replaced, or an address that moved, is
the same shop only on a person's word (``queue adopt``).
"""

import functools
import hashlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from enum import IntEnum
from urllib.parse import urlsplit

from pipelines.json_file import held
from pipelines.outbox.errors import PushBusy, QueueForeign, ServiceChanged
from pipelines.outbox.queue_file import Place, place_of, read_watermark
from pipelines.outbox.store import Outbox
from pipelines.settings import Settings, ShopSettings
from sources.repair_shop.budget import Budget


def bind(outbox: Outbox, shop: ShopSettings) -> int:
    """The row of the service that the settings name for a shop, made if need be."""
    key_hash = _key_hash(shop.api_key.get_secret_value(), outbox.identity()["queue"])
    address_hash = hashlib.sha256(shop.base_url.rstrip("/").lower().encode()).hexdigest()[:32]
    return outbox.service(shop.name, shown_address(shop.base_url), address_hash, key_hash)


def claim(outbox: Outbox, shop: ShopSettings) -> int:
    """The row of a shop's service, once all its open changes are for that one.

    Changes of a version that did not keep it are for the first that is asked.
    :class:`ServiceChanged` names those that were queued for another.
    """
    service = bind(outbox, shop)
    others = outbox.bound_to_others(shop.name, service)
    if not others:
        outbox.claim_unbound(shop.name, service)
        return service
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


GAP_SECONDS = 900.0
"""Three times what the scheduler leaves between pushes."""
_UNKNOWN_SECONDS = 31 * 86400.0
"""How far back a copy may have sent when no clock tells: longer ones are for a person's eyes."""


class Standing(IntEnum):
    """How a queue stands to what the last push left, the worst last."""

    OURS = 0
    UNCERTAIN = 1
    OLDER = 2
    FOREIGN = 3


@dataclass(frozen=True)
class Finding:
    """A standing, and why, in words."""

    standing: Standing
    why: str = ""


def find(outbox: Outbox) -> Finding:
    """How the queue stands, without changing anything."""
    row, place = outbox.identity(), place_of(outbox.path)
    said, seal = read_watermark(outbox.path.parent)
    as_left = bool(seal) and seal == row["watermark"] and said.get("queue") == row["queue"]
    if place.machine and row["machine"] and place.machine != row["machine"]:
        return Finding(Standing.FOREIGN, "it was last used on another machine")
    if place.path != row["path"] and not as_left:
        return Finding(Standing.FOREIGN, f"it was last used as {row['path']}")
    if not as_left:
        return Finding(Standing.OLDER, "it is not as the last push left it (a backup put back?)")
    if row["pushing"]:
        return Finding(Standing.UNCERTAIN, "the last push was cut off")
    if row["boot"] != place.boot:
        return Finding(Standing.UNCERTAIN, "the machine was started anew since the last push")
    if place.ticks - row["ticks"] > GAP_SECONDS:
        return Finding(Standing.UNCERTAIN, "it was not used for a while")
    return Finding(Standing.OURS)


def refuse_foreign(outbox: Outbox) -> Finding:
    """The finding; :class:`QueueForeign` for a copy that may not send."""
    found = find(outbox)
    if found.standing is Standing.FOREIGN:
        raise QueueForeign(
            f"The queue {outbox.path} is a copy: {found.why}. The other one may have sent what "
            "waits here, or be about to. Nothing was sent. If it is out of use, 'shopmirror queue "
            "adopt' makes this one the queue; each waiting change is then looked up at the service "
            "before it is sent."
        )
    return found


Skews = Mapping[str, float | None]
"""Shop -> seconds its service was last seen to be ahead of our clock, None if nobody knows."""


def _take(outbox: Outbox, found: Finding, skews: Skews, *, pushing: bool) -> None:
    """Make the queue, which stands as ``found``, the one of this place."""
    place = place_of(outbox.path)
    said, _ = read_watermark(outbox.path.parent)
    with outbox.transaction():
        now = outbox.now()
        if found.standing is not Standing.OURS:
            _doubt(outbox, found, place, skews)
        outbox.move_to(place, now, pushing=pushing)
        outbox.cut_waits(now)
        row, last = outbox.identity(), said.get("last")
        if said.get("queue") == row["queue"] and isinstance(last, int):
            # Numbers that the other copy gave out stay with what it gave them to.
            outbox.skip_numbers(last)
        outbox.write_watermark()


def _doubt(outbox: Outbox, found: Finding, place: Place, skews: Skews) -> None:
    """Mark what waits as perhaps sent by another copy since this one was last used, by the
    service's time then."""
    shops = outbox.undoubted()
    since = {}
    for shop in set(shops.values()):
        known = outbox.service_time(shop)
        if known is None:
            # Never compared with the service's clock by a push: ours, unless it was set back since.
            first, last = outbox.queued_between(shop)
            ours = first if last <= place.wall else place.wall - _UNKNOWN_SECONDS
            known = ours + (skews.get(shop) or 0.0)
        since[shop] = known
    outbox.doubt(
        {number: since[shop] for number, shop in shops.items()},
        f"from another copy of the queue: {found.why}",
        place.wall,
        is_copied=found.standing >= Standing.OLDER,
    )


LOCK_NAME = "push.lock"


@contextmanager
def locked(settings: Settings) -> Iterator[None]:
    """Be the only one that pushes in a home; :class:`PushBusy` when another does."""
    told = f"Another push is at work in {settings.home}; it sends what is queued now, too."
    with held(settings.home / LOCK_NAME, lambda: PushBusy(told)):
        yield


@contextmanager
def taken(settings: Settings) -> Iterator[None]:
    """The queue while a push is at work, which must hold the push lock.

    From anything but the file that the last push left, all that waits is marked as perhaps sent.
    :class:`QueueForeign` for a copy elsewhere.
    """
    with Outbox(settings.home) as outbox:
        _take(outbox, refuse_foreign(outbox), _skews(settings), pushing=True)
    try:
        yield
    finally:
        with Outbox(settings.home) as outbox:
            # From now on only what it left counts as not older.
            outbox.write_watermark(push_is_over=True)


def adopt(settings: Settings, shop: str | None = None, *, by: str) -> list[str]:
    """Make a copied queue the one of this machine and folder, and bind the open changes of one
    shop, or of all, to the services that the settings name; what that came to, in words.

    Nothing is sent. :class:`PushBusy` while a push is at work.
    """
    told: list[str] = []
    Outbox(settings.home).close()
    with locked(settings), Outbox(settings.home) as outbox:
        found = find(outbox)
        _take(outbox, found, _skews(settings), pushing=False)
        if found.standing is Standing.FOREIGN:
            told.append(f"{outbox.path} is the queue from now on ({found.why}).")
        for one in settings.chosen(shop):
            count = rebind(outbox, one, by)
            if count:
                told.append(
                    f"{count} change(s) of shop '{one.name}' are for {shown_address(one.base_url)} "
                    "and its key of today."
                )
        doubted = outbox.doubted()
    if doubted:
        told.append(f"{doubted} waiting change(s) will be looked up before they are sent.")
    return told or ["Nothing was to be adopted: the queue and its changes belong here."]


def _skews(settings: Settings) -> Skews:
    with closing(Budget(settings.home / "budget.sqlite")) as budget:
        return {shop.name: budget.key(shop).skew for shop in settings.shops}
