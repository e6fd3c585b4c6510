"""Custom fields that records show and no list names are told, with the setting that helps."""

import shutil

import pytest

from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from tests.app.command_line import point_at
from tests.few_models import build_few

SETTING = "custom_field_categories"
NOW = "2026-10-01T10:00:00-0600"
TICKET = {"short_info": "Screen", "created_date": NOW, "_in_pipeline": True}
RECORDS = [
    ("statuses", {"id": 1, "label": "New", "type": "repair"}),
    ("custom_fields", {"id": 4, "type": "tickets", "name": "Passcode", "label": "Pass code"}),
    ("custom_fields", {"id": 5, "type": "tickets", "name": "Far", "category_id": 7001}),
    ("custom_fields", {"id": 6, "type": "customers", "name": "Card"}),
    ("tickets", TICKET | {"custom_fields": {"passcode": "1", "field_4": "1", "Far": "x"}}),
    ("tickets", TICKET | {"custom_fields": [{"label": "Pass Code", "value": "1"}]}),
    ("customers", {"name": "Ana", "custom_fields": {"card": "7", "Shoe size": "44"}}),
]


@pytest.fixture
def shop(plain_folder, monkeypatch, empty):
    shutil.copytree(empty, plain_folder / "home")
    with SandboxServer([ShopSpec(timezone="UTC", limit=None, records=())]) as server:
        for table, record in RECORDS:
            server.store().insert(table, record)
        point_at(server, monkeypatch, plain_folder / "home")
        yield server


def test_fields_that_no_list_names_are_told_until_their_category_is_named(shop, say, monkeypatch):
    build_few(monkeypatch, "marts.tickets")  # of which doctor asks
    assert say("sync", "tickets")[0] == 0
    assert SETTING not in say("status")[1], "the list that may name them was not read yet"
    code, out = say("sync")
    assert code == 0
    for told in (out, say("status")[1], say("doctor")[1]):
        said = " ".join(told.replace("│", " ").split())
        assert "1 custom field(s) that tickets show and no list names: 'Far' (name their" in said
        assert SETTING in said
        assert "1 custom field(s) that customers show and no list names: 'Shoe size'" in said
        assert "passcode" not in said and "Pass Code" not in said
    monkeypatch.setenv(f"SOURCES__REPAIR_SHOP__{SETTING.upper()}", "7001")
    assert say("sync", "--full")[0] == 0
    told = say("status")[1]
    assert "'Far'" not in told and "'Shoe size'" in told


def test_a_status_that_only_the_settings_name_is_told(shop, say, monkeypatch):
    """A slip of the pen there would count tickets wrong without a word."""
    build_few(monkeypatch, "marts.tickets")
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__OPEN_STATUSES", "NEW, Wating")
    code, out = say("sync")
    assert code == 0
    for told in (out, say("status")[1], say("doctor")[1]):
        said = " ".join(told.replace("│", " ").split())
        assert "1 name(s) in open_statuses that no status of the shop bears: 'Wating'" in said


def test_a_category_that_is_no_number_is_refused_by_name(shop, say, monkeypatch):
    monkeypatch.setenv(f"SOURCES__REPAIR_SHOP__{SETTING.upper()}", "phones")
    code, err = say("sync")
    assert code == 2 and SETTING in err and "17:3" in err
    assert shop.requests() == []
