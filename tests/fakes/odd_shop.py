"""A service written from the specification alone, which shapes everything otherwise than the rest.

Its :class:`Manners` say how: ids, envelopes, money and names of fields as the specification leaves
them open, lists and details that show what is new a minute late. It applies a write, and answers
in the way that its next fault says.
"""

import json
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any
from urllib.parse import parse_qs

import httpx

from sources.repair_shop.http.wire import from_wire
from tests.fakes.clock import FakeClock

EPOCH = 1_790_000_000.0
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_MONEY = ("amount", "amount_total", "price", "cost", "unitPrice")


@dataclass(frozen=True)
class Manners:
    """How a service answers where the specification leaves it open."""

    id_of: Callable[[int], Any] = str
    envelope: Callable[[str, Any], Any] = lambda name, found: found
    written: Callable[[str, Any], Any] = lambda name, found: {"id": found}
    money: Callable[[Any], Any] = lambda amount: amount
    name_of: Callable[[str], str] = lambda name: name
    moment: str = "%Y-%m-%dT%H:%M:%S+0000"
    lag: float = 0.0
    embeds_payments: bool = True
    shows: Callable[[str, str], bool] = lambda name, key: True


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()


def thousands(amount: Any) -> str:
    return f"Q{float(amount):,.2f}"


MANNERS = {
    "plain": Manners(),
    "late": Manners(lag=60.0),
    "numbers": Manners(id_of=int, name_of=snake, money=thousands),
    "enveloped": Manners(
        envelope=lambda name, found: {"data": found},
        written=lambda name, found: {"data": {"id": found}},
        lag=60.0,
    ),
    "by name": Manners(
        id_of=lambda number: f"c0ffee-{number}",
        envelope=lambda name, found: {
            name: found if isinstance(found, list) else [found],
            "total": 1,
        },
        written=lambda name, found: {"success": True, "id": found, "message": "Saved"},
        name_of=snake,
        moment="%d-%b-%Y %H:%M:%S",
        embeds_payments=False,
    ),
    "poor": Manners(
        id_of=int,
        envelope=lambda name, found: [found] if isinstance(found, dict) else found,
        written=lambda name, found: {"id": str(found), "message": "ok"},
        shows=lambda name, key: key in ("id", "name", "email") or name in _POOR.get(key, ()),
        lag=60.0,
        embeds_payments=False,
    ),
}
_POOR = {
    "amount": ("payments",),
    "amount_total": ("ticketInvoices",),
    "status": ("ticketInvoices",),
    "paymentNote": ("payments",),
    "date": ("payments",),
}


@dataclass
class Applied:
    """A write that had its effect: the method, the list, the record."""

    method: str
    name: str
    id: str
    body: Any


@dataclass
class OddShop:
    """``push(settings, clock=service.clock, transport=service.of)``. ``faults`` are for writes:
    what is answered, and whether the write is done (``reset done``) or not (``reset``)."""

    manners: Manners
    clock: FakeClock = field(default_factory=FakeClock)
    tables: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    applied: list[Applied] = field(default_factory=list)
    faults: deque[str] = field(default_factory=deque)
    slots: dict[str, int] = field(default_factory=dict)
    refuses: Callable[[str, int], tuple[int, Any] | None] = lambda path, number: None
    """What it answers instead of a page of a list, or of a record (0)."""
    sorts: bool = True
    filters: bool = True
    """Whether a filter by day shows the rows that it asks for; it shows none else."""
    knows_offset: bool = False
    numbers: int = 500

    # -- its own people -----------------------------------------------------------------------

    def now(self) -> float:
        return EPOCH + self.clock.ticks

    def put(self, name: str, /, **fields: Any) -> str:
        """A record; its id as text."""
        self.numbers += 1
        key = str(self.manners.id_of(self.numbers))
        self.tables.setdefault(name, {})[key] = {"_at": self.now(), "_was": None, **fields}
        return key

    def holds(self, name: str, key: str) -> bool:
        return key in self.tables.get(name, {})

    def is_unknown(self, path: str) -> bool:
        """Whether it has no such record."""
        name, _, key = path.partition("/")
        return not self.holds(name, key)

    def page(self, name: str, number: int) -> list[dict[str, Any]]:
        """A page of a list as it is shown."""
        return list(self._read(name, [], {"page": [str(number)]})[1])

    # -- the network --------------------------------------------------------------------------

    def of(self, _shop: Any) -> "OddShop":
        return self

    def close(self) -> None:
        """There is no connection."""

    def exchange(
        self, request: httpx.Request, path: str, most: int
    ) -> tuple[int, httpx.Headers, bytes]:
        try:
            status, body, more = self._answer(request)
        except httpx.TransportError as error:
            raise from_wire(error, request.method, path, "the service") from error
        moment = datetime.fromtimestamp(self.now(), UTC)
        headers = {"Date": format_datetime(moment, usegmt=True), **more}
        return status, httpx.Headers(headers), body

    def _answer(self, request: httpx.Request) -> tuple[int, bytes, dict[str, str]]:
        name, *rest = request.url.path.removeprefix("/v1/").split("/")
        if request.method == "GET":
            status, found = self._read(name, rest, parse_qs(request.url.query.decode()))
            return status, json.dumps(found).encode(), {}
        fault, _, done = (self.faults.popleft() if self.faults else " done").partition(" ")
        answer = self._write(request, name, rest) if done else (200, None, {})
        if fault in ("reset", "timeout"):
            raise (httpx.ReadError if fault == "reset" else httpx.ReadTimeout)("gone")
        if fault == "empty":
            return 201 if request.method == "POST" else 200, b"", answer[2]
        if fault == "words":
            return 200, b'{"error": "The record could not be saved. Please try again."}', {}
        if fault == "html":
            return 200, b"<html><body>Gateway</body></html>", {}
        if fault == "busy":
            return 429, b'{"error": "Too many requests."}', {"Retry-After": "30"}
        if fault == "unavailable":
            return 503, b"<html>Unavailable</html>", {"Retry-After": "20"}
        if fault.isdecimal():
            return int(fault), b'{"error": "Something is wrong. Check it."}', {}
        status, found, more = answer
        return status, b"" if found is None else json.dumps(found).encode(), more

    # -- reads --------------------------------------------------------------------------------

    def _read(self, name: str, rest: list[str], query: dict[str, list[str]]) -> tuple[int, Any]:
        page = int(query.get("page", ["1"])[0])
        if "offset" in query and self.knows_offset:
            page = 1 + int(query["offset"][0]) // 50
        is_list = not rest or rest == ["updated"]
        if refused := self.refuses("/".join([name, *rest]), page if is_list else 0):
            return refused
        if not is_list:
            row = self._as_shown(name, rest[0])
            if row is None:
                return 404, {"error": "No record was found. Check the id."}
            return 200, self.manners.envelope(name.removesuffix("s"), self._dressed(name, row))
        shown = [self._as_shown(name, key) for key in self.tables.get(name, {})]
        rows = [row for row in shown if row is not None]
        rows.sort(
            key=lambda row: row["_at"], reverse=self.sorts and query.get("sort") != ["oldest"]
        )
        if first := query.get("createdDateFrom", query.get("updatedDateFrom")):
            day, month, year = first[0].split("-")
            since = datetime(int(year), _MONTHS.index(month.title()) + 1, int(day), tzinfo=UTC)
            rows = [row for row in rows if self.filters and row["_at"] >= since.timestamp()]
        if name == "payments" and "invoiceId" in query:
            rows = [row for row in rows if row["_invoice"] in query["invoiceId"]]
        dressed = [self._dressed(name, row) for row in rows[50 * page - 50 : 50 * page]]
        return 200, self.manners.envelope(name, dressed)

    def _as_shown(self, name: str, key: str) -> dict[str, Any] | None:
        """A record as it was a while ago, where this service shows all of it late."""
        row = self.tables.get(name, {}).get(key)
        if row is None:
            return None
        seen = {"id": key, **row}
        if self.now() - row["_at"] < self.manners.lag:
            return None
        if row["_was"] and self.now() - row["_was"][0] < self.manners.lag:
            seen |= row["_was"][1]
        return None if "_gone" in seen else seen

    def _dressed(self, name: str, row: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in row.items():
            if key.startswith("_") or not self.manners.shows(name, key):
                continue
            if key == "id":
                value = self.manners.id_of(int(re.sub(r"\D*-|\D", "", value.rpartition("-")[2])))
            elif key in _MONEY:
                value = self.manners.money(value)
            found[self.manners.name_of(key)] = value
        if self.manners.shows(name, "created_date") and "created_date" not in found:
            at = datetime.fromtimestamp(row["_at"], UTC)
            found["created_date"] = at.strftime(self.manners.moment)
        if name == "ticketInvoices" and self.manners.embeds_payments:
            rows = [self._as_shown("payments", key) for key in self.tables.get("payments", {})]
            of_it = [one for one in rows if one and one["_invoice"] == row["id"]]
            found["payments"] = [self._dressed("payments", one) for one in of_it]
        return found

    # -- writes -------------------------------------------------------------------------------

    def _write(
        self, request: httpx.Request, name: str, rest: list[str]
    ) -> tuple[int, Any, dict[str, str]]:
        raw, table = request.read(), self.tables.setdefault(name, {})
        key = rest[0] if rest else ""
        if len(rest) == 2:
            self.numbers += 1
            self.slots[str(self.numbers)] = 0
            return 201, {}, {"Location": f"/v1/{name}/{key}/upload/{self.numbers}"}
        if len(rest) == 3:
            if self.slots.get(rest[2], 1):
                return 409, {"error": "The place has its file. Ask for another."}, {}
            self.slots[rest[2]] = 1
            self.applied.append(Applied("FILE", name, key, None))
            return 200, None, {}
        body = json.loads(raw) if raw else None
        if request.method == "POST":
            key = self._made(name, body)
            self.applied.append(Applied("POST", name, key, body))
            shown = self.manners.id_of(int(re.sub(r"\D", "", key.rpartition("-")[2])))
            return 201, self.manners.written(name, shown), {}
        row = table.get(key)
        if row is None or "_gone" in row:
            return 404, {"error": "No record was found. Check the id."}, {}
        row["_was"] = (self.now(), {k: v for k, v in row.items() if k != "_was"})
        self.applied.append(Applied(request.method, name, key, body))
        if request.method == "DELETE":
            row["_gone"], row["_was"] = True, None
            return 200, None, {}
        row |= body
        shown = self.manners.id_of(int(re.sub(r"\D", "", key.rpartition("-")[2])))
        return 200, self.manners.written(name, shown), {}

    def _made(self, name: str, body: dict[str, Any]) -> str:
        if name != "payments":
            return self.put(name, **body)
        several = body["invoiceId"] if isinstance(body["invoiceId"], list) else [body["invoiceId"]]
        made = [
            self.put("payments", **line, _invoice=str(several[0]), date=self._day())
            for line in body["lines"]
        ]
        return made[0]

    def _day(self) -> str:
        return datetime.fromtimestamp(self.now(), UTC).strftime(self.manners.moment)
