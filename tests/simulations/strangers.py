"""Services that are not the sandbox, read night by night and held against what they have.

A service has the habits that :mod:`.habits` draws. What breaks on its way are bodies cut off,
empty or in another shape, refusals, failures.

A reading may be incomplete, but not say that it is complete with rows missing, too many or old; the
last night, on which nothing breaks, must be complete, but of services that ``is_unprovable``
names; and no night may ask more than ``most_requests``. Scans run side by side, so what a
service meets differs each time.
"""

import gzip
import json
import random
import re
import tempfile
import threading
import uuid
import zlib
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import unquote
from zoneinfo import ZoneInfo

import time_machine
from pydantic import SecretStr

from pipelines.settings import ShopSettings
from sources.repair_shop.budget.clock import SystemClock
from sources.repair_shop.change_log import ChangeLog
from sources.repair_shop.mirror import Mirror
from sources.repair_shop.schema.endpoints import ENDPOINTS
from tests.fakes.loopback import Loopback, Reply, Seen
from tests.simulations.habits import is_blind, is_unprovable, most_requests

Row = dict[str, Any]
ROWS = {"customers": 130, "tickets": 170, "ticketInvoices": 120, "posOrders": 60, "products": 110}
ROWS |= {"purchaseOrders": 55, "ticketComments": 80, "appointments": 60, "stock": 51, "leads": 30}
ROWS |= {"users": 5, "timeClock": 49, "brands": 4}
"""Lists and their usual lengths; payments come with the documents, all other lists are empty."""
UUIDS = ("customers", "tickets", "ticketInvoices", "posOrders", "purchaseOrders", "leads")
UPDATED = ("tickets", "products", "appointments")
STATUSES = ("New", "En proceso", "Completado", "Facturado")
DAY, CHANGES = timedelta(days=1), 15
SHOWN = ("name", "label", "amount", "amount_total")
"""Fields whose newest value a night must know."""
BODIES: tuple[Any, ...] = (
    *(None, {}, [{}], [None], [[]], [1], "text", 0, False, ""),
    *({"success": False, "message": "No database", "data": []}, {"data": None}, {"x": 1}),
)
"""What may come under a 200 in place of a list."""
BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "cut": lambda body: body[: max(1, len(body) // 2)],
    "not UTF-8": lambda body: body.replace(b': "', b': "\xff', 1),
    "NaN": lambda body: body.replace(b'"id":', b'"x": NaN, "id":'),
    "nothing": lambda body: b"",
    "page": lambda body: b"<!DOCTYPE html><html>Welcome</html>",
}


class Stranger:
    """A service of some habits; a seed says what is in it. ``lists`` is the truth."""

    def __init__(self, habits: dict[str, Any], seed: int) -> None:
        self.dice, self.chance = random.Random(seed), random.Random(-seed)
        self.habits = habits
        self.zone = ZoneInfo(self.habits["zone"])
        self.lists: dict[str, dict[str, Row]] = {name: {} for name in (*ROWS, "payments")}
        self.lists["statuses"] = {}
        self.gone: dict[str, list[Row]] = {name: [] for name in self.lists}
        self.moved: set[str] = set()
        """Rows that changed since the night began."""
        self.calm, self.lock, self._number, self.requests = False, threading.Lock(), 100, 0
        self.is_bad, self.asked = False, Counter[str]()
        """Whether this is the night on which a path, or all of it, is out of order; requests."""
        for label in (*STATUSES, *(STATUSES[2:] if habits["statuses"] == "twins" else ())):
            status = self.add("statuses", label=label, type="repair")
            status["_open"] = label in STATUSES[:2]
        for name, rows in ROWS.items():
            for _ in range(self.dice.choice([0, 50, 51, rows]) if rows > 100 else rows):
                self.make(name, timedelta(days=100 * self.dice.random()))

    # -- the shop ---------------------------------------------------------------------------------

    def add(self, name: str, ago: timedelta = timedelta(), /, **fields: Any) -> Row:
        """A new row."""
        self._number += 1
        at = (datetime.now(UTC) - ago).replace(microsecond=0)
        number = self._number
        if self.habits["reuses"] and name not in UUIDS:
            number = 1 + max((row["_number"] for row in self.lists[name].values()), default=0)
        identity: Any = str(number) if self.habits["text_ids"] else number
        if name in UUIDS:
            identity = str(uuid.UUID(int=self.dice.getrandbits(128), version=4))
        identity = f"{identity}{self.habits['ids']}x" if self.habits["ids"] else identity
        row = {"id": identity, "_number": number, "_at": at, "_changed": at, **fields}
        self.lists[name][str(identity)] = row
        self.moved.add(str(identity))
        return row

    def make(self, name: str, ago: timedelta = timedelta(), /, **fields: Any) -> None:
        """A new row with what belongs to one of its list."""
        row = self.add(name, ago, name=f"{name} {self._number}", **fields)
        if name == "tickets":
            row["_status"] = self.dice.choice(list(self.lists["statuses"].values()))
        if name in ("ticketInvoices", "posOrders"):
            row["amount_total"] = self.dice.randrange(90_000) / 100
            self.add("payments", ago, amount=row["amount_total"], _of=(name, row["id"]))

    def change(self, ago: timedelta = timedelta()) -> None:
        """A row is added, edited where a list tells of edits, or deleted."""
        kind, name = self.dice.random(), self.dice.choice([*UPDATED, *ROWS])
        rows, now = self.lists[name], datetime.now(UTC) - ago
        if kind < 0.5 or len(rows) < 30:  # of few rows many at once are not believed gone
            is_late, many = self.dice.random() < (self.habits["late"] or 0), self.habits["imports"]
            ago += 60 * self.dice.random() * DAY * is_late
            for _ in range(many if many and self.dice.random() < 0.2 else 1):
                self.make(name, ago, **({"_late": True} if is_late else {}))
        elif kind < 0.8:
            row = self.dice.choice(list(self.lists["tickets"].values()) or [{}])
            row |= {"note": f"edit {self._number}", "_changed": now, "_edited": True}
            if self.habits["moves"] and row.get("id") and self.dice.random() < 0.5:
                row["_at"] = now - 60 * self.dice.random() * DAY
            if self.dice.random() < 0.5:
                row["_status"] = self.dice.choice(list(self.lists["statuses"].values()))
            self._number += 1
            self.moved.add(str(row.get("id")))
        elif self.habits["restores"] and self.gone[name] and self.dice.random() < 0.5:
            back = self.gone[name].pop()
            if str(back["id"]) not in rows:
                rows[str(back["id"])] = back
                self.moved.add(str(back["id"]))
        else:
            gone, paid = self.dice.choice(list(rows.values())), self.lists["payments"].values()
            owed = [("payments", row) for row in paid if row["_of"] == (name, gone["id"])]
            for of, row in [(name, gone), *owed]:
                self.gone[of].append(row | {"_changed": now, "_edited": True})
                self.moved.add(str(row["id"]))
                del self.lists[of][str(row["id"])]

    def rename(self) -> None:
        """A status has another label, if this is such a service."""
        if self.habits["statuses"] == "renamed" and self.dice.random() < 0.5:
            self._number += 1
            status = self.dice.choice(list(self.lists["statuses"].values()))
            status["label"] = f"label {self._number}"

    # -- what it answers --------------------------------------------------------------------------

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, Any]:
        """Status and payload."""
        (name, _, rest), habits = path.partition("/"), self.habits
        down, status = habits["down"] or ("", 0)
        if self.is_bad and (path == down or self.requests > (habits["outage"] or 10**9)):
            return (status, []) if status == 200 else (status or 503, {"error": "No database"})
        self.asked[path] += self.is_bad and name in self.lists
        if self.asked[path] > (habits["fades"] or 10**9):
            return 200, []
        if path == habits["refused"]:
            return 403, {"error": "No right to it"}
        if name == habits["absent"]:
            return 404, {"error": "Not found"}
        strict = habits["refuses"] or "nothing"
        if any(re.search(f"{strict}$", key) for key in query):
            return 400, {"error": "No records found"}  # as of a page past the end
        if name not in self.lists or (rest and name == "payments"):
            is_list = path in {endpoint.path.strip("/") for endpoint in ENDPOINTS.values()}
            known = is_list or name in ("info", "customFields")
            return (200, []) if known else (404, {"error": "Not found"})
        rows = list(self.lists[name].values())
        if rest not in ("", "updated"):
            return self._record(name, self.lists[name].get(rest))
        if rest and (habits["updated"] == "missing" or name not in UPDATED):
            return 404, {"error": "Not found"}
        if rest and habits["updated"] == "deleted too":
            rows += self.gone[name]
        if rest and habits["updated"] == "edited":
            rows = [row for row in rows if "_edited" in row]
        if rest and habits["updated"] == "recent":
            rows = [row for row in rows if row["_changed"] > datetime.now(UTC) - 30 * DAY]
        statuses, asked = self.lists["statuses"].values(), query.get("status")
        if asked and not any(asked in (str(one["id"]), one["label"]) for one in statuses):
            return 400, {"error": "No such status"}
        if not rest or habits["updated"] != "ignored":
            rows = [row for row in rows if self._matches(name, row, query, bool(rest))]
        if habits["ghosts"] and not rest:
            rows += [row | {"_is_gone": True} for row in self.gone[name]]
        rows.sort(key=self._order("_changed" if rest else "_at"))
        is_fixed = "newest" if name == habits["sort_of"] else habits["sort"]
        if rest or (is_fixed or query.get("sort")) != "oldest":
            rows.reverse()
        if habits["updated"] == "first page" and rest and query.get("page", "1") != "1":
            rows = []
        twice = habits["twice"] or 0
        for row in [row for row in rows if zlib.crc32(str(row["id"]).encode()) % 100 < 100 * twice]:
            rows.insert(rows.index(row), row)
        return self._page(name, rows, query)

    def _record(self, name: str, found: Row | None) -> tuple[int, Any]:
        """What a record's own path answers."""
        is_so, some = self.habits["detail"], next(iter(self.lists[name].values()), None)
        if is_so == "failing":
            return 500, {"error": "No database"}
        found = some if is_so == "first" else found
        if found is None or is_so == "never":
            status, payload = self.habits["gone"]
            return status, payload
        shown = self._shown(name, found, {})
        shown = {key: shown[key] for key in shown if key[:6] in ("id", "status") or is_so != "less"}
        return 200, [shown] if is_so == "listed" else shown

    def _page(self, name: str, rows: list[Row], query: dict[str, str]) -> tuple[int, Any]:
        size, past, page = self.habits["size"], self.habits["past"], int(query.get("page", 1))
        size = 50 if self.habits["sizes"] and len(name) % 2 else size
        last = max(0, len(rows) - 1) // size * size
        deepest = self.habits["deepest"] or page
        number = min(page, deepest) if past == "last" else page
        by_number = (number - 1) * (size - (self.habits["overlap"] or 0))
        by_number = len(rows) if number > deepest else by_number
        starts = {"": by_number, "ignored": 0, "empty": len(rows), "last": last}
        start = starts[self.habits["page"]] if page > 1 else 0
        if self.habits["offset"] and "offset" in query:
            start, size = int(query["offset"]), min(size, int(query["limit"]))
        if start >= len(rows) and (start or self.habits["none"]):
            if past != "last":
                wrong = {"error": "No records found"}
                return (int(past), wrong) if past.isdigit() else (200, json.loads(past))
            start = last
        some = [row for row in rows[start : start + size] if "_is_gone" not in row]
        shown = [self._shown(name, row, query) for row in some]
        if name == self.habits["shared"]:
            shown += [{**row, "name": "another"} for row in shown if is_shared(str(row["id"]))]
        if self.habits["wrap"] == "wrong totals":
            return 200, {"total": len(shown), "count": 3, "pages": 1, "data": shown}
        if self.habits["wrap"] == "nested":
            return 200, {"data": {"items": shown, "page": page}, "success": True}
        wrap = {"name": name}.get(self.habits["wrap"], self.habits["wrap"])
        return 200, {wrap: shown} if wrap else shown

    def _order(self, field: str) -> Callable[[Row], Any]:
        if self.habits["order"] == "ties":
            return lambda row: (row[field].date(), self.chance.random())
        if self.habits["order"] == "id":
            return lambda row: str(row["id"])
        field = "_changed" if self.habits["order"] == "changed" else field
        hours = 1 if self.habits["order"] == "date" else 50
        return lambda row: (
            row[field] + timedelta(hours=zlib.crc32(str(row["id"]).encode()) % hours),
            str(row["id"]),
        )

    def _matches(self, name: str, row: Row, query: dict[str, str], is_updated: bool) -> bool:
        zone = ZoneInfo(self.habits["filters_in"]) if self.habits["filters_in"] else self.zone
        for key, text in query.items():
            if (side := re.search("(From|To)$", key)) is None:
                continue
            day = datetime.strptime(text, "%d-%b-%Y").date()
            days = [row["_changed" if key.startswith("updated") else "_at"]]
            if key.startswith("payment") and name != "payments":
                paid = self.lists["payments"].values()
                days = [one["_at"] for one in paid if one["_of"] == (name, row["id"])]
            found = [one.astimezone(zone).date() for one in days]
            within = DAY if self.habits["edges"] else timedelta()
            first, last = day + within, day - within
            if not any(one >= first if side[0] == "From" else one <= last for one in found):
                return False
        return name != "tickets" or is_updated or self._is_listed(row["_status"], query)

    def _is_listed(self, status: Row, query: dict[str, str]) -> bool:
        """Whether a ticket is on the list: of the status asked for, else in the pipeline."""
        asked, is_open = query.get("status"), status["_open"]
        is_it = asked in (str(status["id"]), status["label"])
        is_not = query.get("statusCondition") == "NOT-EQUAL"
        if self.habits["closed"] == "never" or (
            self.habits["closed"] == "by their own status" and is_not
        ):
            return is_open and (asked is None or is_it != is_not)
        if asked is None:
            return is_open or self.habits["closed"] == "always"
        return is_it != is_not

    def _shown(self, name: str, row: Row, query: dict[str, str]) -> Row:
        stamp, chance = self.habits["stamp"], zlib.crc32(str(row["id"]).encode()) / 2**32
        zone = UTC if stamp.endswith("Z") or (stamp == "mixed" and chance < 0.5) else self.zone
        form = "%Y-%m-%dT%H:%M:%S%z" if stamp == "mixed" else stamp
        shown = {key: value for key, value in row.items() if key[0] != "_"}
        if chance > (self.habits["undated"] or 0):
            column = "date" if name == "payments" else "created_date"
            shown[column] = row["_at"].astimezone(zone).strftime(form)
        if name == "tickets":
            named = {key: row["_status"][key] for key in ("id", "label")}
            how = self.habits["status"]
            shown |= {f"status_{key}": value for key, value in named.items() if how == "fields"}
            shown |= {"status": named if how == "{}" else named[how]} if how != "fields" else {}
        if name == "payments" and query.get("includeResource"):
            kind, identity = row["_of"]
            shown["invoice" if kind == "ticketInvoices" else "pos"] = {"id": identity}
        return shown

    def reply(self, seen: Seen) -> Reply:
        """One answer as it leaves: now and then something else."""
        ignored = self.habits["ignores"] or "nothing"
        query = {key: value for key, value in seen.query if not re.search(f"{ignored}$", key)}
        with self.lock:
            self.requests += 1
            if not self.calm and self.dice.random() < (self.habits["busy"] or 0):
                self.change()
            status, payload = self.answer(unquote(seen.path[4:]).strip("/"), query)
            if self.habits["limits"] and not self.calm and self.chance.random() < 0.01:
                words = self.chance.choice(["Too many requests", "Unauthorized", ""])
                return Reply(self.chance.choice([401, 429]), words and {"error": words})
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


def is_shared(identity: str) -> bool:
    """Whether another row has the same id."""
    return zlib.crc32(identity.encode()) % 9 == 0


def differences(service: Stranger, mirror: Mirror, shop: ShopSettings) -> list[str]:
    """What a mirror that says it is complete has wrong, of rows that stood still meanwhile."""
    found: list[str] = []
    for name, rows in service.lists.items():
        table = re.sub("([A-Z])", r"_\1", name).lower()
        held = set(mirror.ledger.live_ids(shop.name, table))
        wrong = {"missing": set(rows) - held, "not deleted": held - set(rows)}
        if wrong["not deleted"]:  # one that came to an old day and one that went hide each other
            wrong["missing"] -= {row for row in rows if "_late" in rows[row]}
        for (words, ids), is_so in zip(wrong.items(), is_blind(service.habits, name), strict=True):
            if (ids := ids - service.moved) and not is_so:
                found.append(f"{table}: {len(ids)} of {len(rows)} {words}")
        if name == service.habits["shared"] and any(map(is_shared, rows)):
            found.append(f"{table}: rows share an id")
        for row, content in mirror.ledger.contents(shop.name, table, held & set(rows)).items():
            is_so = all(str(content.get(field)) == str(rows[row].get(field)) for field in SHOWN)
            if not is_so and row not in service.moved and name != service.habits["shared"]:
                found.append(f"{table} {row}: {content} is old")
    log, rows = ChangeLog(mirror.ledger, [shop]), service.lists["tickets"]
    for tables in log.read("tickets", {}, log.end()):
        for row in tables["tickets"].to_pylist() if "tickets" in tables else ():
            now = rows.get(row["id"], row) if row["id"] not in service.moved else row
            if row.get("note") != now.get("note"):
                found.append(f"ticket {row['id']}: {row.get('note')} is old")
    return found


def wrong_nights(habits: dict[str, Any], seed: int, nights: int) -> list[str]:
    """Reads a service for some nights: what was said and was not so."""
    wrong, ticks = list[str](), SystemClock.monotonic
    first = datetime.fromisoformat(habits["day"]).replace(hour=habits["hour"], tzinfo=UTC)
    with time_machine.travel(first - DAY):
        service = Stranger(habits, seed)
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
            service.calm, service.requests = night >= nights - 2, 0
            is_empty = habits["down"] and habits["down"][1] == 200  # unknowable on a first night
            service.is_bad = not service.calm and night == max(seed % 3, bool(is_empty))
            service.moved.clear(), service.asked.clear()
            with (
                patch.object(SystemClock, "monotonic", lambda me, n=night: ticks(me) + 86_400 * n),
                time_machine.travel(first + night * DAY),
                Mirror(Path(folder), [shop]) as mirror,
            ):
                [reading] = mirror.read(ENDPOINTS)
                if not reading.doubts:
                    wrong += [f"night {night}: {it}" for it in differences(service, mirror, shop)]
                if service.requests > most_requests(service.habits, night):
                    wrong.append(f"night {night}: {service.requests} requests")
                for _ in range(CHANGES):
                    service.change(-service.dice.random() * 0.9 * DAY)
                service.rename()
    if reading.doubts and not is_unprovable(service.habits):
        wrong.append(f"incomplete though nothing broke: {reading.doubts}")
    return wrong
