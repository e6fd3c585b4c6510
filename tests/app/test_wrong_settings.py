"""Settings that are wrong, of every section: told by name, and without a secret."""

import pytest

from pipelines.dashboard.access import DashboardSettings
from pipelines.language.display import DisplaySettings
from pipelines.monitor.notify import NotifySettings
from pipelines.settings import SECTIONS, SettingsError, load_settings
from schedules.settings import ScheduleSettings
from shopmirror.commands.config import sections
from shopmirror.main import main
from tests.app.command_line import PREFIX
from tests.app.command_line import home_of_its_own as home_of_its_own

pytestmark = pytest.mark.core

LOADED_BY = {
    "DASHBOARD": DashboardSettings.load,
    "DISPLAY": lambda: DisplaySettings.load().to_language(),
    "NOTIFY": NotifySettings.load,
    "SCHEDULE": ScheduleSettings.load,
    "SOURCES": load_settings,
}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("DASHBOARD__PASSWORD", "hush", "at least 8"),
        ("DASHBOARD__PORT", "70000", "port"),
        ("DASHBOARD__PUBLIC_URL", "desk.example", "public_url: must look like"),
        ("DASHBOARD__COLOUR", "red", "colour"),
        ("DISPLAY__LANGUAGE", "Spanish!", "language: must look like es"),
        ("DISPLAY__LANGUAGE", "zz", "nobody knows 'zz'; write en, es, or"),
        ("DISPLAY__LANGUAGE", "fr", "en, es come along"),
        ("DISPLAY__NUMBER_FORMAT", "1,234.50", "number_format"),
        ("DISPLAY__CATALOGUE", "nowhere.po", "no catalogue nowhere.po"),
        ("DISPLAY__COLOUR", "red", "colour"),
        ("NOTIFY__MAIL_TO", "owner@example.org", "smtp_host"),
        ("NOTIFY__WEBHOOK_URL", "ftp://x/hush-hush", "https"),
        ("NOTIFY__SMTP_SECURITY", "some", "smtp_security"),
        ("NOTIFY__MAIL_FROM", "a@b.c\r\nBcc: d@e.f", "header"),
        ("SCHEDULE__SYNC_AT", "25:00", "22:30"),
        ("SCHEDULE__SYNC_AT", "half past ten", "22:30"),
        ("SCHEDULE__SYNC_AT", "after sync", "22:30"),
        ("SCHEDULE__REPORT_AT", "at noon", "22:30 (or 'after sync' or 'off')"),
        ("SCHEDULE__AUDIT_ON", "someday", "mon"),
        ("SCHEDULE__TIMEZONE", "Mars/Olympus", "zone"),
        ("SCHEDULE__PUSH_EVERY_MINUTES", "-1", "push_every_minutes"),
        ("SCHEDULE__SYNC_AD", "22:30", "sync_ad"),
        (PREFIX + "TIMEZONE", "Mars/Phobos", "time zone"),
        (PREFIX + "BASE_URL", "not an address", "https://host/v1"),
        (PREFIX + "REQUESTS_PER_MINUTE", "many", "requests_per_minute"),
        (PREFIX + "OPENING_HOURS", "9-18", "09:00-18:00"),
        (PREFIX + "OPENING_HOURS", "18:00-02:00", "must end on the day it begins"),
        (PREFIX + "CLOSED_WEEKDAYS", "domingo", "mon, tue"),
        (PREFIX + "CLOSED_DAYS", "25-Dec-2026", "2026-12-25"),
        (PREFIX + "MINUTE_SECONDS", "2", "only a sandbox has a shorter minute"),
        (PREFIX + "TIMEZON", "UTC", "timezon: there is no such setting. Did you mean 'timezone'?"),
    ],
)
def test_it_is_named_without_a_secret(monkeypatch, name, value, said):
    is_real = name.endswith("MINUTE_SECONDS")
    here = "https://desk.example/v1" if is_real else "http://127.0.0.1:9/v1"
    monkeypatch.setenv(PREFIX + "BASE_URL", here)
    monkeypatch.setenv(PREFIX + "API_KEY", "hush-hush-hush")
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as wrong:
        LOADED_BY[name.partition("__")[0]]()
    assert said in str(wrong.value)
    assert "hush" not in str(wrong.value)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (
            PREFIX + "API_KEY",
            "llave-\u00f1",
            "api_key is empty or holds characters that no key has",
        ),
        ("DASHBOARD__PASSWORD", "short", "password must have at least 8 letters"),
    ],
)
def test_what_is_wrong_with_a_secret_is_not_masked_with_it(monkeypatch, capsys, name, value, said):
    monkeypatch.setenv(PREFIX + "BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv(PREFIX + "API_KEY", "hush-hush-hush")
    monkeypatch.setenv(name, value)
    assert main(["plan" if name.endswith("KEY") else "dashboard"]) == 2
    err = capsys.readouterr().err
    assert said in err and value not in err


@pytest.mark.parametrize("name", ["config.toml", "secrets.toml", None])
def test_the_file_or_variable_that_holds_it_is_named(tmp_path, monkeypatch, name):
    if name is None:
        monkeypatch.setenv("SCHEDULE__SYNC_AT", "25:00")
    else:
        (tmp_path / ".dlt").mkdir()
        (tmp_path / ".dlt" / name).write_text('[schedule]\nsync_at = "25:00"\n')
    with pytest.raises(SettingsError) as wrong:
        ScheduleSettings.load()
    place = f".dlt/{name}" if name else "SCHEDULE__SYNC_AT"
    assert str(wrong.value) == (
        "Settings under [schedule] are wrong: sync_at: must look like 22:30 (or 'off'). "
        f"sync_at stands in {place}."
    )


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ("notfy", ".dlt/config.toml: nothing reads [notfy]. Did you mean [notify]?"),
        ("retension", "Did you mean [retention]?"),
        ("sources.repair_shop.shop.norte", "stands under [sources.repair_shop.shops.<shop>]"),
    ],
)
def test_a_misspelt_section_is_named(tmp_path, section, said):
    (tmp_path / ".dlt").mkdir()
    text = (
        f'[sources.repair_shop]\nbase_url = "http://127.0.0.1:9/v1"\n[{section}]\ncurrency = "GTQ"'
    )
    (tmp_path / ".dlt" / "config.toml").write_text(text)
    with pytest.raises(SettingsError) as wrong:
        load_settings()
    assert said in str(wrong.value)


def test_sections_of_dlt_itself_are_left_alone(tmp_path, monkeypatch):
    monkeypatch.setenv(PREFIX + "BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv(PREFIX + "API_KEY", "hush-hush-hush")
    names = ("runtime", "extract", "normalize", "load", "data_writer", "pipeline", "schema")
    (tmp_path / ".dlt").mkdir()
    text = "".join(f'[{name}]\nx = "y"\n' for name in names)
    (tmp_path / ".dlt" / "config.toml").write_text(text)
    assert load_settings().shops[0].name == "main"
    assert {*sections(), "sources", "destination"} == set(SECTIONS)
