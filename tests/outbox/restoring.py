"""One restored backup: a queue is pushed, at some moment its files are copied, later the push ends
or dies; then the copy is put back and pushed, and the service is counted against what was queued.

Used by the tests (a few) and by the bench (fifty moments, each way of putting back).
"""

from __future__ import annotations

import random
import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from pipelines.outbox import Outbox, adopt, enqueue, push
from pipelines.settings import Settings
from sandbox.server import SandboxServer
from tests.homes import settings_of

WAYS = ("queue alone", "whole home", "whole home in place", "another path")
_MOST_STEPS = 60
"""Steps of the pushes of one world; the moments are drawn among them."""


class Killed(BaseException):
    """The process dies here: nothing of ours may catch it."""


@dataclass
class Counted:
    """What the service holds against what was queued."""

    payments: int = 0
    doubled: int = 0
    lost: int = 0
    records_doubled: int = 0
    records_lost: int = 0
    for_person: Counter[str] = field(default_factory=Counter)


@dataclass
class World:
    """A home and the records of one trial, whose names and invoices no other trial has."""

    server: SandboxServer
    folder: Path
    seed: int

    def __post_init__(self) -> None:
        self.draw = random.Random(self.seed)
        self.home = self.folder / f"home-{self.seed}"
        self.store = self.server.store()
        self.steps = 0
        self.wanted: list[int] = []
        """Numbers of all that was ever queued."""
        self.till: Counter[tuple[str, int]] = Counter()

    def settings(self, home: Path) -> Settings:
        fast = {"requests_per_minute": 100_000, "minute_seconds": 0.02, "timeout_seconds": 20}
        return settings_of(self.server, home, **fast)

    def run(self, way: str) -> Counted:
        """The whole trial."""
        at = self.draw.randrange(_MOST_STEPS)
        dies = self.draw.choice((None, at + self.draw.randrange(_MOST_STEPS)))
        backup = self.folder / f"backup-{self.seed}"

        def step(_name: str, _number: int) -> None:
            if self.steps == at:
                shutil.copytree(self.home, backup)
            if self.steps == dies:
                raise Killed
            self.steps += 1

        settings = self.settings(self.home)
        try:
            for batch in range(3):
                self._queue(settings, batch)
                step("queued", 0)
                push(settings, hook=step, wait=self.draw.random() < 0.5)
                step("pushed", 0)
        except Killed:
            pass
        if not backup.exists():
            shutil.copytree(self.home, backup)
        if self.draw.random() < 0.3:
            self._till()
        restored = self._put_back(backup, way)
        for _ in range(3):
            push(restored)
        return self._count(restored)

    def _queue(self, settings: Settings, batch: int) -> None:
        name = f"r{self.seed}-{batch}"
        customer = str(self.store.insert("customers", {"name": f"{name} old", "city": "Old"}))
        invoice = str(
            self.store.insert(
                "ticket_invoices", {"number": name, "amount_total": 500, "status": "Due"}
            )
        )
        shared = str(
            self.store.insert(
                "ticket_invoices", {"number": f"{name}s", "amount_total": 500, "status": "Due"}
            )
        )
        if self.draw.random() < 0.5:
            self._pay_at_the_till(invoice, 41)
        method = str(self.store.all("payment_methods")[0]["id"])

        def payment(to: object, amount: int, **more: str) -> dict[str, object]:
            line = {"amount": amount, "paymentMethod": method, **more}
            return {"invoiceId": to, "lines": [line]}

        queued = [
            ("payments", "create", payment(invoice, 50), {}),
            ("payments", "create", payment(invoice, 50), {}),
            ("payments", "create", payment(invoice, 30), {"marker": True}),
            ("payments", "create", payment(shared, 41, paymentNote=name), {}),
            ("payments", "create", payment(shared, 41), {"marker": True}),
            ("customers", "create", {"name": f"{name} new"}, {}),
            ("customers", "create", {"name": f"{name} twin"}, {}),
            ("customers", "create", {"name": f"{name} twin"}, {}),
            ("brands", "create", {"name": f"{name} brand"}, {}),
            ("customers", "update", {"city": f"City {batch}"}, {"record_id": customer}),
        ]
        self.draw.shuffle(queued)
        for resource, op, body, more in queued:
            self.wanted += enqueue(resource, op, body, settings=settings, check=False, **more)

    def _pay_at_the_till(self, invoice: str, amount: int) -> None:
        self.till[invoice, amount] += 1
        self.store.insert(
            "payments",
            {
                "amount": amount,
                "date": self.store.now_text(),
                "_document_id": invoice,
                "_document_type": "ticket_invoice",
                "_kind": "invoice",
            },
        )

    def _till(self) -> None:
        """The till takes what we have queued as well, to the cent."""
        for invoice in self.store.all("ticket_invoices"):
            if str(invoice["number"]).startswith(f"r{self.seed}-") and self.draw.random() < 0.3:
                self._pay_at_the_till(str(invoice["id"]), self.draw.choice((50, 30, 41)))

    def _put_back(self, backup: Path, way: str) -> Settings:
        if way == "another path":
            home = self.folder / f"other-{self.seed}"
            shutil.copytree(backup, home)
            adopt(self.settings(home), by="test")
            return self.settings(home)
        if way == "queue alone":
            for path in self.home.glob("outbox.sqlite*"):
                path.unlink()
            for path in backup.glob("outbox.sqlite*"):
                shutil.copy2(path, self.home)
        elif way == "whole home":
            shutil.rmtree(self.home)
            shutil.copytree(backup, self.home)
        else:
            for path in self.home.glob("outbox.sqlite-*"):
                path.unlink()
            shutil.copytree(backup, self.home, dirs_exist_ok=True)
        return self.settings(self.home)

    def _count(self, restored: Settings) -> Counted:
        found = Counted()
        booked: Counter[tuple[str, int]] = Counter()
        for invoice in self.store.all("ticket_invoices"):
            if str(invoice["number"]).startswith(f"r{self.seed}-"):
                for one in invoice["payments"]:
                    booked[str(invoice["id"]), int(one["amount"])] += 1
        booked -= self.till
        wanted: Counter[tuple[str, int]] = Counter()
        done: Counter[tuple[str, int]] = Counter()
        made: Counter[str] = Counter()
        with Outbox(restored.home) as outbox:
            changes = outbox.changes()
        for change in changes:
            if change.state in ("in_doubt", "conflict"):
                found.for_person[f"{change.op} {change.resource}"] += 1
            waits = change.state == "queued" and change.reason.startswith("waits for")
            if waits:
                found.for_person[f"{change.op} {change.resource}, behind one"] += 1
            gone = not waits and change.state in ("rejected", "queued", "sending")
            if change.resource == "payments":
                key = (str(change.body["invoiceId"]), int(change.body["lines"][0]["amount"]))
                wanted[key] += 1
                done[key] += change.state == "done"
                found.lost += gone
            elif change.op == "create":
                made[change.body["name"]] += change.state == "done"
                found.records_lost += gone
        found.payments = wanted.total()
        # What was queued after the backup is known to the service alone: at most as often as sent.
        for key, times in booked.items():
            most = 2 if key[1] == 50 else 1 if key[1] == 30 else 2
            found.doubled += max(0, times - (wanted[key] or most))
        found.lost += (done - booked).total()
        for resource in ("customers", "brands"):
            names = Counter(str(row["name"]) for row in self.store.all(resource))
            for name, times in names.items():
                if name.startswith(f"r{self.seed}-") and not name.endswith(" old"):
                    found.records_doubled += max(0, times - (2 if name.endswith("twin") else 1))
            ours = Counter(
                {n: t for n, t in made.items() if ("brand" in n) == (resource == "brands")}
            )
            found.records_lost += (ours - names).total()
        return found


def killed_for_good() -> mock._patch[object]:
    """A kill runs no code of ours: the push that dies does not end its watermark either."""
    real = Outbox.write_watermark

    def write_watermark(outbox: Outbox, *, push_is_over: bool = False) -> None:
        import sys

        if not (push_is_over and isinstance(sys.exc_info()[1], Killed)):
            real(outbox, push_is_over=push_is_over)

    return mock.patch.object(Outbox, "write_watermark", write_watermark)
