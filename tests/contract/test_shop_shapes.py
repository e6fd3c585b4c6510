"""Records have the field notes' shapes, and the same arguments give the same bytes."""

import datetime as dt
import hashlib
import os
import re
import subprocess
import sys
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sandbox.generator import DEFAULT_UNTIL, SCALES, generate
from sandbox.resources import RESOURCES
from tests.contract.shops import build

STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4}")
AMOUNTS = {"amount", "amount_total", "cost", "total", "unit_price"}
FUTURE = {"due_date", "expected_date", "start_date", "end_date"}
DIGEST = """
import hashlib
from sandbox.generator import generate
arguments = dict(seed=5, size="tiny", shop="s", timezone="Europe/Berlin")
print(hashlib.sha256(repr(list(generate(**arguments))).encode()).hexdigest())
"""


def walk(value: Any, path: str = ""):
    yield path, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from walk(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from walk(inner, path)


def test_every_list_of_the_specification_is_there_and_has_rows(tiny):
    assert len(RESOURCES) == 36
    assert tiny.keys() == RESOURCES.keys()
    assert len(tiny["info"]) == 1
    assert {field["type"] for field in tiny["custom_fields"]} == {
        "tickets",
        "customers",
        "leads",
        "products",
    }


def test_a_size_has_about_its_rows(small, tiny):
    for size, shop in (("small", small), ("tiny", tiny)):
        assert 0.85 <= sum(map(len, shop.values())) / SCALES[size].rows <= 1.15


def test_the_same_arguments_give_the_same_bytes_in_another_process():
    records = list(generate(seed=5, size="tiny", shop="s", timezone="Europe/Berlin"))
    here = hashlib.sha256(repr(records).encode()).hexdigest()
    there = subprocess.run(
        [sys.executable, "-c", DIGEST],
        env={**os.environ, "PYTHONHASHSEED": "1", "TZ": "Pacific/Auckland"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.strip() == here


def test_ids_are_unique_within_a_list(small):
    for resource, records in small.items():
        ids = [str(record["id"]) for record in records]
        assert len(set(ids)) == len(ids), resource


def test_every_value_has_the_shape_that_its_name_promises(small):
    """Names, amounts and moments, the shop's own and before its last day."""
    zone = ZoneInfo("America/New_York")
    end = dt.datetime.combine(DEFAULT_UNTIL, dt.time(), zone)
    for record in (one for records in small.values() for one in records):
        assert STAMP.fullmatch(record["_updated"])
        assert record["_updated"] >= record.get("created_date", "")[:10]
        for path, value in walk(record):
            name = path.rpartition(".")[2]
            assert not isinstance(value, float), path
            if isinstance(value, dict) and not path.startswith(".custom_fields"):
                assert all(re.fullmatch(r"_?[a-z][a-z0-9_]*", key) for key in value)
                assert not path or not any(key.startswith("_") for key in value)
            elif isinstance(value, str) and STAMP.fullmatch(value):
                moment = dt.datetime.fromisoformat(value)
                assert moment.utcoffset() == moment.astimezone(zone).utcoffset()
                assert moment < end or name in FUTURE, path
            elif name.endswith(("_date", "_updated")):
                assert value in {None, ""}, path
            elif name in AMOUNTS or isinstance(value, Decimal):
                assert value.as_tuple().exponent == -2, path


def test_references_lead_somewhere(small):
    known = {name: {str(record["id"]) for record in records} for name, records in small.items()}
    plural = "customer ticket brand model_group supplier issue_type product"
    targets = {name: f"{name}s" for name in plural.split()}
    targets |= {"technician": "users", "user": "users", "status": "statuses"}
    targets |= {"warranty": "warranties"}
    for records in small.values():
        for record in records:
            for key, target in targets.items():
                value = record.get(key)
                if isinstance(value, dict):
                    assert str(value["id"]) in known[target]
    categories = {"products": "categories", "presets": "preset_categories"}
    for resource, target in {**categories, "expenses": "expense_categories"}.items():
        assert {str(r["category"]["id"]) for r in small[resource]} <= known[target]
    codes = {product["code"] for product in small["products"]}
    for resource in ("tickets", "ticket_invoices", "pos_orders", "purchase_orders", "presets"):
        lines = [line for record in small[resource] for line in record["lines"]]
        assert {line["product_code"] for line in lines} <= codes


def test_until_moves_the_last_day():
    until = dt.date(2024, 3, 1)
    tickets = build(size="tiny", until=until)["tickets"]
    days = [dt.datetime.fromisoformat(ticket["created_date"]).date() for ticket in tickets]
    assert max(days) < until
    assert min(days) >= until - dt.timedelta(days=SCALES["tiny"].days)


def test_an_unknown_zone_or_size_is_refused():
    with pytest.raises(KeyError):
        next(generate(seed=1, size="tiny", shop="a", timezone="Mars/Olympus"))
    with pytest.raises(KeyError):
        next(generate(seed=1, size="huge", shop="a", timezone="UTC"))  # type: ignore[arg-type] # wrong on purpose
