"""A service in this process, on a clock that tests move: it applies writes, and loses answers.

It checks next to nothing. What it stands for is a service that applies a write and then does, or
does not, answer. Records show what they were sent in the names of the field notes.
"""

import json
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any
from urllib.parse import parse_qs, urlencode

import httpx

from sources.repair_shop.schema.clean import snake_case
from sources.repair_shop.schema.dates import parse_moment
from tests.fakes.clock import FakeClock
from tests.fakes.loopback import Loopback, Reply, Seen
from tests.fakes.network import InProcess

EPOCH = 1_790_000_000.0
"""The service's clock when the machine's shows no seconds since its boot."""
NAMES = {
    "customers": {"telephone": "phone"},
    "tickets": {"customerId": "customer", "userId": "technician"},
    "models": {"name": "model", "brand": "make"},
    "leads": {"userId": "user"},
    "appointments": {"dateandtime": "start_date"},
    "timeClock": {"userId": "user"},
    "ticketTimers": {"userId": "user"},
}
_ODD = {
    "odd": {"result": "see log"},
    "empty": "",
    "success": {"success": True},
    "words": {"id": "7", "message": "Exists already"},
}
"""Answers that name no record, or another."""
_REFERENCES = ("customer", "technician", "user", "ticket", "product")


@dataclass
class Write:
    """A write that was applied: what, of which record, by which change (see ``sender``)."""

    method: str
    path: str
    body: Any
    id: str
    by: str = ""
    at: float = 0.0


@dataclass
class FakeShop(httpx.BaseTransport):
    """``push(settings, clock=shop.clock, transport=shop.of)``; ``shop.tables`` holds its records.

    ``faults`` are for the next writes, see :meth:`_faulty`.
    """

    clock: FakeClock = field(default_factory=FakeClock)
    tables: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    writes: list[Write] = field(default_factory=list)
    files: dict[str, list[bytes]] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    faults: deque[str] = field(default_factory=deque)
    read_faults: deque[int] = field(default_factory=deque)
    """Statuses of the next reads: 0 is none, -1 no answer, -2 nothing in it."""
    page_rows: int = 50
    late: list[tuple[float, str, str, Any, str]] = field(default_factory=list)
    hidden: set[tuple[str, str]] = field(default_factory=set)
    lag: float = 0.0
    """Seconds until a list, or an invoice, shows what is new."""
    detail_lag: float = 0.0
    """Seconds until a record shows how it was changed last."""
    free_ids: list[str] = field(default_factory=list)
    """Ids that it gives out again before new ones."""
    ignores: set[str] = field(default_factory=set)
    """Records that it leaves as they are, whatever it answers."""
    sender: Callable[[], str] = lambda: ""
    edit: Callable[[str, Any], Any] = lambda name, value: value
    """What it keeps of a value that was sent; by the name under which it is shown."""
    list_shows: Callable[[str, dict[str, list[str]], dict[str, Any]], bool] = (
        lambda path, query, row: True
    )
    refuses: Callable[[str, int], tuple[int, Any] | None] = lambda path, page: None
    """What it answers instead of a page of a list, or of a record (0)."""
    tells_time: bool = True
    sorts: bool = True
    """Whether it sorts as it is asked to; else the oldest come first."""
    knows_offset: bool = False
    knows_page: bool = True
    lied: set[str] = field(default_factory=set)
    """Changes to which it answered that they are done, and they are not."""
    next_id: int = 1000
    _earlier: dict[tuple[str, str], tuple[float, dict[str, Any]]] = field(default_factory=dict)
    _moment: float = 0.0

    def of(self, _shop: Any) -> InProcess:
        """The network of a shop."""
        return InProcess(self)

    # -- its own people -----------------------------------------------------------------------

    def now(self) -> float:
        """Its clock: seconds since 1970."""
        return self._moment or EPOCH + self.clock.ticks

    def put(self, path: str, **fields: Any) -> str:
        """A record made by the shop's own staff; its id."""
        record = self._new_id()
        self.tables.setdefault(path, {})[record] = {
            "id": record,
            "created_date": self.shown(),
            "_at": self.now(),
            **fields,
        }
        return record

    def invoice(self, total: float = 100, **fields: Any) -> str:
        """An invoice that is due; its id."""
        self.tables.setdefault("payments", {})
        return self.put("ticketInvoices", number="1", status="Due", amount_total=total, **fields)

    def take(self, invoice: str, amount: float, note: str = "") -> str:
        """A payment at the till; its id."""
        line = {"amount": amount, "paymentMethod": "1", **({"paymentNote": note} if note else {})}
        return self._pay({"invoiceId": invoice, "lines": [line]})

    def shown(self, at: float | None = None) -> str:
        """A moment as its records show it."""
        moment = datetime.fromtimestamp(self.now() if at is None else at, UTC)
        return moment.strftime("%Y-%m-%dT%H:%M:%S+0000")

    def count(self, method: str, path: str) -> int:
        """How many writes of a kind were applied."""
        return Counter((one.method, one.path.split("/")[0]) for one in self.writes)[method, path]

    def payments_of(self, invoice: str) -> list[dict[str, Any]]:
        """Payments of an invoice."""
        return [one for one in self.tables["payments"].values() if one["_invoice"] == invoice]

    # -- answers ------------------------------------------------------------------------------

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """One request, in this process."""
        self._deliver_late()
        path = request.url.path.removeprefix("/v1").strip("/")
        self.requests.append((request.method, path))
        self.keys.append(request.headers["Authorization"])
        if request.method == "GET":
            query = parse_qs(request.url.query.decode())
            if self.read_faults and (status := self.read_faults.popleft()):
                if status == -2:
                    return self._response(200, {} if "/" in path else [])
                if status < 0:
                    raise httpx.ReadTimeout("no answer")
                return self._response(status, {"error": "Something went wrong."})
            return self._response(*self._read(path, query))
        raw = request.read()
        kind = request.headers.get("content-type", "")
        body = json.loads(raw) if kind == "application/json" and raw else None
        return self._faulty(request.method, path, body, raw)

    def _faulty(self, method: str, path: str, body: Any, raw: bytes) -> httpx.Response:
        """``lost before``, ``lost after`` (applied), ``lost late`` (applied a minute later), ``500
        after``, ``429 before``, ``lie`` (200 and nothing done), ``odd after`` (a strange body),
        ``named 7`` (applied, and another id is answered)."""
        what, _, when = (self.faults.popleft() if self.faults else "").partition(" ")
        by = self.sender()
        if what == "down":
            raise httpx.ConnectError("nobody there")
        if when == "late":
            self.late.append((self.now() + 60, method, path, body, by))
            raise httpx.ReadTimeout("no answer")
        if what == "lie":
            self.lied.add(by)
            return self._response(200, {"id": when or "77"})
        if what and when == "before":
            status, reply = 200, {"id": "x"}
        else:
            status, reply = self._write(method, path, body, raw, by)
        if what in ("lost", "reset"):
            raise (httpx.ReadTimeout if what == "lost" else httpx.ReadError)("no answer")
        if what == "place":
            return self._response(201, (f"/v1/{path}/{(reply or {}).get('id')}",))
        if what == "named":
            return self._response(200, {"id": when})
        if what in _ODD:
            return self._response(200, _ODD[what])
        if what == "listed":
            return self._response(200, {"data": [reply]})
        if what == "warned":
            return self._response(200, {**(reply or {}), "warning": "see log"})
        if what.startswith("record"):
            name, _, record = path.partition("/")
            row = self.tables[name].get(record or str((reply or {}).get("id")), {})
            shown = self._visible(name, row) or {"id": record or None}
            return self._response(int(what[6:] or status), shown)
        if what == "401":
            return self._response(401, {"error": "Too many requests, wait one minute."})
        if what.isdecimal():
            said = "" if what == "204" else {"error": "Something went wrong."}
            return self._response(int(what), said)
        return self._response(status, reply)

    def _response(self, status: int, body: Any) -> httpx.Response:
        if isinstance(body, dict | list):
            body = json.dumps(body)
        date = format_datetime(datetime.fromtimestamp(self.now(), UTC), usegmt=True)
        headers = {"Date": date} if self.tells_time else {}
        if isinstance(body, tuple):
            body, headers["Location"] = "{}", body[0]
        return httpx.Response(status, headers=headers, content=(body or "").encode())

    def _deliver_late(self) -> None:
        due = [one for one in self.late if one[0] <= self.now()]
        self.late = [one for one in self.late if one[0] > self.now()]
        for self._moment, method, path, body, by in due:
            self._write(method, path, body, b"", by)
        self._moment = 0.0

    def _read(self, path: str, query: dict[str, list[str]]) -> tuple[int, Any]:
        name, _, record = path.partition("/")
        is_list = record in ("", "updated")
        page, most = int(query.get("page", ["1"])[0]), self.page_rows
        if page > 1 and not self.knows_page:
            return 200, []
        if "offset" in query and self.knows_offset:
            page = 1 + int(query["offset"][0]) // most
        if refused := self.refuses(path, page if is_list else 0):
            return refused
        if not is_list:
            row = self.as_known(name, record)
            if row is None:
                return 404, {"error": "Not found."}
            return 200, self._visible(name, row)
        rows = list(self.tables.get(name, {}).values())[::-1]
        rows = [row for row in rows if row["_at"] + self.lag <= self.now()]
        rows = [row for row in rows if self.list_shows(path, query, row)]
        if since := query.get("createdDateFrom"):
            first = parse_moment(since[0], UTC) or ""
            rows = [row for row in rows if row["created_date"][:10] >= first]
        if name == "payments" and "invoiceId" in query:
            rows = [row for row in rows if row["_invoice"] in query["invoiceId"]]
        if query.get("sort") == ["oldest"] or not self.sorts:
            rows.reverse()
        return 200, [self._visible(name, row) for row in rows[(page - 1) * most : page * most]]

    def page(self, name: str) -> list[dict[str, Any]]:
        """The first page of a list as it is shown."""
        return list(self._read(name, {})[1])

    def as_known(self, name: str, record: str) -> dict[str, Any] | None:
        """A record as a detail shows it, which may be how it was a while ago."""
        until, before = self._earlier.get((name, record), (0.0, None))
        if self.now() < until:
            return before
        return self.tables.get(name, {}).get(record)

    def _visible(self, name: str, row: dict[str, Any]) -> dict[str, Any]:
        found = {
            key: value
            for key, value in row.items()
            if not key.startswith("_") and (name, key) not in self.hidden
        }
        if name == "ticketInvoices" and (name, "payments") not in self.hidden:
            found["payments"] = [
                self._visible("payments", one)
                for one in self.payments_of(row["id"])
                if one["_at"] + self.lag <= self.now()
            ]
        return found

    def _write(self, method: str, path: str, body: Any, raw: bytes, by: str) -> tuple[int, Any]:
        name, _, rest = path.partition("/")
        table = self.tables.setdefault(name, {})
        record, _, step = rest.partition("/")
        if step == "upload":
            return 201, (f"/v1/{path}/{self._new_id()}",)
        if step:
            kept = self.files.setdefault(path, [])
            if not kept:
                kept.append(raw)
                self.writes.append(Write("FILE", path, None, record, by, self.now()))
            return 200, ""
        if method == "POST":
            if name == "payments":
                record = self._pay(body)
            else:
                record = self._new_id()
                kept = {key: self.edit(key, value) for key, value in shown(name, body).items()}
                created = body.get("createdDate") and kept.pop("created_date", None)
                table[record] = {
                    "id": record,
                    "created_date": created or self.shown(),
                    "_at": self.now(),
                    **kept,
                }
            self.writes.append(Write("POST", path, body, record, by, self.now()))
            return 201, {"id": record}
        if record not in table:
            return 404, {"error": "Not found."}
        if record in self.ignores:
            return 200, {"id": record}
        self.writes.append(Write(method, path, body, record, by, self.now()))
        self._earlier[name, record] = (self.now() + self.detail_lag, dict(table[record]))
        if method == "DELETE":
            del table[record]
            return 200, ""
        table[record].update({k: self.edit(k, v) for k, v in shown(name, body).items()})
        if "stockQuantity" in body:
            table[record]["stock"] = table[record].get("stock", 0) + body["stockQuantity"]
        return 200, {"id": record}

    def _pay(self, body: dict[str, Any]) -> str:
        first = ""
        invoices = body["invoiceId"] if isinstance(body["invoiceId"], list) else [body["invoiceId"]]
        for line in body["lines"]:
            record = self._new_id(numeric=True)
            first = first or record
            payment = {"id": record, "payment_id": record, "amount": line["amount"]}
            day = body.get("paymentDate") or self.shown()
            payment |= {"date": day, "_at": self.now(), "_invoice": invoices[0]}
            if note := line.get("paymentNote"):
                payment["payment_note"] = self.edit("payment_note", note)
            self.tables["payments"][record] = {"created_date": self.shown(), **payment}
        for one in invoices:
            invoice = self.tables["ticketInvoices"][one]
            paid = sum(row["amount"] for row in self.payments_of(one))
            total = invoice.get("amount_total")
            if total is not None and paid >= total and "status" in invoice:
                invoice["status"] = "Paid"
        return first

    def _new_id(self, *, numeric: bool = False) -> str:
        if self.free_ids and not numeric:
            return self.free_ids.pop()
        self.next_id += 1
        return str(self.next_id)


def shown(name: str, body: dict[str, Any]) -> dict[str, Any]:
    """What a record shows of a body."""
    found: dict[str, Any] = {}
    for key, value in body.items():
        if key == "stockQuantity":
            continue
        column = NAMES.get(name, {}).get(key, snake_case(key))
        if isinstance(value, list) and value and isinstance(value[0], dict):
            value = [{snake_case(k): v for k, v in line.items()} for line in value]
        elif column in _REFERENCES and value:
            value = {"id": value}
        if isinstance(value, str) and (iso := parse_moment(value, UTC)) and len(iso) > 9:
            value = iso if len(iso) == 10 else f"{iso[:19]}+0000"
        found[column] = value
    return found


class ServedShop(Loopback):
    """The same service over HTTP on loopback, on the machine's own clock."""

    def __init__(self) -> None:
        super().__init__()
        self.shop = FakeShop(clock=_Ticking())
        self.otherwise = self._answered

    def _answered(self, seen: Seen) -> Reply:
        try:
            answer = self.shop.handle_request(
                httpx.Request(
                    seen.method,
                    f"http://127.0.0.1{seen.path}?{urlencode(seen.query)}",
                    headers=seen.headers,
                    content=seen.body,
                )
            )
        except httpx.TransportError:
            return Reply(act="drop")
        location = {"Location": answer.headers["location"]} if "location" in answer.headers else {}
        return Reply(answer.status_code, answer.content, location)


class _Ticking(FakeClock):
    """The service's clock, where nobody moves it."""

    def __getattribute__(self, name: str) -> Any:
        if name == "ticks":
            return datetime.now(UTC).timestamp() - EPOCH
        return super().__getattribute__(name)
