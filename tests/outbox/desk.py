"""A desk where changes are queued and pushed: a home, a fake shop, a clock that tests move."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import pytest

from pipelines.outbox import Outbox, adopt, discard, enqueue, push, retry
from pipelines.outbox.origin import read_stamp, write_stamp
from pipelines.settings import Settings
from tests.fakes.shop import FakeShop
from tests.homes import shop_of

HOUR, DAY = 3600.0, 86400.0


class Desk:
    """See the module. ``home`` may be moved, copied and put back as people do."""

    def __init__(self, home: Path, shop: FakeShop | None = None, *names: str, **more: Any) -> None:
        self.home, self.shop = home, shop or FakeShop()
        self.names, self.more = names or ("main",), more
        self.lines: list[str] = []
        self.offset = 0
        # The service is not new, nor are its lists empty.
        for path in ("customers", "brands", "products", "stock", "tickets", "adjustments"):
            self.shop.put(path, name="Old", short_info="Old", product={"id": "0"}, code="Old")
        self.shop.clock.ticks += HOUR

    @property
    def settings(self) -> Settings:
        more = {"timeout_seconds": 5.0, "requests_per_minute": 100_000, **self.more}
        shops = [shop_of(name, **more) for name in self.names]
        return Settings(home=self.home, shops=tuple(shops))

    def begin(self) -> None:
        """A first push, by which the queue knows the service's time; it counts no more."""
        for name in self.names:
            self.queue("brands", "create", {"name": "First"}, shop=name)
        assert self.push().exit_code == 0
        self.offset = len(self.names)
        self.shop.writes.clear()

    def queue(
        self, resource: str, op: str, body: Any = None, record: str | None = None, **more: Any
    ) -> int:
        more = {"check": False, "settings": self.settings, "by": "ann", **more}
        numbers = enqueue(resource, op, body, record_id=record, clock=self.shop.clock, **more)
        return numbers[0] - self.offset

    def pay(self, invoice: str, amount: float = 50, note: str = "", **more: Any) -> int:
        line = {"amount": amount, "paymentMethod": "1", **({"paymentNote": note} if note else {})}
        return self.queue("payments", "create", {"invoiceId": invoice, "lines": [line]}, **more)

    def push(self, *faults: str, shop: str | None = None, **more: Any) -> Any:
        """Push once; ``faults`` are for its writes."""
        self.shop.faults.extend(faults)
        clock = self.shop.clock
        more = {"sleep": clock.sleep, "transport": self.shop.of, **more}
        return push(self.settings, shop, clock=clock, progress=self.lines.append, **more)

    def later(self, seconds: float = HOUR, pushes: int = 1) -> Any:
        """Time goes by, and the scheduler pushes."""
        report = None
        for _ in range(pushes):
            self.shop.clock.ticks += seconds
            report = self.push()
        return report

    def retry(self, number: int = 1) -> str:
        return retry(self.home, number + self.offset, by="ann")

    def discard(self, number: int = 1) -> str:
        return discard(self.home, number + self.offset, by="ann")

    def adopt(self, shop: str | None = None, **more: Any) -> list[str]:
        return adopt(self.settings, shop, by="ann", clock=self.shop.clock, **more)

    def reboot(self) -> None:
        self.shop.clock.boot_id += "+"

    def change(self, number: int = 1) -> Any:
        with Outbox(self.home, self.shop.clock) as outbox:
            return outbox.get(number + self.offset)

    def states(self) -> list[str]:
        with Outbox(self.home, self.shop.clock) as outbox:
            return [str(change.state) for change in outbox.changes(after=self.offset)]

    def events(self, number: int = 1) -> list[str]:
        with Outbox(self.home, self.shop.clock) as outbox:
            return [row["event"] for row in outbox.history(number + self.offset)]

    def made(self, path: str) -> int:
        """How many records of a list our writes made."""
        return self.shop.count("POST", path)

    def mirror(self, table: str, *rows: dict[str, Any], seen: float | None = None) -> None:
        """Publish a warehouse of one table, whose rows have these texts, read ``seen`` (now)."""
        self.home.mkdir(exist_ok=True)
        names = list(dict.fromkeys(name for row in rows for name in row))
        at = self.shop.clock.wall() if seen is None else seen
        with duckdb.connect(str(self.home / "warehouse.duckdb")) as db:
            db.execute("create schema raw")
            db.execute(
                f"create table raw.{table} as select 'main' as shop_id, to_timestamp({at}) as"
                f" _seen_at, null::timestamptz as _deleted_at, t.* from (values "
                + ", ".join("(" + ", ".join("?::varchar" for _ in names) + ")" for _ in rows)
                + f") as t({', '.join(names)})",
                [row.get(name) for row in rows for name in names],
            )

    # -- backups and copies -------------------------------------------------------------------

    def back_up(self) -> Path:
        self.backed_up_at = self.shop.clock.monotonic()
        return kept_copy(self.home, self.home.with_name("spare"))

    def put_back(self) -> None:
        """The whole folder, from its backup."""
        shutil.rmtree(self.home)
        shutil.copytree(self.home.with_name("spare"), self.home)

    def put_back_disk(self) -> None:
        self.put_back()
        as_if_the_disk_was_put_back(self.home)
        self.reboot()

    def put_back_machine(self) -> None:
        """A snapshot of the machine with its memory, and its clock, taken as the backup was."""
        boot = self.shop.clock.boot_id
        self.put_back_disk()
        self.shop.clock.boot_id = boot
        self.shop.clock.unlived += self.shop.clock.monotonic() - self.backed_up_at

    def copy_to(self, name: str) -> "Desk":
        """A copy of the home in another folder; a desk there."""
        there = object.__new__(Desk)
        there.__dict__.update(self.__dict__, home=self.home.with_name(name), lines=[])
        kept_copy(self.home, there.home)
        return there


def some(desk: Desk) -> None:
    """One change of each kind, and the records that they are for."""
    shop = desk.shop
    desk.invoice, desk.product = shop.invoice(), shop.put("products", name="Screen", stock=4)
    desk.customer = shop.put("customers", name="Cid", city="x")
    desk.pay(desk.invoice)
    desk.queue("customers", "create", {"name": "Ann"})
    desk.queue("customers", "update", {"city": "A"}, desk.customer)
    desk.queue("stock", "create", {"product": desk.product, "quantity": 2})
    desk.queue("products", "update", {"stockQuantity": 3}, desk.product)
    desk.queue("customers", "delete", None, shop.put("customers", name="Gone"))


ONCE = {"POST payments": 1, "POST customers": 1, "POST stock": 1, "PUT products": 1}


def writes(desk: Desk) -> dict[str, int]:
    return {kind: desk.shop.count(*kind.split()) for kind in ONCE}


def kept_copy(home: Path, to: Path) -> Path:
    """A copy of a home in another folder, in the place of what was there."""
    shutil.rmtree(to, ignore_errors=True)
    return Path(shutil.copytree(home, to))


def as_if_the_disk_was_put_back(home: Path) -> None:
    """A snapshot of a disk brings back what the file system says of a file, which a copy cannot."""
    _, seal = read_stamp(home)
    with Outbox(home) as outbox, outbox.transaction() as db:
        db.execute("update identity set seal = ?", (seal,))


def at(step: str, act: Callable[[], Any]) -> Callable[[str, int], None]:
    """A hook that does something when a push reaches a step, the first time."""
    met: list[int] = []

    def hook(reached: str, _number: int) -> None:
        if reached == step and not met:
            met.append(1)
            act()

    return hook


class Killed(BaseException):
    """The process ends here."""


def killed() -> Any:
    """What is done in here ends by :func:`kill`, for sure."""
    return pytest.raises(Killed)


def kill() -> None:
    raise Killed


@contextmanager
def torn(is_cut: bool) -> Iterator[None]:
    """A process that ends after the stamp is written, and before what it announces is."""

    def write(*arguments: Any, **more: Any) -> None:
        write_stamp(*arguments, **more)
        if is_cut:
            raise Killed

    with patch("pipelines.outbox.attempt.write_stamp", write):
        yield
