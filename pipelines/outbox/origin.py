"""Whose queue this file is: what the last push left, an older copy of it, or one elsewhere?

A queue put back from a backup holds changes as waiting that were sent since. Nothing in the file
itself can tell, so a stamp beside it does (``outbox.watermark``). Every request that may change
something at the service writes the stamp anew before it leaves. The queue keeps what the file
system says of it: its inode, and the moment of its last change, which no program can set.

* another machine, or another place to which it was not moved: *foreign*. It sends nothing until
  ``queue adopt`` says that it is the queue from now on; the other one may still be at work. Where
  a system has no id of its own (many containers), every copy is foreign.
* the same place, but not as the last request left it: *restored*.
* a boot in between: a snapshot of a whole disk looks just so. *Booted*, and taken for restored.

Of a restored queue all that waits may have been sent: it is in doubt, with the last known push as
its fence, and the ordinary look at the service decides (:mod:`pipelines.outbox.evidence`).

And whose changes are in it: each is for the address and the key it was queued under, kept as
fingerprints, and is sent to no other service.
"""

import contextlib
import functools
import getpass
import hashlib
import json
import os
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pipelines.json_file import held, sync_folder
from pipelines.outbox.change import OPEN, Change, State
from pipelines.outbox.errors import PushBusy, QueueBroken, QueueForeign, ServiceChanged
from pipelines.outbox.store import FILE_NAME, STAMP, Outbox, change_of
from pipelines.settings import ShopSettings

MACHINE_IDS = ("/etc/machine-id", "/var/lib/dbus/machine-id", "/sys/class/dmi/id/product_uuid")
MOUNTS = "/proc/self/mountinfo"


# -- the stamp, and where a file is -----------------------------------------------------------


def _place_of(outbox: Outbox) -> dict[str, str]:
    """Where a queue is: this machine (empty where the system does not tell), this folder of this
    volume, this boot."""
    place = _on_volume(outbox.path.resolve())
    return {"machine": _machine(), "place": place, "boot": outbox.clock.boot()}


def _machine() -> str:
    for path in MACHINE_IDS:
        with contextlib.suppress(OSError):
            if found := Path(path).read_bytes().strip():
                return hashlib.sha256(b"shopmirror outbox " + found).hexdigest()[:16]
    return ""


def _on_volume(file: Path) -> str:
    """A path as its volume has it: in an image every home has the same, and its volume has not."""
    best, volume = "", ""
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path(MOUNTS).read_text(encoding="utf-8").splitlines():
            mount, _, system = line.partition(" - ")
            root, point = mount.split(" ")[3:5]
            if len(point) >= len(best) and file.is_relative_to(point):
                best, volume = point, f"{system.split(' ')[1]}:{root.rstrip('/')}"
    return f"{volume}/{file.relative_to(best)}" if volume else str(file)


def read_stamp(home: Path) -> tuple[dict[str, Any], str]:
    """What the stamp says, and what the file system says of it; empty without a usable one."""
    path = home / STAMP
    try:
        said, found = json.loads(path.read_text(encoding="utf-8")), path.stat()
        said["copied"] = said.get("inode") != found.st_ino
    except (OSError, ValueError, AttributeError):
        return {}, ""
    return said, f"{found.st_ino} {found.st_ctime_ns} {found.st_mtime_ns}"


def here(outbox: Outbox) -> str:
    """What a change is queued under: the stamp as it lies here now, and the boot."""
    _, seal = read_stamp(outbox.path.parent)
    return f"{seal} {outbox.clock.boot()}" if seal else ""


def write_stamp(outbox: Outbox, number: int = 0, *, is_next: bool = True) -> None:
    """Write the stamp anew, inside the transaction that commits what it announces: that change
    ``number`` is about to be sent. ``is_next``: whoever finds the stamp and not the commit (a
    crash between) may take the queue for the one before it."""
    with outbox.transaction():
        row = outbox.ask("identity")[0]
        token, home = uuid.uuid4().hex, outbox.path.parent
        said = {"queue": row["queue"], "token": token, "number": number}
        said |= {"previous": row["token"] if is_next else ""}
        said |= {"last": outbox.ask("last_number")[0][0]}
        try:
            descriptor, draft = tempfile.mkstemp(prefix=f".{STAMP}.", dir=home)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                # A copy has another inode than the one that it names.
                json.dump(said | {"inode": os.fstat(descriptor).st_ino}, file)
                file.flush()
                os.fsync(descriptor)
            Path(draft).replace(home / STAMP)
            sync_folder(home)
        except OSError as error:
            raise QueueBroken(
                f"{home} cannot be written ({error.strerror}). Nothing was sent."
            ) from None
        outbox.ask("seal", token=token, seal=read_stamp(home)[1])


def skip_numbers(outbox: Outbox) -> None:
    """Numbers that a lost copy gave out stay with what it gave them to."""
    said, _ = read_stamp(outbox.path.parent)
    last = said.get("last")
    if said.get("queue") == _identity(outbox)["queue"] and isinstance(last, int):
        outbox.ask("begin_numbers", last=last)
        outbox.ask("skip_numbers", last=last)


# -- standing ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Finding:
    """How a queue stands to what the last request left, and why, in words. ``lost``: the change
    whose intent the stamp announces, and the file does not hold."""

    standing: Literal["ours", "restored", "foreign"]
    why: str = ""
    lost: int = 0


def _identity(outbox: Outbox) -> Any:
    """The row of ``identity``; a new file gets one, with its stamp."""
    if found := outbox.ask("identity"):
        return found[0]
    with outbox.transaction():
        if not outbox.ask("identity"):
            outbox.ask("establish", queue=uuid.uuid4().hex, **_place_of(outbox))
            if not read_stamp(outbox.path.parent)[1]:
                write_stamp(outbox)
        return outbox.ask("identity")[0]


def find(outbox: Outbox) -> Finding:
    """How the queue stands, without changing anything."""
    row, place = _identity(outbox), _place_of(outbox)
    said, seal = read_stamp(outbox.path.parent)
    lost = 0
    as_left, same = bool(seal) and seal == row["seal"], said.get("queue") == row["queue"]
    if not as_left and same and row["token"] and said.get("previous") == row["token"]:
        # Written, and the process ended before its commit.
        as_left, lost = not said["copied"], int(said.get("number") or 0)
    if place["machine"] and row["machine"] and place["machine"] != row["machine"]:
        return Finding("foreign", "it was last used on another machine")
    if not as_left and place["place"] != row["place"]:
        return Finding("foreign", f"it was last used as {row['place']}")
    if not as_left and not place["machine"]:
        return Finding("foreign", "it is not as the last push left it, and no id tells here")
    if not as_left:
        return Finding("restored", "it is not as the last push left it (a backup put back?)")
    if row["boot"] != place["boot"]:
        return Finding("restored", "the machine was started anew since the last push")
    return Finding("ours", lost=lost)


def _foreign(outbox: Outbox, why: str) -> QueueForeign:
    return QueueForeign(
        f"The queue {outbox.path} is a copy: {why}. The other one may have sent what waits here, "
        "or be about to. Nothing was sent. If it is out of use, 'shopmirror queue adopt' makes "
        "this one the queue; each waiting change is then looked up at the service before it is "
        "sent."
    )


def refuse_foreign(outbox: Outbox) -> Finding:
    """The finding; :class:`QueueForeign` for a copy that may not send."""
    found = find(outbox)
    if found.standing == "foreign":
        raise _foreign(outbox, found.why)
    return found


def _suspects(outbox: Outbox, found: Finding) -> list[dict[str, Any]]:
    """Rows of ``unsettled`` for what may have been sent, by how the queue stands: by another copy,
    of each shop what was not queued since, here; or the one change that a crash cut off."""
    if found.standing == "ours":
        why = "a push ended as it was about to be sent"
        lost = {"kind": "restored", "why": why, "stamp": "", "number": found.lost}
        return [{"shop": one.shop, **lost} for one in outbox.changes(number=found.lost)]
    said = {"kind": found.standing, "why": found.why, "stamp": here(outbox), "number": None}
    return [{"shop": shop, **said} for [shop] in outbox.ask("shops")]


def take(outbox: Outbox, found: Finding) -> None:
    """Make the queue, which stands as ``found``, the one of this place. What waits is put in doubt
    by the next push of its shop."""
    is_ours = found.standing == "ours"
    with outbox.transaction():
        for row in _suspects(outbox, found):
            outbox.ask("unsettle", **row)
        # As it was left, and perhaps moved: a copy in the folder it came from is foreign.
        outbox.ask("identify", **_place_of(outbox))
        if not is_ours:
            skip_numbers(outbox)
        if not is_ours or found.lost:
            write_stamp(outbox, is_next=is_ours)


def mark_restored(home: Path) -> None:
    """Say that the queue of a home was put back from a backup: what waits in it may have been
    sent since, and is looked up by the next push. For whoever puts one back."""
    if (home / FILE_NAME).is_file():
        with Outbox(home) as outbox, outbox.transaction():
            _identity(outbox)
            write_stamp(outbox, is_next=False)
            outbox.ask("seal", token="", seal="")


def settle(outbox: Outbox, shop: str) -> None:
    """Put in doubt what another copy may have sent of a shop."""
    for row in outbox.ask("unsettled", shop=shop):
        with outbox.transaction():
            asked = {name: row[name] for name in ("shop", "stamp", "number")}
            for one in outbox.ask("maybe_sent", **asked):
                put_in_doubt(outbox, change_of(one), row["why"], restored=row["number"] is None)
            outbox.ask("settle", shop=shop)


_ELSEWHERE = "waits for 'queue adopt': it was queued for another address or key"


def misdirected(outbox: Outbox, shops: Sequence[ShopSettings]) -> dict[int, str]:
    """Open changes for a service that the settings, whose ``shops`` these are, do not name, by
    number: what comes first."""
    told, known = dict[int, str](), {one.name: one for one in shops}
    for name, _ in outbox.ask("waiting_by_shop") if shops else ():
        if one := known.get(name):
            others = outbox.ask("bound_to_others", shop=name, service=bind(outbox, one))
            told |= {row["number"]: _ELSEWHERE for row in others}
        else:
            words = f"waits for the shop '{name}', which the settings do not name"
            told |= {change.number: words for change in outbox.changes(shop=name, states=OPEN)}
    return told


def held_back(outbox: Outbox, shops: Sequence[ShopSettings] = ()) -> dict[int, str]:
    """Changes that the next push does not simply send, by number: what comes first. ``shops``:
    those of the settings, where these can be read."""
    rows = [*map(dict, outbox.ask("unsettled", shop=None)), *_suspects(outbox, find(outbox))]
    told = misdirected(outbox, shops)
    for row in sorted(rows, key=lambda row: row["kind"] == "foreign"):
        words, stamp = "may have been sent: the next push looks for it first", row["stamp"]
        if row["kind"] == "foreign":
            words, stamp = "waits for 'queue adopt': the queue is a copy", ""
        asked = {"shop": row["shop"], "stamp": stamp, "number": row["number"]}
        told |= {one["number"]: words for one in outbox.ask("maybe_sent", **asked)}
    return told


def put_in_doubt(outbox: Outbox, change: Change, why: str, *, restored: bool) -> None:
    """Another copy, or a push that was cut off, may have sent a change: since the last known push
    of its shop, and not before it was queued, until now. One that was rejected stays so, until
    somebody retries it."""
    told = f"may have been sent by another copy of this queue: {why}" if restored else why
    since, queued = outbox.ask("last_at", shop=change.shop)[0][0], change.queued_there
    # Only what is equal is judged by when it was queued; where nobody knows, a person is asked.
    first = None if queued is None else max(since, int(queued))
    fence = (change.fence or {"since": since, "first": first}) | {
        "until": None,
        "restored": restored,
    }
    columns: dict[str, Any] = {"fence": fence, "looks": 0, "look_at": 0.0}
    columns |= {"approved_by": None, "needs_person": 0}
    if change.state is State.IN_DOUBT and change.needs_person:
        # Nobody has answered yet.
        columns |= {"needs_person": 1, "reason": change.reason}
    if change.state is State.CONFLICT:
        # Nobody has said yet that ours goes over what the service showed.
        columns["basis"] = {key: change.basis[key] for key in change.basis if key != "shown"}
    if change.state is State.REJECTED:
        outbox.move(change, fence=fence)
    else:
        outbox.move(change, State.IN_DOUBT, "in doubt", told, **columns)


# -- services ---------------------------------------------------------------------------------


def bind(outbox: Outbox, shop: ShopSettings) -> int:
    """The row of the service that the settings name for a shop, made if need be."""
    key_hash = _key_hash(shop.api_key.get_secret_value(), _identity(outbox)["queue"])
    address_hash = hashlib.sha256(shop.base_url.rstrip("/").lower().encode()).hexdigest()[:32]
    found = {"shop": shop.name, "address": shown_address(shop.base_url)}
    row = outbox.ask("service", address_hash=address_hash, key_hash=key_hash, **found)[0]
    return int(row["id"])


def refuse_others(outbox: Outbox, shop: ShopSettings) -> int:
    """The row of a shop's service. :class:`ServiceChanged` names open changes that are for another,
    :class:`QueueForeign` a copy that nobody adopted for the shop."""
    service = bind(outbox, shop)
    for row in outbox.ask("unsettled", shop=shop.name):
        if row["kind"] == "foreign":
            raise _foreign(outbox, row["why"])
    others = outbox.ask("bound_to_others", shop=shop.name, service=service)
    if not others:
        return service
    first, now = others[0], shown_address(shop.base_url)
    same = first["address"] == now
    was, asks = f"for {first['address']}", f" --from {first['address']}"
    numbers = ", ".join(str(row["number"]) for row in others[:10])
    more = f" and {len(others) - 10} more" if len(others) > 10 else ""
    raise ServiceChanged(
        f"Change {numbers}{more} of shop '{shop.name}' was queued "
        f"{'under another API key' if same else was}; the settings name "
        f"{'a new one' if same else now}. Nothing was sent. If it is the same shop (a replaced "
        f"key, a new address): 'shopmirror queue adopt --shop {shop.name}{'' if same else asks}'. "
        "If not, put the settings right, or 'queue discard' what is not for it."
    )


def shown_address(base_url: str) -> str:
    """An address as people may see it: without a user and a password."""
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"


@functools.lru_cache(maxsize=64)
def _key_hash(key: str, salt: str) -> str:
    """Slow and salted: the file may be copied about, and a short key must not be found from it."""
    return hashlib.scrypt(key.encode(), salt=salt.encode(), n=2**12, r=8, p=1, dklen=16).hex()


@contextmanager
def locked(home: Path) -> Iterator[None]:
    """Be the only one that pushes in a home; :class:`PushBusy` when another does."""
    told = f"Another push is at work in {home}; it sends what is queued now, too."
    with held(home / "push.lock", lambda: PushBusy(told)):
        yield


def current_user() -> str:
    """Who runs this, as far as the machine knows: a container's user may have no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return os.environ.get("USER", "unknown")
