"""Pages with something odd in most rows: none may stop, nor spoil the healed page after it.

Rows of a shop's pages are changed (any JSON value at any place; odd, endless, doubled and clashing
keys; depth, size, NUL, escapes, huge numbers). Each changed page goes through the ledger and into
tables of DuckDB, and then the healed one. Whole nights of odd records over HTTP are part of
``bench/soak.py`` and ``tests/stranger``.
"""

import json
import random
import tempfile
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb

from bench.pages import bodies
from sandbox.quirks import Quirks
from sources.repair_shop.http.answers import read_answer, rows_of
from sources.repair_shop.ledger import Ledger, Row
from sources.repair_shop.scan.reader import day_of, digest
from sources.repair_shop.schema.arrow import tables_of
from sources.repair_shop.schema.clean import made_up_id, row_id
from sources.repair_shop.schema.endpoints import ENDPOINTS

UTC_ZONE = ZoneInfo("UTC")
SHARE = 0.6
"""Rows of an answer that are changed."""
KEYS_A_NIGHT = 8
"""Few odd keys at a time: all of them in all lists would make thousands of tables."""

_TEXTS = (
    *("", " ", "(" + " " * 800, "1" * 400, "null", "NaN", "-", "Q1,234.50", "1.2.3", "1e999999"),
    *("0000-00-00", "31-Feb-2026", "2026-13-45T99:99:99Z", "0001-01-01T00:00:00+00:00", "' OR 1=1"),
    *("=1+1", "\x1b[31m", "\u202e", "\ufeff", "\ud83d\ude00", "x" * 100_000, "../..", "{}", "[]"),
    *("9999-12-31T23:59:59-12:00", "٣٤٥", "İstanbul", 'a\nb\tc\\d"e', "\x7f", "\u2028"),
)
_NUMBERS = (
    *("0", "-0", "-0.0", "1e9999999", "1e-9999999", "1e99999999999999999999", "9" * 5000, "0.1"),
    *("1700000000.5", "1700000000", "1700000000000", "123456789012345678901234567890.12345"),
    *("-1E+400", "99999999999999999999999.99995", "1.00000000000000000000000000000001", "1E5"),
)
_KEYS = (
    *("", " ", "颜色", "型号", "हिन्दी", "Größe", "engine", "_dlt_id", "_seq", "_unreadable", "id "),
    *("shop_id", "parent_id", "__", "a__b", "a.b", "2nd", "x" * 5000, "1" * 5000, "select", '"'),
    *("_dlt_load_id", "value", "ID", "Id", "lines", "items", "payments", "customer", "status"),
    *("customer_id", "createdDate", "created_date", "date", "total", "amount", "🔧", "\u0000k"),
    *("error", "data", "0", "_deleted_at", "_seen_at", "payments__amount", "v_text", "NAME"),
)


class Chance(random.Random):
    """What decides about one row, and the odd keys it may choose from."""

    keys: tuple[str, ...] = _KEYS


class Mutator:
    """Changes rows; the same row in the same way for a whole night."""

    def __init__(self, seed: int) -> None:
        self.seed, self.night = seed, 0
        self.changed: set[tuple[int, str, str]] = set()

    def answer(self, path: str, body: bytes) -> bytes:
        """An answer as the night gives it."""
        payload = json.loads(body, parse_float=Decimal)
        if not isinstance(payload, list) or not all(isinstance(row, dict) for row in payload):
            return body
        return f"[{','.join(self._row(path, row) for row in payload)}]".encode(
            "utf-8", "surrogatepass"
        )

    def _keys(self) -> tuple[str, ...]:
        """The odd keys of a night."""
        of_night = random.Random(f"{self.seed} {self.night}")
        made = "".join(chr(of_night.choice((65, 95, 233, 0x4E00, 0x1F600)) + of_night.randrange(20))
                       for _ in range(3))  # fmt: skip
        return (*of_night.sample(_KEYS, KEYS_A_NIGHT), made)

    def _row(self, path: str, row: dict[str, Any]) -> str:
        chance = Chance(f"{self.seed} {self.night} {path} {row.get('id')}")
        chance.keys = self._keys()
        if chance.random() >= SHARE:
            return dumps(row)
        self.changed.add((self.night, path, str(row.get("id"))))
        return changed(row, chance, keep_id=chance.random() < 0.9)


def changed(value: Any, chance: Chance, *, keep_id: bool = False) -> str:
    """JSON of a value with one thing about it changed, here or below."""
    if isinstance(value, dict):
        return _changed_object(value, chance, keep_id)
    if isinstance(value, list) and value:
        items = [dumps(item) for item in value]
        place = chance.randrange(len(value))
        if chance.random() < 0.3:
            items.insert(place, odd(chance))
        else:
            items[place] = changed(value[place], chance)
        return f"[{','.join(items)}]"
    return odd(chance)


def _changed_object(value: dict[str, Any], chance: Chance, keep_id: bool) -> str:
    fields = [(text_of(key, chance), dumps(item)) for key, item in value.items()]
    open_to = [n for n, key in enumerate(value) if not (keep_id and key == "id")]
    if not open_to or chance.random() < 0.25:
        fields.insert(chance.randrange(len(fields) + 1), (odd_key(chance), odd(chance)))
        if keep_id:  # an odd key may be "id"
            fields = [f for f in fields if json.loads(f[0]) != "id"] + [
                ('"id"', dumps(value[key])) for key in value if key == "id"
            ]
        return _object(fields)
    place = chance.choice(open_to)
    key, item = list(value.items())[place]
    way = chance.randrange(6)
    if way == 0:
        fields[place] = (fields[place][0], odd(chance))
    elif way == 1:
        fields[place] = (fields[place][0], changed(item, chance))
    elif way == 2:
        fields.append((fields[place][0], odd(chance)))
    elif way == 3:
        clash = chance.choice(
            (key.upper(), key.title(), key.replace("_", ""), f"{key}_", f"_{key}")
        )
        if keep_id and clash == "id":
            clash = "Id"
        fields.insert(chance.randrange(len(fields) + 1), (dumps(clash), odd(chance)))
    elif way == 4:
        del fields[place]
    else:
        fields[place] = (odd_key(chance) if not keep_id else dumps("k" + key), fields[place][1])
    return _object(fields)


def _object(fields: list[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{key}:{item}" for key, item in fields) + "}"


def odd_key(chance: Chance) -> str:
    """JSON of a key that nobody expects."""
    return dumps(chance.choice(chance.keys))


def odd(chance: Chance, levels: int = 3) -> str:
    """JSON of any value."""
    way = chance.randrange(14 if levels else 8)
    if way < 3:
        return dumps(chance.choice(_TEXTS))
    if way < 5:
        return chance.choice(_NUMBERS)
    if way == 5:
        return chance.choice(("null", "true", "false", "{}", "[]", "[{}]", "[[]]", '[""]'))
    if way == 6:
        return chance.choice(('"\\ud83d"', '"\\u0000"', '["\\udc00"]', '"\\ud83d\\ude00"', '"\\/"'))
    if way == 7:
        return dumps("".join(chr(chance.randrange(1, 0xD7FF)) for _ in range(chance.randrange(9))))
    if way == 8:
        depth = chance.choice((3, 40, 300))
        return '{"a":[' * (depth // 2) + odd(chance, 0) + "]}" * (depth // 2)
    if way == 9 and chance.random() < 0.2:
        return _object([(dumps(f"w{n}"), str(n)) for n in range(chance.choice((20, 300)))])
    if way < 12:
        keys = [odd_key(chance) for _ in range(chance.randrange(1, 5))]
        return _object([(key, odd(chance, levels - 1)) for key in keys])
    return f"[{','.join(odd(chance, levels - 1) for _ in range(chance.randrange(1, 4)))}]"


def text_of(key: str, chance: Chance) -> str:
    """JSON of a key, now and then with an escape that means the same."""
    if key and chance.random() < 0.02:
        return f'"\\u{ord(key[0]):04x}{dumps(key[1:])[1:]}'
    return dumps(key)


def dumps(value: Any) -> str:
    """JSON with decimals as numbers."""
    if isinstance(value, dict):
        return _object([(json.dumps(key), dumps(item)) for key, item in value.items()])
    if isinstance(value, list):
        return f"[{','.join(map(dumps, value))}]"
    return str(value) if isinstance(value, Decimal) else json.dumps(value)


def direct(wanted: int, seed: int) -> int:
    """Change ``wanted`` rows of pages, without a service; the number of faults, each printed."""
    faults, mutator = 0, Mutator(seed)
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as database:
        while len(mutator.changed) < wanted:
            mutator.night += 1
            ledger = Ledger(Path(folder) / f"{mutator.night}.sqlite")
            for number, (table, body) in enumerate(bodies(Quirks(), 2 * wanted, "tiny")):
                try:
                    mutated = mutator.answer(f"{table}/{number}", body)
                    _keep_and_load(ledger, database, table, f"odd:{number}", mutated)
                    _keep_and_load(ledger, database, table, f"healed:{number}", body)
                except Exception as error:  # noqa: BLE001 - each is a fault, and told
                    faults += 1
                    print(f"seed {seed}, night {mutator.night}, page {number}: {error!r}"[:1000])
                if len(mutator.changed) >= wanted:
                    break
            ledger.close()
    print(f"{len(mutator.changed)} rows changed")
    return faults


def _keep_and_load(
    ledger: Ledger, database: duckdb.DuckDBPyConnection, table: str, key: str, body: bytes
) -> None:
    """A page as a scan keeps it and a load takes it, one page at a time."""
    endpoint = ENDPOINTS[table]
    reading = read_answer(200, {}, body)
    if reading.kind != "ok":
        raise ValueError(f"{reading.kind}: {reading.expected}")
    rows = rows_of(reading.payload, endpoint.path)
    scan = ledger.open_scan(1, "main", table, "full", {})
    known = [
        Row(row_id(row, table) or made_up_id(row), day_of(row, endpoint, UTC_ZONE), digest(row))
        for row in rows
    ]
    ledger.put(scan, key, f"{endpoint.path}?page=1", body, known, datetime.now(UTC))
    pages = ledger.stored_pages(ledger.waiting(500, ("main",))[0])
    for name, found in tables_of(pages, {"main": UTC_ZONE}).items():
        if name == table and found.num_rows != len({row.id for row in known}):
            raise ValueError(f"{found.num_rows} rows of {len(known)}")
        database.register("found", found)
        database.execute("CREATE OR REPLACE TABLE kept AS SELECT * FROM found")
    ledger.mark_loaded(ledger.last_seq(), ("main",))
