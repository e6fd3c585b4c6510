"""A service whose writes answer oddly, each seed's in its own way."""

import copy
import threading
import time
from datetime import timedelta
from html import escape

from tests.fakes.loopback import Reply
from tests.outbox.service import FakeService

TEXTS = {
    "upper": str.upper,
    "escaped": escape,
    "one line": lambda text: " ".join(text.split()),
    "cut": lambda text: text[:20],
}
ANSWERS = {
    "plain": lambda key, row: {"id": key},
    "number": lambda key, row: {"id": int(key) if key.isdigit() else key},
    "data": lambda key, row: {"data": {"id": key}},
    "list": lambda key, row: [{"id": key}],
    "ids": lambda key, row: {"id": [key]},
    "whole": lambda key, row: dict(row) or {"id": key},
    "ref": lambda key, row: {"id": row.get("ref", key)},
    "nothing": lambda key, row: b"",
    "warning": lambda key, row: {"id": key, "warning": "mail not sent"},
    "error": lambda key, row: {"error": "Saved, but the printer is offline"},
    "half": lambda key, row: b'{"id": "12',
}
FAULTS = (
    *("before", "after", "ignore", "kill", "late", "warning", "error", "half", "202 before"),
    *("202 after", "409 after", "429 before", "429 after", "500 before", "500 after", "502 before"),
)


class OddService(FakeService):
    """The service of one seed's dice. ``log``: each write that it did, and the record's other name.

    Until ``calm`` it meets faults: those of ``FakeService``, answers of other shapes, "late" (done
    after the answer), and "kill" (of ``pushes``, and done then)."""

    def __init__(self, dice, minute):
        super().__init__()
        pick = dice.choice
        self.dice, self.minute, self.calm, self.log = dice, minute, False, []
        self.answer = pick(["plain", "plain", "plain", *list(ANSWERS)[1:8]])
        self.late = pick([0, 0, 0, 0.5, 1.2, 2]) * minute
        self.lag = pick([0, 0, 0, 1]) * self.late
        """Seconds until a record's own path shows a write."""
        self.text = pick(["", "", "", *TEXTS])
        self.doubles = pick(["", "", "409", "400", "422", "200"])
        """What it answers to a second record of a name; "200": with the first."""
        self.has_details = dice.random() < 0.95
        self.counts_stock, self.stamps = dice.random() < 0.6, dice.random() < 0.7
        self.leaves_out = pick(["", "", "", "email"])
        self.date_ahead = timedelta(seconds=pick([0, 0, 90, -90, 86_400, -86_400]))
        self.faults, self.kinds = pick([0, 0.1, 0.3, 0.5]), dice.sample(FAULTS, 4)
        # A rate error's word holds where nothing shows otherwise.
        self.counts_stock |= "429 after" in self.kinds
        self.pushes = []
        """Processes, for "kill"."""
        self._old = {}
        self.distort = self._kept

    def _kept(self, name, value):
        told = name in ("name", "short_info", "company", "city", "comment", "email") and self.text
        return TEXTS[self.text](value) if told else value

    def _answered(self, seen):
        if seen.method == "GET" or self.calm or self.dice.random() >= self.faults:
            return self._take(seen, "")
        fault = self.dice.choice(self.kinds)
        if fault in ("kill", "late"):
            for one in self.pushes if fault == "kill" else ():
                one.kill()
            threading.Timer(self.dice.random() * self.minute / 2, self._take, [seen, ""]).start()
            return Reply(504, {"error": "Time-out"})
        return self._take(seen, fault)

    def _take(self, seen, fault):
        with self.lock:
            usual, self.answer = self.answer, fault if fault in ANSWERS else self.answer
            self.lose = [] if not fault or fault in ANSWERS else [fault]
            try:
                return super()._answered(seen)
            finally:
                self.answer = usual

    def _read(self, path, query):
        until, row = self._old.get(path, (0, None))
        if until > time.monotonic() and self.has_details:
            return (200, row) if row else (404, {"error": "Not found."})
        return super()._read(path, query)

    def _write(self, method, path, body, raw):
        if "/upload" in path:
            held = len(self.files)
            reply = super()._write(method, path, body, raw)
            if len(self.files) > held:
                name = raw.partition(b'filename="')[2].partition(b'"')[0].decode()
                self.log.append(("FILE", f"{path.rpartition('/')[0]}/{name}", None, name))
            return reply
        name, _, key = path.partition("/")
        table, before = self.records.setdefault(name, {}), copy.deepcopy(self.records)
        if same := method == "POST" and self._same(table, body):
            if self.doubles == "200":
                return self._said(200, same, table)
            return Reply(int(self.doubles), {"error": "It already exists"})
        kept = {k: v for k, v in (body or {}).items() if k != self.leaves_out}
        reply = super()._write(method, path, kept, raw)
        if reply.status >= 400:
            return reply
        key = key or str(reply.body["id"])
        row = table.get(key, {})
        if row and method == "POST":
            row["ref"] = str(90_000 + len(self.log))
            row.setdefault(self.leaves_out or "ref", "o@x.org")
        if row and self.stamps:
            row["last_updated"] = self.now()
        if "stockQuantity" in kept and not self.counts_stock:
            row["stock"] = before[name][key]["stock"]
        self.log.append((method, f"{name}/{key}", body, row.get("ref", key)))
        shown = ("ticketInvoices", body["invoiceId"]) if name == "payments" else (name, key)
        old = before.get(shown[0], {}).get(shown[1])
        self._old["/".join(shown)] = time.monotonic() + self.lag, old
        return reply if method == "DELETE" else self._said(reply.status, key, table)

    def _same(self, table, body):
        name = self._kept("name", (body or {}).get("name", ""))
        found = [key for key, row in table.items() if name and row.get("name") == name]
        return found[0] if found and self.doubles else ""

    def _said(self, status, key, table):
        return Reply(status, ANSWERS[self.answer](key, table.get(key, {})))
