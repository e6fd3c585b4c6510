"""Random queues pushed to services whose writes answer oddly, and held against what these did.

``python -m bench.pushes FIRST LAST`` draws for each seed how a service answers (its ids in other
shapes, none, or another's; answers lost, cut off, late, 409, 429, 202, 5xx before and after it did
the thing; rows that lists and records show late; its clock), what is queued, and what happens to
the pushes: killed (SIGKILL) before a random line or while a request is under way, two at once, a
copy of the queue put back. A change is never done twice, nor out of the order of its record, nor
told done and not done, nor told rejected and done; nothing is lost; where nothing goes wrong all
is done. What is "in doubt" is a right answer, and counted. Ends with 1 if one was wrong.

Seed 16 left a queue file that nothing could open: a kill came between its tables and its identity.
Seed 733: a file that may have been sent was told rejected once it was removed from this machine.
Seed 1210: a record that showed late made an update that a proxy had repeated (409) look rejected.
Processes race, so what a seed meets differs a little each time.
"""

import json
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pipelines.outbox
from pipelines.bodies import PATHS
from pipelines.outbox import Change, Outbox, PushBusy, enqueue, pushing
from pipelines.settings import Settings
from tests.outbox.conftest import settings_for
from tests.outbox.odd import OddService

MINUTE = 0.15
"""Seconds of the service's minute."""
SETTLE = 4
"""Minutes after which lists show all."""

METHODS = {"create": "POST", "update": "PUT", "delete": "DELETE", "upload": "FILE"}
ACTING = ("create", "upload")
KINDS = (
    "brand model category customer ticket twins update update basis stock file pay pay delete"
).split()
HABITS = "answer late lag text doubles has_details counts_stock stamps leaves_out date_ahead faults"


def pushed(lines: int, settings: Settings, slow: bool, wait: bool) -> None:
    """A push, in a process of its own, that is killed before so many lines of the outbox ran (0: it
    is not); ``slow``: with changes side by side."""
    folder, left = str(Path(pipelines.outbox.__file__).parent), lines

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.startswith(folder):
            return None
        left -= event == "line"
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return trace

    if lines:
        threading.settrace(trace)
        sys.settrace(trace)
    pushing.SLOW_SECONDS = -1.0 if slow else pushing.SLOW_SECONDS
    with suppress(PushBusy):
        pushing.push(settings, wait=wait)


PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["pipelines.outbox.pushing", "tests.outbox.conftest"])


def _copy(source: Path, target: Path, files: str = "outbox*") -> None:
    target.mkdir(exist_ok=True)
    for old in target.glob("outbox.sqlite*"):
        old.unlink()
    for file in source.glob(files):
        shutil.copy(file, target)


class Trial:
    """One seed: a home, its service, and what was queued."""

    def __init__(self, seed: int, home: Path, dice: random.Random, service: OddService) -> None:
        self.seed, self.home, self.dice, self.service = seed, home, dice, service
        fast = {"minute_seconds": MINUTE, "settle_minutes": SETTLE, "timeout_seconds": 2.0}
        self.settings = settings_for(home, service.base_url, **fast)
        self.queued, self.words, self.trouble = list[int](), 0, set[str]()
        self.backup, self.kept = home / "backup", list[int]()
        for number in range(dice.choice([1, 3])):
            for name in ("brands", "customers", "categories", "products"):
                service.put(name, name=f"Old {number}", stock=4, city="Old", email="o@x.org")
        self.invoice = service.put("ticketInvoices", payments=[])
        service.records["payments"] = {}

    def queue(self) -> None:
        """Some changes, none of which says what another says but the twins."""
        for _ in range(self.dice.randint(1, 5)):
            self.words += 1
            kind, half = self.dice.choice(KINDS), self.dice.random() < 0.5
            word, number = f"Wörd {self.words} & Söhne of {self.seed}", self.words + 0.25
            email = {"email": f"{self.words}@x.org"} if half else {}
            line = {"amount": number, "paymentMethod": "1"}
            body: dict[str, Any] = {
                "customer": {"name": word, **email},
                "pay": {"invoiceId": self.invoice, "lines": [line]},
                "update": {self.dice.choice(["company", "city"]): word, **email},
                "basis": {"city": word},
                "ticket": {"customerId": word, "shortInfo": word},
                "stock": {"stockQuantity": 100 + self.words},
                "delete": {},
                "file": {},
            }.get(kind, {"name": word})
            if kind in ("update", "basis", "stock", "delete", "file"):
                name = "products" if kind in ("stock", "file") else "customers"
                rows = [*self.service.records[name], ""]
                # Of one made here and deleted since, a queue put back cannot tell that it was made.
                if kind == "delete":
                    rows = [key for key in rows if "-" not in key]
                if target := self.dice.choice(rows):
                    op = {"delete": "delete", "file": "upload"}.get(kind, "update")
                    more: dict[str, Any] = {"based_on": {"city": "Old"}} if kind == "basis" else {}
                    if kind == "file":
                        more["file"] = self.home / f"{self.words}.png"
                        more["file"].write_text(word)
                    self._add(name, op, body, record_id=target, **more)
                continue
            lists = {"pay": "payments", "category": "categories"}
            lists |= {"customer": "customers", "ticket": "tickets"}
            marker = half and kind in ("pay", "customer", "ticket")
            self._add(lists.get(kind, "brands"), "create", body, marker=marker)
            if kind == "twins":
                self._add("brands", "create", body)
            elif kind == "model":
                of_it = {"brand": f"@{self.queued[-1]}", "name": f"M {word}", "status": "Active"}
                self._add("models", "create", of_it)
            elif kind == "ticket" and half:
                note = {"ticket": f"@{self.queued[-1]}", "type": "Public", "comment": word}
                self._add("ticketComments", "create", note)
            elif kind == "pay" and self.dice.random() < 0.3:
                with self.service.lock:  # the till takes it, too
                    self.service.next_id += 1
                    self.service._pay(str(self.service.next_id), body)

    def _add(self, resource: str, op: str, body: Any, **more: Any) -> None:
        more |= {"settings": self.settings, "check": False}
        self.queued += enqueue(resource, op, body or None, **more)

    def push(self, deaths: list[int], *, wait: bool = True) -> None:
        """As many pushes at once as there are ``deaths``: the lines after which each is killed."""
        args = self.settings, self.dice.random() < 0.2, wait
        self.service.pushes = [PROCESSES.Process(target=pushed, args=(n, *args)) for n in deaths]
        for one in self.service.pushes:
            one.start()
        for one in self.service.pushes:
            one.join(60)
            killed = one.exitcode == -signal.SIGKILL
            self.trouble |= {"killed"} if killed else {f"ENDED {one.exitcode}"} - {"ENDED 0"}
            one.kill()

    def run(self) -> None:
        """Pushes, and what happens to them; then all is calm and what can be done is."""
        dice, customers = self.dice, self.service.records["customers"]
        for _ in range(dice.randint(1, 4)):
            self.queue()
            if self.queued and not self.backup.exists() and dice.random() < 0.3:
                _copy(self.home, self.backup)
                self.kept = list(self.queued)
            mode = dice.random()
            deaths = [int(10 ** dice.uniform(1, 4))] if mode < 0.4 else [0] * (1 + (mode < 0.5))
            self.push(deaths, wait=dice.random() < 0.5)
            if self.backup.exists() and "restored" not in self.trouble and dice.random() < 0.4:
                self.trouble.add("restored")
                _copy(self.backup, self.home, "outbox*" if mode < 0.2 else "outbox.sqlite*")
                self.queued = self.kept
            if dice.random() < 0.1:
                self.trouble.add("files gone")
                for file in self.home.glob("*.png"):
                    file.unlink()
            with self.service.lock:  # the staff
                for row in customers.values() if dice.random() < 0.2 else ():
                    row["city"] = "Elsewhere" if row.get("city") == "Old" else row.get("city")
        self.service.calm = True
        for _ in range(3):
            self.push([0])

    def wrong(self) -> list[str]:
        """What the queue says that is not so."""
        with Outbox(self.home) as outbox:
            changes = {change.number: change for change in outbox.changes()}
        self.states = dict(Counter(str(change.state) for change in changes.values()))
        found = sorted(one for one in self.trouble if one.startswith("ENDED"))
        found += [f"LOST {number}" for number in self.queued if number not in changes]
        alike: dict[tuple[str, str, str], list[Change]] = {}
        for change in changes.values():
            lead = changes[change.merged_into or change.number]
            path = PATHS[change.resource].strip("/") + "/" + (change.record_id or "")
            said: Any = lead.sent_body or lead.body or None
            if change.file:
                path, said = f"{path}/upload/{change.file['name']}", None
            body = json.dumps(said, sort_keys=True)
            alike.setdefault((change.op, path, body), []).append(change)
        for (op, path, text), group in alike.items():
            found += [f"{one}: {op} {path} {text}" for one in self._of(op, path, text, group)]
        return found + self._disordered(changes) + self._parked(changes)

    def _of(self, op: str, path: str, text: str, group: list[Change]) -> list[str]:
        """What is wrong with changes that say the same, or were sent as one."""
        method = METHODS[op]
        made = [
            {where.partition("/")[2], ref}
            for how, where, body, ref in self.service.log
            if (how, json.dumps(body, sort_keys=True)) == (method, text) and where.startswith(path)
        ]
        done = [change for change in group if change.state == "done"]
        unrefused = sum(change.state not in ("rejected", "conflict") for change in group)
        found = []
        if len(made) > len(group) and (op in ACTING or "stockQuantity" in text):
            found.append(f"DOUBLED {len(made)} for {len(group)}")
        if min(len(made), len(group)) > unrefused and not (
            op == "update" and ("restored" in self.trouble)
        ):
            found.append(f"REFUSED but done, {group[-1].reason}")
        taken = op == "create" and self.service.doubles == "200"
        ids = [str(change.id) for change in done if op == "create"]
        if not taken and (len(set(ids)) < len(ids) or not {*ids} <= set().union(*made)):
            found.append(f"DONE as {ids}, made were {made}")
        elif done and not taken and not made:
            found.append(f"DONE but not there, {done[0].reason}")
        elif done and op == "update" and self.service.leaves_out in done[0].body:
            found += ["DONE but left out"] if not self.service.lag else []
        return found

    def _disordered(self, changes: Mapping[int, Change]) -> list[str]:
        """Fields of records that were set by an earlier change after a later one."""
        updates = [one for one in changes.values() if one.op == "update"]
        number = {value: one.number for one in updates for value in one.body.items()}
        last, found = dict[Any, int](), []
        for method, path, body, _ in self.service.log if "restored" not in self.trouble else ():
            for value in body.items() if method == "PUT" else ():
                if number[value] < last.get((path, value[0]), 0):
                    found.append(f"OUT OF ORDER {path} {value}")
                last[path, value[0]] = number[value]
        return found

    def _parked(self, changes: Mapping[int, Change]) -> list[str]:
        """What is not done although nothing went wrong."""
        service = self.service
        odd = service.faults or service.lag or service.doubles or service.leaves_out
        if self.trouble or odd or service.answer in ("ref", "nothing") or not service.has_details:
            return []
        deleted = {path.partition("/")[2] for how, path, *_ in service.log if how == "DELETE"}
        return [
            f"NOT DONE {change.what} {change.state} {change.reason}"
            for change in changes.values()
            if change.state not in ("done", "conflict") and change.record_id not in deleted
        ]


def tried(seed: int) -> list[str]:
    """Runs a seed; what was wrong."""
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, OddService(dice, MINUTE) as service:
        trial = Trial(seed, Path(folder), dice, service)
        trial.run()
        wrong = trial.wrong()
        print(seed, *sorted(trial.trouble), trial.states, flush=True)
        if wrong:
            print(
                "WRONG",
                *wrong,
                {name: getattr(service, name) for name in [*HABITS.split(), "kinds"]},
                sep="\n  ",
            )
            print(*service.log, sep="\n  ")
            with Outbox(Path(folder)) as outbox:
                for one in outbox.changes():
                    print(one.what, one.body, one.state, one.reason)
                    print(
                        *(f"    {list(row.values())}" for row in outbox.history(one.number)),
                        sep="\n",
                    )
    return wrong


def main(first: int, last: int) -> int:
    """Tries the seeds from ``first`` to ``last``."""
    return int(any(list(map(tried, range(first, last + 1)))))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
