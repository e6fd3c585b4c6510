"""Random services that are not the sandbox, read night by night and held against what they have.

``python -m bench.strangers FIRST LAST [NIGHTS]`` draws a service for each seed, written from the
specification and the field notes alone: how it pages, sorts, filters, wraps, refuses and ends its
lists, and what breaks on its way (bodies cut off, empty, in another shape, refusals, failures). A
reading may be incomplete, but not say that it is complete with rows missing, too many or old; the
last night, on which nothing breaks, must be complete. Ends with 1 if one was not.

Seeds 2 and 8 found lists left "not counted", 17 words taken for the limit by chance, and rows of a
list that failed taken for hidden. Scans run side by side, so what a seed meets differs each time.
"""

import gzip
import json
import random
import re
import sys
import tempfile
import threading
import uuid
import zlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import SecretStr

from sources.repair_shop.log import Log
from sources.repair_shop.mirror import Mirror
from sources.repair_shop.schema.endpoints import ENDPOINTS
from sources.repair_shop.settings import ShopSettings
from tests.wire.doubles import Loopback, Reply, Seen

Row = dict[str, Any]
ROWS = dict(
    pair.split(":")
    for pair in (
        "customers:130 tickets:170 ticketInvoices:120 posOrders:60 products:110 purchaseOrders:55 "
        "ticketComments:80 appointments:60 stock:51 leads:30 users:5 timeClock:49 brands:4"
    ).split()
)
"""Lists and their usual lengths; payments come with the documents, all other lists are empty."""
UUIDS = ("customers", "tickets", "ticketInvoices", "posOrders", "purchaseOrders", "leads")
UPDATED = ("tickets", "products", "appointments")
STATUSES = ("New", "En proceso", "Completado", "Facturado")
ZONES = ("America/Guatemala", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe")
FAILURE: dict[str, Any] = {"success": False, "message": "No database", "data": []}
BODIES: tuple[Any, ...] = (
    None,
    {},
    [{}],
    [None],
    [[]],
    [1],
    "text",
    0,
    False,
    "",
    FAILURE,
    {"data": None},
    {"x": 1},
)
"""What may come under a 200 in place of a list."""
BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda body: body[: max(1, len(body) // 2)],
    "not UTF-8": lambda body: body.replace(b': "', b': "\xff', 1),
    "NaN": lambda body: body.replace(b'"id":', b'"x": NaN, "id":'),
    "nothing": lambda body: b"",
    "page": lambda body: b"<!DOCTYPE html><html>Welcome</html>",
}


def habits(dice: random.Random) -> dict[str, Any]:
    """How a service answers."""
    return {
        "size": dice.choice([50, 50, 50, 20, 100]),
        "offset": dice.random() < 0.6,
        "order": dice.choice(["date", "date", "loose"]),
        "past": dice.choice(["[]", "[]", "null", "{}", "404", "400", "last", '{"data": null}']),
        "wrap": dice.choice(["", "data", "name"]),
        "stamp": dice.choice(["%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S", "%d-%b-%Y %H:%M:%S"]),
        "text_ids": dice.random() < 0.3,
        "hides": dice.random() < 0.7,
        "updated": dice.choice(["ok", "ok", "missing", "ignored"]),
        "gone": dice.choice([(404, {"error": "Not found"}), (400, {"error": "No id"}), (200, [])]),
        "zone": dice.choice(ZONES),
        "filters_in": dice.choice(["", "", "UTC"]),
        "faults": dice.choice([0, 0.01, 0.03, 0.1]),
    }


class Stranger:
    """The service of one seed. ``lists`` is the truth."""

    def __init__(self, seed: int) -> None:
        self.dice, self.chance = random.Random(seed), random.Random(-seed)
        self.habits = habits(self.dice)
        self.zone = ZoneInfo(self.habits["zone"])
        self.lists: dict[str, dict[str, Row]] = {name: {} for name in (*ROWS, "payments")}
        self.lists["statuses"] = {}
        self.calm, self.lock, self._number = False, threading.Lock(), 100
        for label in STATUSES:
            self.add("statuses", label=label, type="repair")
        for name, rows in [(name, int(rows)) for name, rows in ROWS.items()]:
            for _ in range(self.dice.choice([0, 50, 51, rows]) if rows > 100 else rows):
                self.make(name, timedelta(days=100 * self.dice.random()))

    # -- the shop ---------------------------------------------------------------------------------

    def add(self, name: str, ago: timedelta = timedelta(), /, **fields: Any) -> Row:
        """A new row."""
        self._number += 1
        at = (datetime.now(UTC) - ago).replace(microsecond=0)
        identity: Any = str(self._number) if self.habits["text_ids"] else self._number
        if name in UUIDS:
            identity = str(uuid.UUID(int=self.dice.getrandbits(128), version=4))
        row = {"id": identity, "_at": at, "_changed": at, **fields}
        self.lists[name][str(identity)] = row
        return row

    def make(self, name: str, ago: timedelta = timedelta()) -> None:
        """A new row with what belongs to one of its list."""
        row = self.add(name, ago, name=f"{name} {self._number}")
        if name == "tickets":
            row["_status"] = self.dice.choice(list(self.lists["statuses"].values()))
        if name in ("ticketInvoices", "posOrders"):
            row["amount_total"] = self.dice.randrange(90_000) / 100
            self.add("payments", ago, amount=row["amount_total"], _of=(name, row["id"]))

    def night(self, changes: int = 15) -> None:
        """A day's changes: rows added, edited where a list tells of edits, and deleted."""
        with self.lock:
            for _ in range(changes):
                kind, name = self.dice.random(), self.dice.choice([*UPDATED, *ROWS])
                rows = self.lists[name]
                if kind < 0.5 or len(rows) < 30:  # of few rows many at once are not believed gone
                    self.make(name)
                elif kind < 0.8:
                    row = self.dice.choice(list(self.lists["tickets"].values()) or [{}])
                    row |= {"note": f"edit {self._number}", "_changed": datetime.now(UTC)}
                    self._number += 1
                else:
                    gone = rows.pop(self.dice.choice(list(rows)))
                    paid = self.lists["payments"]
                    for key in [k for k, row in paid.items() if row["_of"] == (name, gone["id"])]:
                        del paid[key]

    # -- what it answers --------------------------------------------------------------------------

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, Any]:
        """Status and payload."""
        name, _, rest = path.partition("/")
        if name not in self.lists or (rest and name == "payments"):
            is_list = path in {endpoint.path.strip("/") for endpoint in ENDPOINTS.values()}
            known = is_list or name in ("info", "customFields")
            return (200, []) if known else (404, {"error": "Not found"})
        rows = list(self.lists[name].values())
        if rest not in ("", "updated"):
            found = self.lists[name].get(rest)
            return (200, self._shown(name, found, {})) if found else self.habits["gone"]
        if rest and self.habits["updated"] == "missing":
            return 404, {"error": "Not found"}
        if not rest or self.habits["updated"] == "ok":
            rows = [row for row in rows if self._matches(name, row, query, bool(rest))]
        rows.sort(key=self._order("_changed" if rest else "_at"))
        if rest or query.get("sort") != "oldest":
            rows.reverse()
        return self._page(name, rows, query)

    def _page(self, name: str, rows: list[Row], query: dict[str, str]) -> tuple[int, Any]:
        size, past = self.habits["size"], self.habits["past"]
        start = (int(query.get("page", 1)) - 1) * size
        if self.habits["offset"] and "offset" in query:
            start, size = int(query["offset"]), min(size, int(query["limit"]))
        if start >= len(rows) and start:
            if past.isdigit():
                return int(past), {"error": "No records found"}
            if past != "last":
                return 200, json.loads(past)
            start = max(0, (len(rows) - 1) // size * size)
        shown = [self._shown(name, row, query) for row in rows[start : start + size]]
        wrap = {"name": name}.get(self.habits["wrap"], self.habits["wrap"])
        return 200, {wrap: shown} if wrap else shown

    def _order(self, field: str) -> Callable[[Row], Any]:
        def loose(row: Row) -> int:
            return zlib.crc32(str(row["id"]).encode())

        if self.habits["order"] == "date":
            return lambda row: (row[field], str(row["id"]))
        return lambda row: (row[field] + timedelta(hours=loose(row) % 50), str(row["id"]))

    def _matches(self, name: str, row: Row, query: dict[str, str], is_updated: bool) -> bool:
        zone = ZoneInfo(self.habits["filters_in"]) if self.habits["filters_in"] else self.zone
        for key, text in query.items():
            side = re.search("(From|To)$", key)
            if side is None:
                continue
            day = datetime.strptime(text, "%d-%b-%Y").date()
            days = [row["_changed" if key.startswith("updated") else "_at"]]
            if key.startswith("payment") and name != "payments":
                paid = self.lists["payments"].values()
                days = [one["_at"] for one in paid if one["_of"] == (name, row["id"])]
            found = [one.astimezone(zone).date() for one in days]
            if not any(one >= day if side[0] == "From" else one <= day for one in found):
                return False
        return name != "tickets" or is_updated or self._is_listed(row["_status"], query)

    def _is_listed(self, status: Row, query: dict[str, str]) -> bool:
        """Whether a ticket is on the list: of the status asked for, else in the pipeline."""
        asked = query.get("status")
        if asked is None:
            return not self.habits["hides"] or status["label"] in STATUSES[:2]
        is_it = asked in (str(status["id"]), status["label"])
        return is_it != (query.get("statusCondition") == "NOT-EQUAL")

    def _shown(self, name: str, row: Row, query: dict[str, str]) -> Row:
        stamp = row["_at"].astimezone(self.zone).strftime(self.habits["stamp"])
        shown = {key: value for key, value in row.items() if key[0] != "_"}
        shown["date" if name == "payments" else "created_date"] = stamp
        if name == "tickets":
            shown["status"] = {key: row["_status"][key] for key in ("id", "label")}
        if name == "payments" and query.get("includeResource"):
            kind, identity = row["_of"]
            shown["invoice" if kind == "ticketInvoices" else "pos"] = {"id": identity}
        return shown

    def reply(self, seen: Seen) -> Reply:
        """One answer as it leaves: now and then something else."""
        with self.lock:
            status, payload = self.answer(seen.path[4:].strip("/"), dict(seen.query))
            if self.calm or self.chance.random() >= self.habits["faults"]:
                return Reply(status, payload)
            kind = self.chance.randrange(4)
            if kind == 0:
                status = self.chance.choice([204, 400, 404, 422, 500, 502, 503])
                return Reply(status, b"" if status == 204 else {"error": "Not found"})
            if kind == 1:
                return Reply(body=self.chance.choice(BODIES))
            body = json.dumps(payload).encode()
            if kind == 2:
                return Reply(body=self.chance.choice(list(BROKEN.values()))(body))
            packed = gzip.compress(body)
            return Reply(200, packed[: 2 * len(packed) // 3], {"Content-Encoding": "gzip"})


def differences(service: Stranger, mirror: Mirror, shop: ShopSettings) -> list[str]:
    """What a mirror that says it is complete has wrong."""
    found: list[str] = []
    for name, rows in service.lists.items():
        table = re.sub("([A-Z])", r"_\1", name).lower()
        held = set(mirror.ledger.live_ids(shop.name, table))
        for words, ids in (("missing", set(rows) - held), ("not deleted", held - set(rows))):
            if ids:
                found.append(f"{table}: {len(ids)} of {len(rows)} {words}")
    log, rows = Log(mirror.ledger, [shop]), service.lists["tickets"]
    for tables in log.read("tickets", {}, log.end()):
        for row in tables["tickets"].to_pylist() if "tickets" in tables else ():
            if row["id"] in rows and row.get("note") != rows[row["id"]].get("note"):
                found.append(f"ticket {row['id']}: {row.get('note')} is old")
    return found


def tried(seed: int, nights: int) -> bool:
    """Reads a service for some nights; whether all it said was so."""
    service, said, wrong = Stranger(seed), list[str](), list[str]()
    with tempfile.TemporaryDirectory() as folder, Loopback() as loopback:
        loopback.otherwise = service.reply
        shop = ShopSettings(
            name="main",
            base_url=loopback.base_url,
            api_key=SecretStr("the-key-of-a-stranger"),
            timezone=service.habits["zone"],
            requests_per_minute=1_000_000,
            minute_seconds=0.5,
        )
        for night in range(nights):
            service.calm = night == nights - 1
            with Mirror(Path(folder), [shop]) as mirror:
                [reading] = mirror.read(ENDPOINTS)
                said.append("incomplete" if reading.doubts else "complete")
                if not reading.doubts:
                    wrong += differences(service, mirror, shop)
            service.night()
    if reading.doubts:
        wrong += [f"incomplete on a night without faults: {reading.doubts[0]}"]
    print(seed, " ".join(said), *(["WRONG", wrong, service.habits] if wrong else []), flush=True)
    return not wrong


def main(first: int, last: int, nights: int = 5) -> int:
    """Tries the seeds from ``first`` to ``last``."""
    results = [tried(seed, nights) for seed in range(first, last + 1)]
    return int(not all(results))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
