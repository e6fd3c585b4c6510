"""A service of a few lines on loopback: keeps what it is sent, and loses answers when told to.

It checks nothing: what it stands for is a service that applies a write and then does, or does not,
answer. Records show what they were sent in the field notes' names.
"""

import json
import threading
import time
from collections import Counter
from datetime import UTC, datetime

from sources.repair_shop.schema.clean import snake_case
from tests.fakes.loopback import Loopback, Reply, Seen

NAMES = {
    "customers": {"telephone": "phone"},
    "tickets": {
        "customerId": "customer",
        "userId": "technician",
        "issueDescription": "description",
    },
    "models": {"name": "model", "brand": "make"},
    "leads": {"userId": "user"},
    "appointments": {"dateandtime": "start_date"},
    "timeClock": {"userId": "user"},
    "ticketTimers": {"userId": "user"},
}
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


class FakeService(Loopback):
    """``with FakeService() as service``: ``service.base_url``, ``service.records``."""

    def __init__(self) -> None:
        super().__init__()
        self.otherwise = self._answered
        self.records: dict[str, dict[str, dict]] = {}
        self.files: dict[str, list[bytes]] = {}
        self.writes: list[tuple[str, str, dict | None]] = []
        self.requests: list[tuple[str, str]] = []
        self.lose: list[str] = []
        """Faults for the next writes: "before" or "after" (applied) drop the answer, "500 before",
        "429 after" and so on answer so, "refuse", "ok"."""
        self.delayed: list[tuple[str, str, dict | None]] = []
        self.hide_new = False
        self.late = 0.0
        """Seconds until a list shows a new record."""
        self.distort = lambda name, value: value
        """What is kept of a value that was sent; by the name under which it is shown."""
        self.then = lambda body: None
        """What it makes of its records after a write."""
        self.keeps_deleted = False
        """It marks what is deleted, and leaves it out of lists only; "listed": nor out of them."""
        self.has_details = True
        self.made: dict[str, float] = {}
        self.next_id = 1000
        self.delay = 0.0
        self.in_flight = self.most_in_flight = 0
        self.lock = threading.RLock()

    def stop(self):
        """From now on there is nobody there."""
        self.__exit__()

    def put(self, path, **fields):
        """A record made by the shop's own staff; its id."""
        with self.lock:
            self.next_id += 1
            record_id = str(self.next_id)
            self.records.setdefault(path, {})[record_id] = {
                "id": record_id,
                "created_date": self.now(),
                **fields,
            }
            return record_id

    def _answered(self, seen: Seen) -> Reply:
        method, path = seen.method, seen.path.removeprefix("/v1").strip("/")
        with self.lock:
            self.requests.append((method, path))
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
        time.sleep(self.delay)
        with self.lock:
            self.in_flight -= 1
            if method == "GET":
                query: dict[str, list[str]] = {}
                for name, value in seen.query:
                    query.setdefault(name, []).append(value)
                return Reply(*self._read(path, query))
            fault = self.lose.pop(0) if self.lose else "ok"
            if fault == "refuse":
                return Reply(400, {"error": "No. Try another value."})
            if fault == "ignore":
                return Reply(body=b"")
            if fault == "before":
                return Reply(act="drop")
            status, _, when = fault.partition(" ")
            broken = Reply(int(status) if when else 0, {"error": "Server error"})
            if when == "before":
                return broken
            is_json = seen.headers.get("content-type", "").startswith("application/json")
            body = json.loads(seen.body) if is_json and seen.body else None
            reply = self._write(method, path, body, seen.body)
            self.then(body)
            if fault == "after":
                return Reply(act="drop")
            return broken if when == "after" else reply

    def _read(self, path, query):
        parts = path.split("/")
        if len(parts) == 2 and parts[1] not in ("updated",):
            record = self.has_details and self.records.get(parts[0], {}).get(parts[1])
            return (200, record) if record else (404, {"error": "Not found."})
        shown = time.monotonic() - self.late
        rows = list(self.records.get(parts[0], {}).values())[::-1]
        rows = [row for row in rows if self.made.get(row["id"], 0) <= shown]
        if self.keeps_deleted != "listed":
            rows = [row for row in rows if "deleted_at" not in row]
        if parts[0] == "payments" and "invoiceId" in query:
            wanted = [one for text in query["invoiceId"] for one in text.split(",")]
            rows = [row for row in rows if row["_invoice"] in wanted]
        page = int(query.get("page", ["1"])[0])
        return 200, [] if self.hide_new else rows[(page - 1) * 50 : page * 50]

    def _write(self, method, path, body, raw):
        parts = path.split("/")
        name = parts[0]
        table = self.records.setdefault(name, {})
        if method == "POST" and len(parts) == 1:
            self.next_id += 1
            record_id = str(self.next_id) if name == "payments" else f"{name}-{self.next_id}"
            self.writes.append(("create", name, body))
            if name == "payments":
                return self._pay(record_id, body)
            kept = {key: self.distort(key, value) for key, value in _shown(name, body).items()}
            table[record_id] = {"id": record_id, "created_date": self.now(), **kept}
            self.made[record_id] = time.monotonic()
            return Reply(201, {"id": record_id})
        if method == "POST" and len(parts) == 3:
            self.next_id += 1
            return Reply(201, {}, {"Location": f"/v1/{path}/{self.next_id}"})
        if method == "POST":
            kept = self.files.setdefault(path, [])
            if not kept:
                kept.append(raw)
                self.writes.append(("upload", name, None))
            return Reply(body={})
        record_id = parts[1]
        if record_id not in table:
            return Reply(404, {"error": "Not found."})
        self.writes.append(({"PUT": "update", "DELETE": "delete"}[method], name, body))
        if method == "DELETE":
            if self.keeps_deleted:
                table[record_id]["deleted_at"] = self.now()
            else:
                del table[record_id]
            return Reply(body=b"")
        table[record_id].update(_shown(name, body))
        if "stockQuantity" in body:
            table[record_id]["stock"] = table[record_id].get("stock", 0) + body["stockQuantity"]
        return Reply(body={"id": record_id})

    def _pay(self, record_id, body):
        invoices = body["invoiceId"] if isinstance(body["invoiceId"], list) else [body["invoiceId"]]
        amount = body["lines"][0]["amount"]
        payment = {"id": record_id, "payment_id": record_id, "amount": amount, "date": self.now()}
        if note := body["lines"][0].get("paymentNote"):
            payment["payment_note"] = note
        invoice = self.records["ticketInvoices"][invoices[0]]
        invoice.setdefault("payments", []).append(payment)
        self.records["payments"][record_id] = {**payment, "_invoice": invoices[0]}
        return Reply(201, {"id": record_id})

    def now(self):
        """The service's clock as its records show it."""
        return (datetime.now(UTC) + self.date_ahead).strftime("%Y-%m-%dT%H:%M:%S+0000")

    def count(self, op, name):
        """How many writes of a kind were applied."""
        return Counter((kind, table) for kind, table, _ in self.writes)[op, name]


def _shown(name, body):
    shown = {}
    for key, value in body.items():
        if key == "stockQuantity":
            continue
        column = NAMES.get(name, {}).get(key, snake_case(key))
        if key == "lines":
            value = [{snake_case(k): v for k, v in line.items()} for line in value]
        elif column in ("customer", "technician", "user", "ticket", "product") and value:
            value = {"id": value}
        shown[column] = _iso(value)
    return shown


def _iso(value):
    """Times as answers have them, not as they were sent."""
    parts = value.split() if isinstance(value, str) else []
    if parts and len(parts[0]) == 11 and parts[0][3:6] in MONTHS and parts[0][2] == "-":
        day, month, year = parts[0].split("-")
        time = (parts[1] + ":00")[:8] if len(parts) > 1 else "00:00:00"
        return f"{year}-{MONTHS.index(month) + 1:02d}-{day}T{time}+0000"
    return value
