"""What a newcomer meets: plans that fit a screen, settings that explain themselves, mends."""

import json
import re

import pytest
from typer.main import get_command

from pipelines.masking import is_secret
from pipelines.monitor.severity import Kind, Problem
from pipelines.settings import Settings, ShopSettings
from shopmirror.commands.config import sections
from shopmirror.completion import resources, shops
from shopmirror.consoles import moment
from shopmirror.main import app
from tests.app.command_line import PREFIX
from tests.app.command_line import home_of_its_own as home_of_its_own
from tests.app.receivers import MailServer, served
from tests.app.test_guides import check_command
from tests.homes import shop_of


def test_a_first_plan_fits_a_screen(run, shop, monkeypatch):
    monkeypatch.setattr("shopmirror.consoles._WIDTH_OF_A_FILE", 80)
    code, out, _ = run("plan")
    lines = out.splitlines()
    assert code == 0 and "at least" in out
    assert len(lines) < 40 and max(map(len, lines)) <= 80
    assert "custom_fields:leads" in out
    assert len(run("plan", "--lists")[1].splitlines()) > 40
    code, out, _ = run("plan", "tickets", "customFields")
    assert code == 0 and "at least" in out and "custom_fields:leads" in out


def test_config_show_says_what_counts_and_where_it_was_said(run, shop, tmp_path, monkeypatch):
    folder = tmp_path / ".dlt"
    folder.mkdir()
    (folder / "config.toml").write_text(
        '[sources.repair_shop]\ntimezone = "UTC"\ncurrency = "GTQ"\n'
        '[sources.repair_shop.shops.norte]\ncurrency = "USD"\n[shedule]\nsync_at = "23:00"\n'
    )
    (folder / "secrets.toml").write_text(
        '[mail]\nsmtp_password = "hush-hush"\nwebhook_url = "https://x.example/hush-hush"\n'
        '[notify]\nkey_of_mine = "hush-hush"\n[destination.x.credentials]\npassword = "hush-hush"\n'
    )
    (folder / "secrets.toml").chmod(0o600)
    code, out, err = run("config", "show", "--json")
    assert code == 2
    told = {
        (e["section"], e["name"]): (e["value"], e["source"]) for e in json.loads(out)["settings"]
    }
    mine = "sources.repair_shop"
    assert told[mine, "timezone"] == ("America/Guatemala", "the environment")
    assert told[mine, "currency"] == ("GTQ", ".dlt/config.toml")
    assert told[f"{mine}.shops.norte", "currency"][0] == "USD"
    assert told[mine, "api_key"] == ("***", "the environment")
    assert told["mail", "smtp_password"] == ("***", ".dlt/secrets.toml")
    assert (mine, "reserve") not in told
    assert ".dlt/config.toml: nothing reads [shedule]. Did you mean [schedule]?" in err
    assert err.count("nothing reads") == 1
    text = (folder / "config.toml").read_text()
    (folder / "config.toml").write_text(text.replace("shedule", "schedule"))
    code, out, err = run("config", "show", "--json")
    assert code == 2 and "Settings under [notify] are wrong: key_of_mine: there is no" in err
    every = run("config", "show", "--all")[1]
    assert "requests_per_minute" in every and "push_every_minutes" in every
    for text in (out, err, every):
        assert "hush" not in text and shop.keys["main"] not in text
    (folder / "secrets.toml").unlink()
    assert run("config", "show")[0] == 0
    monkeypatch.setenv(PREFIX + "RESERVE", "many")
    code, out, err = run("config", "show")
    assert code == 2 and "many" in out and "reserve:" in err


def test_every_secret_setting_is_known_by_its_name():
    """By that name `config show`, logs and messages hide it."""
    kinds = [ShopSettings, *sections().values()]
    secret = {
        name
        for kind in kinds
        for name, field in kind.model_fields.items()
        if "Secret" in str(field.annotation)
    }
    assert {"api_key", "chat", "heartbeat_url", "staff_password"} <= secret
    assert not [name for name in secret if not is_secret(name)]


@pytest.mark.parametrize(
    ("name", "said"),
    [("LANGUAGE", "xx"), ("LOGO", "no-logo.png"), ("CATALOGUE", "no-catalogue.po")],
)
def test_config_show_says_what_no_report_could_be_drawn_with(run, shop, monkeypatch, name, said):
    monkeypatch.setenv(f"DISPLAY__{name}", said)
    code, _out, err = run("config", "show")
    assert code == 2 and said in err


def test_test_mail_says_what_was_taken(run, monkeypatch):
    code, _, err = run("test-mail")
    assert code == 2 and "under [mail]" in err
    monkeypatch.setenv("MAIL__SMTP_HOST", "127.0.0.1")
    monkeypatch.setenv("MAIL__SMTP_SECURITY", "none")
    monkeypatch.setenv("MAIL__MAIL_TO", "owner@example.org")
    with served(MailServer()) as server:
        monkeypatch.setenv("MAIL__SMTP_PORT", str(server.port))
        code, out, err = run("test-mail")
        assert (code, out) == (0, "Sent for reports and notices: owner@example.org.\n"), err
        monkeypatch.setenv("REPORT__MAIL_TO", "desk@example.org")
        assert run("test-mail")[1].splitlines() == [
            "Sent for notices: owner@example.org.",
            "Sent for reports: desk@example.org.",
        ]
        assert len(server.mails) == 3
        monkeypatch.setenv("REPORT__MAIL_TO", "")
        assert run("test-mail")[1] == "Sent for notices: owner@example.org.\n"
        monkeypatch.setenv("MAIL__MAIL_TO", "owner@example.org, desk@example.org")
        server.unknown = ["desk@example.org"]
        code, out, err = run("test-mail")
        assert code == 3 and "refused desk@example.org" in err and "Sent" not in out
    code, _, err = run("test-mail")
    assert code == 3 and "could not be sent" in err


def test_test_mail_tries_a_server_that_only_reports_have_in_the_readers_language(run, monkeypatch):
    monkeypatch.setenv("MAIL__SMTP_HOST", "127.0.0.1")
    monkeypatch.setenv("MAIL__SMTP_SECURITY", "none")
    monkeypatch.setenv("MAIL__MAIL_TO", "owner@example.org")
    monkeypatch.setenv("DISPLAY__LANGUAGE", "es")
    with served(MailServer()) as notices, served(MailServer()) as reports:
        monkeypatch.setenv("MAIL__SMTP_PORT", str(notices.port))
        monkeypatch.setenv("REPORT__SMTP_PORT", str(reports.port))
        assert run("test-mail")[0] == 0
        told = [server.mails[0].get_content() for server in (notices, reports)]
    assert "aquí llegarán avisos." in told[0] and "aquí llegarán reportes." in told[1]


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind.mend])
def test_what_mends_a_trouble_is_a_command(kind):
    check_command(get_command(app), kind.mend.split()[1:])
    assert Problem(kind, "something").mend == kind.mend
    for words in ("so: 'shopmirror sync' helps", "If so: shopmirror sync tickets --full"):
        assert Problem(kind, words).mend == ""


def test_status_of_nothing_is_not_well_and_names_the_command_that_mends(run, shop):
    assert "never read whole  -> shopmirror sync" in run("status")[1]
    code, out, _ = run("status", "--check")
    assert code == 1 and "never read whole" in out


def test_the_shell_completes_names(monkeypatch):
    assert resources("ticket_i") == ["ticket_invoices"]
    assert shops("") == ["main"]
    monkeypatch.setenv(PREFIX + "SHOPS__NORTE__TIMEZONE", "UTC")
    assert shops("no") == ["norte"]
    assert shops("x") == []


def test_times_are_the_shops_own(tmp_path):
    made = [shop_of(name, timezone="America/Guatemala") for name in ("centro", "norte")]
    zone = Settings(home=tmp_path, shops=tuple(made)).one_zone
    assert moment("2026-11-22T04:40:00+00:00", zone) == "2026-11-21 22:40 CST"
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d \S+", moment("2026-11-22T04:40:00+00:00"))
