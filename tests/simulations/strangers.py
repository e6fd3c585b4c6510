"""Services that are not the sandbox, read night by night and held against what they have.

:func:`habits` draws a service, written from the specification and the field notes alone: how it
pages, sorts, filters, wraps, refuses and ends its lists, and what breaks on its way (bodies cut
off, empty, in another shape, refusals, failures). Most have an odd habit or some besides (``ODD``).

A reading may be incomplete, but not say that it is complete with rows missing, too many or old; the
last night, on which nothing breaks, must be complete, but of services that :func:`is_unprovable`
names; and no night may ask more than :func:`most_requests`. Scans run side by side, so what a
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
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch
from zoneinfo import ZoneInfo

import time_machine
from hypothesis import strategies as st
from pydantic import SecretStr

from pipelines.settings import ShopSettings
from sources.repair_shop.budget.clock import SystemClock
from sources.repair_shop.change_log import ChangeLog
from sources.repair_shop.mirror import Mirror
from sources.repair_shop.schema.endpoints import ENDPOINTS
from tests.fakes.loopback import Loopback, Reply, Seen

Row = dict[str, Any]
ROWS = {"customers": 130, "tickets": 170, "ticketInvoices": 120, "posOrders": 60, "products": 110}
ROWS |= {"purchaseOrders": 55, "ticketComments": 80, "appointments": 60, "stock": 51, "leads": 30}
ROWS |= {"users": 5, "timeClock": 49, "brands": 4}
"""Lists and their usual lengths; payments come with the documents, all other lists are empty."""
UUIDS = ("customers", "tickets", "ticketInvoices", "posOrders", "purchaseOrders", "leads")
UPDATED = ("tickets", "products", "appointments")
STATUSES = ("New", "En proceso", "Completado", "Facturado")
ZONES = ("America/Guatemala", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe")
FIRST_NIGHT = datetime(2026, 11, 23, 9, tzinfo=UTC)
DAY, CHANGES = timedelta(days=1), 15
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
USUAL: dict[str, tuple[Any, ...]] = {
    "size": (50, 50, 50, 20, 100),
    "offset": (True, True, True, False, False),
    "order": ("date", "date", "loose"),
    "past": ("[]", "[]", "null", "{}", "404", "400", "last", '{"data": null}'),
    "wrap": ("", "data", "name"),
    "stamp": ("%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S", "%d-%b-%Y %H:%M:%S"),
    "text_ids": (True, False, False),
    "closed": ("by status", "by status", "always"),
    "updated": ("ok", "ok", "missing", "ignored"),
    "gone": ((404, {"error": "Not found"}), (400, {"error": "No id"}), (200, [])),
    "zone": ZONES,
    "filters_in": ("", "", "UTC"),
    "faults": (0, 0, 0.01, 0.03, 0.1),
}
"""How a service may answer. ``closed``: when it lists tickets outside the pipeline."""
ODD: dict[str, tuple[Any, ...]] = {
    "size": (7, 15, 20, 25, 30, 100),
    "page": ("ignored", "empty", "last"),  # what comes for a page above 1
    "sort": ("newest", "oldest"),  # the order, whatever is asked
    "order": ("ties",),  # rows of a day come in another order with each answer
    "ignores": ("statusCondition", "status", "Date(From|To)"),
    "closed": ("by their own status", "never"),
    "updated": ("edited", "recent", "deleted too"),
    "late": (0.3,),  # of new rows, that bear an old date
    "busy": (0.02,),  # changes at each request, while it is read
    "imports": (60,),  # rows that now and then come at once
    "shared": ("customers", "payments"),  # some of its rows have one id, and differ
    "refused": ("customers", "tickets", "stock", "users", "groups"),
    "wrap": ("wrong totals",),
}
"""Habits that no service is known for, or that contradict the specification."""


def habits() -> st.SearchStrategy[dict[str, Any]]:
    """A service's habits: of each usual one, and of up to three odd ones."""
    usual = st.fixed_dictionaries({name: st.sampled_from(all_) for name, all_ in USUAL.items()})
    names = st.lists(st.sampled_from(sorted(ODD)), max_size=3, unique=True)
    odd = names.flatmap(
        lambda names: st.fixed_dictionaries({name: st.sampled_from(ODD[name]) for name in names})
    )
    none_odd = dict.fromkeys(ODD, "")
    return st.builds(lambda usual, odd: none_odd | usual | odd, usual, odd)


def is_unprovable(habits: Mapping[str, Any]) -> bool:
    """Whether what a service shows cannot tell that it shows all, or not in a night: a row that
    went from days in another order each time is looked for again by the next run."""
    offsets = habits["offset"] and habits["size"] == 50 and not habits["sort"]
    repeats = habits["past"] == "last" and not habits["offset"]  # a full page: is it all?
    withheld = habits["refused"], habits["shared"], is_blind(habits, "tickets")[0]
    is_mixed = habits["order"] == "ties"
    return any((habits["page"] and not offsets, repeats, is_mixed, *withheld))


def is_blind(habits: Mapping[str, Any], name: str) -> tuple[bool, bool]:
    """Whether some rows are shown nowhere; and deleted ones missed late, as rows of old days came
    on the same night, or as only the weekly reading shows it."""
    if name != "tickets":
        one = habits["page"] and habits["sort"] and not habits["offset"] and habits["size"] < 50
        return bool(one), bool(one or habits["late"])
    tells_changes = habits["updated"] in ("ok", "ignored")
    is_shut = habits["closed"] == "never" or habits["ignores"] == "status"
    hides = is_shut or habits["ignores"] == "statusCondition" or habits["closed"] in ODD["closed"]
    return not tells_changes and is_shut, bool(habits["late"]) or (not tells_changes and hides)


def most_requests(habits: Mapping[str, Any], night: int) -> int:
    """What a night may ask, at most: little of a service that is usual in all respects."""
    odd = [habits[name] for name in ODD if habits[name] not in USUAL.get(name, ("",))]
    if habits["size"] == 50 and habits["updated"] == "ok" and not (odd or habits["faults"]):
        return 110 if night else 190
    return 600


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
        for label in STATUSES:
            self.add("statuses", label=label, type="repair")
        for name, rows in ROWS.items():
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
        self.moved.add(str(identity))
        return row

    def make(self, name: str, ago: timedelta = timedelta()) -> None:
        """A new row with what belongs to one of its list."""
        row = self.add(name, ago, name=f"{name} {self._number}")
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
                self.make(name, ago)
        elif kind < 0.8:
            row = self.dice.choice(list(self.lists["tickets"].values()) or [{}])
            row |= {"note": f"edit {self._number}", "_changed": now, "_edited": True}
            if self.dice.random() < 0.5:
                row["_status"] = self.dice.choice(list(self.lists["statuses"].values()))
            self._number += 1
            self.moved.add(str(row.get("id")))
        else:
            gone, paid = self.dice.choice(list(rows.values())), self.lists["payments"].values()
            owed = [("payments", row) for row in paid if row["_of"] == (name, gone["id"])]
            for of, row in [(name, gone), *owed]:
                self.gone[of].append(row | {"_changed": now, "_edited": True})
                self.moved.add(str(row["id"]))
                del self.lists[of][str(row["id"])]

    # -- what it answers --------------------------------------------------------------------------

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, Any]:
        """Status and payload."""
        (name, _, rest), habits = path.partition("/"), self.habits
        if path == habits["refused"]:
            return 403, {"error": "No right to it"}
        if name not in self.lists or (rest and name == "payments"):
            is_list = path in {endpoint.path.strip("/") for endpoint in ENDPOINTS.values()}
            known = is_list or name in ("info", "customFields")
            return (200, []) if known else (404, {"error": "Not found"})
        rows = list(self.lists[name].values())
        if rest not in ("", "updated"):
            found = self.lists[name].get(rest)
            return (200, self._shown(name, found, {})) if found else habits["gone"]
        if rest and (habits["updated"] == "missing" or name not in UPDATED):
            return 404, {"error": "Not found"}
        if rest and habits["updated"] == "deleted too":
            rows += self.gone[name]
        if rest and habits["updated"] == "edited":
            rows = [row for row in rows if "_edited" in row]
        if rest and habits["updated"] == "recent":
            rows = [row for row in rows if row["_changed"] > datetime.now(UTC) - 30 * DAY]
        if not rest or habits["updated"] != "ignored":
            rows = [row for row in rows if self._matches(name, row, query, bool(rest))]
        rows.sort(key=self._order("_changed" if rest else "_at"))
        if rest or (habits["sort"] or query.get("sort")) != "oldest":
            rows.reverse()
        return self._page(name, rows, query)

    def _page(self, name: str, rows: list[Row], query: dict[str, str]) -> tuple[int, Any]:
        size, past, page = self.habits["size"], self.habits["past"], int(query.get("page", 1))
        last = max(0, len(rows) - 1) // size * size
        starts = {"": (page - 1) * size, "ignored": 0, "empty": len(rows), "last": last}
        start = starts[self.habits["page"]] if page > 1 else 0
        if self.habits["offset"] and "offset" in query:
            start, size = int(query["offset"]), min(size, int(query["limit"]))
        if start >= len(rows) and start:
            if past != "last":
                wrong = {"error": "No records found"}
                return (int(past), wrong) if past.isdigit() else (200, json.loads(past))
            start = last
        shown = [self._shown(name, row, query) for row in rows[start : start + size]]
        if name == self.habits["shared"]:
            shown += [{**row, "name": "another"} for row in shown if is_shared(str(row["id"]))]
        if self.habits["wrap"] == "wrong totals":
            return 200, {"total": len(shown), "count": 3, "pages": 1, "data": shown}
        wrap = {"name": name}.get(self.habits["wrap"], self.habits["wrap"])
        return 200, {wrap: shown} if wrap else shown

    def _order(self, field: str) -> Callable[[Row], Any]:
        if self.habits["order"] == "ties":
            return lambda row: (row[field].date(), self.chance.random())
        hours = 1 if self.habits["order"] == "date" else 50
        return lambda row: (
            row[field] + timedelta(hours=zlib.crc32(str(row["id"]).encode()) % hours),
            str(row["id"]),
        )

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
        asked, is_open = query.get("status"), status["label"] in STATUSES[:2]
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
        ignored = self.habits["ignores"] or "nothing"
        query = {key: value for key, value in seen.query if not re.search(f"{ignored}$", key)}
        with self.lock:
            self.requests += 1
            if not self.calm and self.dice.random() < (self.habits["busy"] or 0):
                self.change()
            status, payload = self.answer(seen.path[4:].strip("/"), query)
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
        for (words, ids), is_so in zip(wrong.items(), is_blind(service.habits, name), strict=True):
            if (ids := ids - service.moved) and not is_so:
                found.append(f"{table}: {len(ids)} of {len(rows)} {words}")
        if name == service.habits["shared"] and any(map(is_shared, rows)):
            found.append(f"{table}: rows share an id")
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
    with time_machine.travel(FIRST_NIGHT - DAY):
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
            service.moved.clear()
            with (
                patch.object(SystemClock, "monotonic", lambda me, n=night: ticks(me) + 86_400 * n),
                time_machine.travel(FIRST_NIGHT + night * DAY),
                Mirror(Path(folder), [shop]) as mirror,
            ):
                [reading] = mirror.read(ENDPOINTS)
                if not reading.doubts:
                    wrong += [f"night {night}: {it}" for it in differences(service, mirror, shop)]
                if service.requests > most_requests(service.habits, night):
                    wrong.append(f"night {night}: {service.requests} requests")
                for _ in range(CHANGES):
                    service.change(-service.dice.random() * 0.9 * DAY)
    if reading.doubts and not is_unprovable(service.habits):
        wrong.append(f"incomplete though nothing broke: {reading.doubts}")
    return wrong
