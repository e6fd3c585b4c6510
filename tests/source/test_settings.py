"""Whose settings count: those of ``sources.repair_shop``, and nobody else's."""

import pytest

from sources.repair_shop import repair_shop
from tests.fakes.loopback import Loopback, Reply

PREFIX = "SOURCES__REPAIR_SHOP__"
ROW = {"id": 1, "name": "Ann", "created_date": "2026-05-01T23:30:00-0600"}


@pytest.fixture
def configured(lists, monkeypatch):
    """The service's address and a short minute, from the environment."""
    monkeypatch.setenv(PREFIX + "BASE_URL", lists.loopback.base_url)
    monkeypatch.setenv(PREFIX + "MINUTE_SECONDS", "0.5")
    monkeypatch.setenv(PREFIX + "REQUESTS_PER_MINUTE", "100000")
    lists.rows["/brands"] = [ROW]
    lists.given = {"ledger_folder": str(lists.folder / "ledger")}
    return lists


def keys_of(lists):
    return {seen.headers["authorization"] for seen in lists.loopback.seen}


BARE = {
    "API_KEY": "another-services-key",
    "BASE_URL": "http://127.0.0.1:1/v1",
    "TIMEZONE": "Mars/Phobos",
    "SHOPS": "many",
    "RESERVE": "low",
    "FULL": "of hope",
    "MAX_REQUESTS": "none",
    "REQUESTS_PER_MINUTE": "few",
    "SOURCES__API_KEY": "another-services-key",
    "SOURCES__TIMEZONE": "Mars/Phobos",
}


def test_bare_names_of_the_environment_are_not_ours(configured, monkeypatch):
    for name, value in BARE.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv(PREFIX + "API_KEY", "our-key")
    configured.run("brands")
    assert keys_of(configured) == {"our-key"}
    assert configured.query("SELECT id FROM raw.brands") == [("1",)]


def test_without_a_key_of_ours_nothing_is_sent(configured, monkeypatch):
    for name, value in BARE.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(Exception, match="api_key is not set"):
        configured.run("brands")
    assert configured.loopback.seen == []


def test_an_argument_counts_more_than_the_environment(configured, monkeypatch):
    monkeypatch.setenv(PREFIX + "API_KEY", "our-key")
    configured.run("brands", api_key="given-key")
    assert keys_of(configured) == {"given-key"}


def test_each_shop_overrides_what_stands_above(configured, monkeypatch):
    monkeypatch.setenv(PREFIX + "SHOPS__NORTH__API_KEY", "north-key")
    monkeypatch.setenv(PREFIX + "SHOPS__SOUTH__API_KEY", "south-key")
    monkeypatch.setenv(PREFIX + "API_KEY", "general-key")
    configured.run("brands")
    assert keys_of(configured) == {"north-key", "south-key"}
    shops = configured.query("SELECT shop_id FROM raw.brands ORDER BY ALL")
    assert shops == [("north",), ("south",)]


def test_a_general_key_serves_no_shop_that_lacks_its_own(configured, monkeypatch):
    monkeypatch.setenv(PREFIX + "API_KEY", "general-key")
    monkeypatch.setenv(PREFIX + "SHOPS__NORTH__API_KEY", "north-key")
    monkeypatch.setenv(PREFIX + "SHOPS__SOUTH__TIMEZONE", "UTC")
    with pytest.raises(Exception, match="'south' has no api_key of its own"):
        configured.run("brands")
    assert configured.loopback.seen == []


def test_two_shops_with_one_key_are_refused(configured, monkeypatch):
    for shop in ("NORTH", "SOUTH"):
        monkeypatch.setenv(f"{PREFIX}SHOPS__{shop}__API_KEY", "one-key")
    monkeypatch.setenv(f"{PREFIX}SHOPS__SOUTH__BASE_URL", "http://localhost:1/v1")
    with pytest.raises(Exception, match="have the same api_key") as refused:
        configured.run("brands")
    assert "one-key" not in str(refused.value)
    assert configured.loopback.seen == []


def test_a_key_from_a_vault_of_dlts_counts(configured):
    import dlt

    with dlt.secrets.values({"sources.repair_shop.api_key": "vault-key"}):
        configured.run("brands")
    assert keys_of(configured) == {"vault-key"}


@pytest.mark.parametrize(("wrong", "meant"), [("base_ulr", "base_url"), ("timezon", "timezone")])
def test_a_mistyped_name_is_told(configured, monkeypatch, wrong, meant):
    monkeypatch.setenv(PREFIX + "API_KEY", "our-key")
    monkeypatch.setenv(PREFIX + wrong.upper(), "UTC")
    with pytest.raises(Exception, match=f"{wrong}: there is no such setting.*'{meant}'"):
        configured.run("brands")
    with pytest.raises(TypeError, match=wrong):
        repair_shop(**{wrong: "UTC"})


def test_settings_of_the_product_around_it_are_passed_over(configured, monkeypatch):
    from pipelines.settings import ShopSettings as OfTheProduct

    monkeypatch.setenv(PREFIX + "API_KEY", "our-key")
    for name in set(OfTheProduct.model_fields) - {"name", *repair_shop_settings()}:
        monkeypatch.setenv(PREFIX + name.upper(), "x")
    assert configured.run("brands") > 0


def repair_shop_settings():
    from sources.repair_shop.settings import ShopSettings

    return ShopSettings.model_fields


def test_one_shop_of_two_that_failed_fails_the_run_after_the_other_is_loaded(lists, tmp_path):
    lists.rows["/brands"] = [ROW]
    with Loopback() as broken:
        broken.otherwise = lambda seen: Reply(401, {"error": "Invalid API key"})
        common = {"timezone": "UTC", "requests_per_minute": 100_000, "minute_seconds": 0.5}
        shops = {
            "norte": {"base_url": broken.base_url, "api_key": "one-key", **common},
            "sur": {"base_url": lists.loopback.base_url, "api_key": "another-key", **common},
        }
        lists.given = {"shops": shops, "ledger_folder": str(tmp_path / "two")}
        with pytest.raises(Exception, match="key"):
            lists.run("brands")
    assert lists.query("SELECT DISTINCT shop_id FROM raw.brands") == [("sur",)]
