"""Sending, against real servers on loopback."""

import re
from functools import partial
from typing import Any
from unittest.mock import MagicMock

import pytest

from pipelines.monitor.notify import NotifySettings
from pipelines.monitor.sender import NotSent
from pipelines.report import Period, closing_report
from pipelines.report.post import PostSettings, send, send_all_owed
from pipelines.settings import SettingsError
from tests.app.receivers import HookServer, MailServer, served
from tests.app.warehouse import NOW
from tests.fakes.loopback import Reply


@pytest.fixture(scope="module")
def made(chain):
    return closing_report(chain, shop="centro", period=Period.read("2026-06"), now=NOW)


def mail_settings(server: MailServer, **more: Any) -> PostSettings:
    return PostSettings(
        smtp_host="127.0.0.1",
        smtp_port=server.port,
        smtp_security="none",
        mail_from="shop@example.com",
        mail_to="owner@example.com, partner@example.com",  # type: ignore[arg-type]
        **more,
    )


def _made(home, period, shop):
    return closing_report(home, shop=shop, period=period, now=NOW)


def test_a_mail_holds_figures_page_and_pdf(made):
    with served(MailServer()) as server:
        said = send(made, mail_settings(server))
    (mail,) = server.mails
    assert said == ["Mailed to owner@example.com, partner@example.com."]
    assert mail["Subject"] == "Closing report 2026-06: centro"
    kinds = [part.get_content_type() for part in mail.walk() if not part.is_multipart()]
    assert kinds == ["text/plain", "text/html", "image/png", "application/pdf"]
    text = mail.get_body(("plain",))
    assert text is not None
    assert "Money taken" in text.get_content()
    page = mail.get_body(("html",))
    assert page is not None
    drawn = page.get_content()
    # What Gmail and Outlook do not draw: variables, grids, drawings, styles apart from their tags.
    assert not re.search(r"var\(|display: ?(grid|flex)|<svg|data:|<style|<script|https?://", drawn)
    assert drawn.count("<table") >= 5 and "style=" in drawn
    (picture,) = [part for part in mail.walk() if part.get_content_type() == "image/png"]
    assert f"cid:{picture['Content-ID'][1:-1]}" in drawn
    (attached,) = mail.iter_attachments()
    assert attached.get_filename() == "closing-2026-06.pdf"
    assert attached.get_payload(decode=True).startswith(b"%PDF")


def test_a_webhook_gets_text_figures_and_page(made):
    with HookServer() as hook:
        assert send(made, PostSettings(webhook_url=hook.url)) == ["Posted to the webhook."]
    (document,) = hook.posts
    assert document["books"] == "agrees"
    assert document["text"].startswith("Closing report 2026-06: centro")
    assert document["html"].startswith("<!doctype html>")
    figures = document["report"]["pages"][0]["now"]["figures"]
    assert figures["sales"] == str(made.pages[0].now.figures.sales)


def test_what_a_channel_did_not_take_is_sent_to_it_after_the_next_report(chain, tmp_path):
    made = partial(_made, chain)
    with served(MailServer()) as server, HookServer() as hook:
        deliver = partial(send, settings=mail_settings(server, webhook_url=hook.url))

        def night(month):
            report = made(Period.read(month), "centro")
            return list(send_all_owed(tmp_path, report, "centro", deliver, made))

        server.refuses = True
        for month in ("2026-04", "2026-05", "2026-05"):
            with pytest.raises(NotSent, match=r"could not be sent by e-mail.*Posted to the"):
                night(month)
        server.refuses = False
        night("2026-06")
        night("2026-06")
    mailed = [mail["Subject"].split()[2][:7] for mail in server.mails]
    assert mailed == ["2026-06", "2026-04", "2026-05", "2026-06"]
    assert len(hook.posts) == 5, "it took each when it was sent"


def test_a_report_that_is_owed_comes_once_however_another_channel_fares(chain, tmp_path):
    """A recipient who is refused each night kept it from the others for good, and what one of two
    channels took the second time came to it again."""
    made = partial(_made, chain)
    answers = iter([500, 500, 200, 500, 200, 200, 200])
    with served(MailServer()) as server, HookServer() as hook:
        hook.otherwise = lambda _: Reply(next(answers), b"")
        server.unknown = ["partner@example.com"]
        deliver = partial(send, settings=mail_settings(server, webhook_url=hook.url, attach=()))
        for month in ("2026-03", "2026-04", "2026-05", "2026-06"):
            server.refuses = month == "2026-03"
            report = made(Period.read(month), "centro")
            with pytest.raises(NotSent):
                list(send_all_owed(tmp_path, report, "centro", deliver, made))
        posted = [post["title"].split()[2][:7] for post in hook.posts]
    mailed = [mail["Subject"].split()[2][:7] for mail in server.mails]
    assert mailed == ["2026-04", "2026-03", "2026-05", "2026-06"], "before the other takes any"
    assert posted == ["2026-03", "2026-04", "2026-05", "2026-03", "2026-06", "2026-03", "2026-04"]


def test_a_report_whose_run_was_killed_comes_once_to_each_channel(chain, tmp_path, monkeypatch):
    report = _made(chain, Period.read("2026-04"), "centro")
    monkeypatch.setenv("SHOPMIRROR_RUN", "report 2026-04-30T22:30:00")
    with served(MailServer()) as server, HookServer() as hook:
        deliver = partial(send, settings=mail_settings(server, webhook_url=hook.url, attach=()))

        def run():
            return list(send_all_owed(tmp_path, report, "centro", deliver, partial(_made, chain)))

        with monkeypatch.context() as killed, pytest.raises(KeyboardInterrupt):
            killed.setattr("httpx.post", MagicMock(side_effect=KeyboardInterrupt))
            run()
        assert [*run(), *run()] == ["Posted to the webhook."]
        assert (len(server.mails), len(hook.posts)) == (1, 1)
        monkeypatch.delenv("SHOPMIRROR_RUN")
        run()
        assert (len(server.mails), len(hook.posts)) == (2, 2), "asked for by hand"


def test_who_was_refused_is_not_among_those_who_got_it(made):
    with served(MailServer()) as server:
        server.unknown = ["ana@example.org"]
        to = {"mail_to": ("Ana <ana@example.org>", "ana@example.or")}
        with pytest.raises(
            NotSent, match=r"refused ana@example\.org.*Mailed to ana@example\.or\.$"
        ):
            send(made, mail_settings(server).model_copy(update=to))


@pytest.mark.parametrize("to", ["a@x.org; b@x.org", "a@x.org b@x.org", '"Ruiz, Ana" <a@x.org>'])
def test_addresses_of_which_one_alone_would_get_the_mail_are_refused(to):
    with pytest.raises(SettingsError, match="mail_to: must be addresses"):
        PostSettings.validated({"smtp_host": "mail.example.org", "mail_to": to})


@pytest.mark.parametrize("address", ["tgram:/hush/1", "nosuch://hush", "example.org/hush"])
def test_a_chat_that_apprise_does_not_know_is_refused(address):
    with pytest.raises(SettingsError, match="chat 2 is no address") as refused:
        PostSettings.validated({"chat": ["json://localhost", address]})
    assert "hush" not in str(refused.value)


def test_a_failure_names_no_key(made):
    with HookServer() as hook, pytest.raises(NotSent) as refused:
        hook.status = 500
        send(made, PostSettings(webhook_url=hook.url))
    assert "it answered 500" in str(refused.value)
    # Nobody listens there any more.
    with pytest.raises(NotSent) as unheard:
        send(made, PostSettings(webhook_url=hook.url, timeout_seconds=2))
    assert "webhook (it cannot be reached)" in str(unheard.value)
    for error in (refused.value, unheard.value):
        assert "hush" not in str(error)
        assert error.exit_code == 3
    assert "hush" not in repr(PostSettings(webhook_url=hook.url, smtp_password="hush-hush"))


def test_settings_come_from_file_and_environment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".dlt").mkdir()
    (tmp_path / ".dlt" / "config.toml").write_text(
        '[report]\nsmtp_host = "mail.example.com"\nmail_from = "a@example.com"\n'
        'mail_to = ["b@example.com", "c@example.com"]\n'
    )
    monkeypatch.setenv("REPORT__SMTP_PORT", "465")
    monkeypatch.setenv("REPORT__SMTP_SECURITY", "tls")
    settings = PostSettings.load()
    assert (settings.smtp_port, settings.mail_to[1]) == (465, "c@example.com")
    monkeypatch.setenv("REPORT__SMTP_PORT", "many")
    monkeypatch.setenv("REPORT__SMPT_HOST", "x")
    with pytest.raises(SettingsError) as wrong:
        PostSettings.load()
    assert "smtp_port" in str(wrong.value)
    assert "smpt_host: there is no such setting. Did you mean 'smtp_host'?" in str(wrong.value)


def test_one_section_serves_reports_and_notices_and_each_may_differ(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MAIL__SMTP_HOST", "mail.example.com")
    monkeypatch.setenv("MAIL__MAIL_TO", "owner@example.com")
    monkeypatch.setenv("REPORT__MAIL_TO", "desk@example.com, owner@example.com")
    assert PostSettings.load().mail_to == ("desk@example.com", "owner@example.com")
    notices = NotifySettings.load()
    assert (*notices.mail_to, notices.sender) == ("owner@example.com",) * 2
    monkeypatch.setenv("NOTIFY__MAIL_TO", "night@example.com")
    monkeypatch.setenv("NOTIFY__SMTP_HOST", "other.example.com")
    notices = NotifySettings.load()
    assert (notices.smtp_host, *notices.mail_to) == ("other.example.com", "night@example.com")
    assert PostSettings.load().smtp_host == "mail.example.com"
