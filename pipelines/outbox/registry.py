"""Where the queue's file was last used and which services it knows (tables ``identity`` and
``services``), its watermark, and the time by which it counts."""

import sqlite3
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path

from pipelines.outbox.errors import QueueBroken
from pipelines.outbox.queue_file import (
    Place,
    QueueFile,
    place_of,
    read_watermark,
    write_watermark,
)
from sources.repair_shop.http.service_clock import ServiceClock


class Registry(QueueFile):
    """See the module; what follows from it: :mod:`pipelines.outbox.identity`, ``binding``."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        # Not as a step of the file's making: whoever took those may not have come to this yet.
        if not self._select("select 1 from identity"):
            self._establish()

    def _establish(self) -> None:
        """Give a file its identity: a new one, or one of a version that had none, whose changes may
        all have been sent from a copy."""
        place = place_of(self.path)
        with self.transaction() as db:
            if self._select("select 1 from identity"):
                return
            db.execute(
                "insert into identity values"
                " (1, ?, ?, ?, ?, ?, ?, '', exists (select 1 from changes))",
                (
                    uuid.uuid4().hex,
                    place.machine,
                    place.path,
                    place.boot,
                    place.ticks,
                    place.shift,
                ),
            )
            # The watermark of a newer version stays: the file was put back from before it.
            if not read_watermark(self.path.parent)[0]:
                self.write_watermark()

    def identity(self) -> sqlite3.Row:
        """The row of ``identity``."""
        [row] = self._select("select * from identity")
        return row

    def now(self) -> float:
        """Seconds since 1970 as the queue counts its waits: as the wall clock had it once, carried
        on by the ticks of the boot. No setting of the clock makes a wait longer or shorter."""
        row, place = self.identity(), place_of(self.path)
        if row["boot"] == place.boot:
            return float(place.ticks + row["era"])
        return max(place.wall, float(row["ticks"] + row["era"]))

    def note_use(self) -> None:
        """The queue is used now. What a copy of it may send, it sends later.

        The service's time is carried on by our clock only as long as nobody set that since it was
        compared with the service's.
        """
        place = place_of(self.path)
        with self.transaction() as db:
            db.execute("update identity set ticks = ? where boot = ?", (place.ticks, place.boot))
            db.execute(
                "update services set last_at = max(last_at, ? + skew)"
                " where boot = ? and abs(shift - ?) < 60",
                (place.wall, place.boot, place.shift),
            )

    def move_to(self, place: Place, now: float, *, pushing: bool) -> None:
        """The queue is at ``place`` from ``now`` (:meth:`now`) on."""
        with self.transaction() as db:
            db.execute(
                "update identity set machine = ?, path = ?, boot = ?, ticks = ?, era = ?,"
                " pushing = ?",
                (place.machine, place.path, place.boot, place.ticks, now - place.ticks, pushing),
            )

    def write_watermark(self, *, push_is_over: bool = False) -> None:
        """Write the watermark anew, and keep what it is known by."""
        with self.transaction() as db:
            row = self.identity()
            [(last,)] = self._select("select max(seq) from sqlite_sequence")
            try:
                seal = write_watermark(self.path.parent, {"queue": row["queue"], "last": last or 0})
            except OSError as error:
                raise QueueBroken(
                    f"{self.path.parent} cannot be written ({error.strerror}). Nothing was sent."
                ) from None
            pushing = 0 if push_is_over else row["pushing"]
            db.execute("update identity set watermark = ?, pushing = ?", (seal, pushing))
            self.note_use()

    def skip_numbers(self, last: int) -> None:
        """Numbers up to ``last`` stay with what another copy gave them to."""
        with self.transaction() as db:
            db.execute("update sqlite_sequence set seq = max(seq, ?)", (last,))

    # -- services -----------------------------------------------------------------------------

    def service(self, shop: str, address: str, address_hash: str, key_hash: str) -> int:
        """The row of a shop's service, made if need be."""
        with self.transaction() as db:
            db.execute(
                "insert into services (shop, address, address_hash, key_hash)"
                " values (?, ?, ?, ?) on conflict do nothing",
                (shop, address, address_hash, key_hash),
            )
            [(number,)] = self._select(
                "select id from services where shop = ? and address_hash = ? and key_hash = ?",
                shop,
                address_hash,
                key_hash,
            )
        return int(number)

    def address_hash(self, service: int) -> str:
        """The fingerprint of a service's address."""
        [(found,)] = self._select("select address_hash from services where id = ?", service)
        return str(found)

    def note_service_time(self, service: int, clock: ServiceClock) -> None:
        """What time it is at a service, and how far it is ahead of our clock, if it told."""
        place, skew = place_of(self.path), clock.skew
        if clock.seen is None or skew is None:
            return
        with self.transaction() as db:
            db.execute(
                "update services set last_at = max(coalesce(last_at, 0), ?), skew = ?, boot = ?,"
                " shift = ? where id = ?",
                (clock.now().timestamp(), skew, place.boot, place.shift, service),
            )

    def service_time(self, shop: str) -> float | None:
        """The time at a shop's service when the queue was last used, if it is known."""
        [(found,)] = self._select("select max(last_at) from services where shop = ?", shop)
        return None if found is None else float(found)

    # -- changes that another copy, or another service, may have ------------------------------

    def undoubted(self) -> dict[int, str]:
        """Number -> shop of waiting changes that no copy is known to have been able to send."""
        rows = self._select(
            "select number, shop from changes where doubted_since is null"
            " and state in ('queued', 'conflict', 'rejected')"
        )
        return {row[0]: row[1] for row in rows}

    def queued_between(self, shop: str) -> tuple[float, float]:
        """When the first and the last change of a shop was queued."""
        [(first, last)] = self._select(
            "select min(queued_at), max(queued_at) from changes where shop = ?", shop
        )
        return first, last

    def doubt(self, since: Mapping[int, float], why: str, at: float, *, is_copied: bool) -> None:
        """Note that another copy may have sent changes (number -> since when), until now;
        ``is_copied``: this one is older for sure."""
        with self.transaction() as db:
            db.executemany(
                "update changes set doubted_since = ? where number = ?",
                [(moment, number) for number, moment in since.items()],
            )
            self._note(since, at, "perhaps sent", why)
            if is_copied:
                # What is in doubt here, the other copy may have sent again.
                db.execute(
                    "update changes set is_copied = doubted_since is not null, sent_at = ?,"
                    " lookups = 0 where doubted_since is not null or state = 'in_doubt'",
                    (self.now(),),
                )

    def doubted(self) -> int:
        """Waiting changes that another copy may have sent."""
        [(count,)] = self._select(
            "select count(*) from changes where doubted_since is not null and state = 'queued'"
        )
        return int(count)

    def cut_waits(self, now: float) -> None:
        """Waits of a version that counted by the wall clock, which may have been ahead, end now."""
        with self.transaction() as db:
            db.execute(
                "update changes set sent_at = min(sent_at, ?1), next_lookup = min(next_lookup, ?1)"
                " where state in ('sending', 'in_doubt')",
                (now,),
            )

    def claim_unbound(self, shop: str, service: int) -> None:
        """Changes of a version that did not keep whose they are, are for this service."""
        with self.transaction() as db:
            db.execute(
                "update changes set service = ? where shop = ? and service is null", (service, shop)
            )

    def bound_to_others(self, shop: str, service: int) -> list[sqlite3.Row]:
        """Open changes for another service: ``number``, its ``address`` and ``address_hash``."""
        return self._select(
            "select c.number, s.address, s.address_hash from changes as c join services as s"
            " on s.id = c.service where c.shop = ? and c.service != ?"
            " and c.state in ('queued', 'sending', 'in_doubt', 'conflict') order by c.number",
            shop,
            service,
        )

    def _note(self, numbers: Iterable[int], at: float, event: str, detail: str) -> None:
        self._db.executemany(
            "insert into history values (?, ?, ?, ?)",
            [(number, at, event, detail) for number in numbers],
        )
