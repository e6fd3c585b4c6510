"""Who is told what, over which channel, how often; and the call after each night."""

import json
import smtplib
from datetime import timedelta
from unittest.mock import MagicMock
from zoneinfo import ZoneInfo

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.masking import scrub
from pipelines.monitor.notify import Incidents, NotifySettings, deliver
from pipelines.monitor.sender import NotSent, why
from schedules.jobs import Command
from tests.app.nights import bench as bench
from tests.app.nights import clock as clock
from tests.app.nights import home as home
from tests.app.nights import job
from tests.app.receivers import HookServer, MailServer, served
from tests.fakes.loopback import Loopback, Reply
from tests.promises import promise


@pytest.fixture
def mail():
    with served(MailServer()) as server:
        yield server


@pytest.fixture
def hook():
    with HookServer() as server:
        yield server


def _by_mail(server: MailServer, **values: object) -> NotifySettings:
    given = {
        "mail_to": "owner@example.org, desk@example.org",
        "mail_from": "mirror@example.org",
        "smtp_host": "127.0.0.1",
        "smtp_port": server.port,
        "smtp_security": "none",
    }
    return NotifySettings.model_validate({**given, **values})


def test_the_same_failure_is_told_once_its_end_once_and_the_next_one_anew(home, clock, mail):
    incidents = Incidents(home, _by_mail(mail), now=clock)
    for _ in range(50):
        incidents.failed("push", 3, "The service could not be reached.")
        clock.forward(minutes=5)
    assert len(mail.mails) == 1
    (message,) = mail.mails
    assert message["To"] == "owner@example.org, desk@example.org"
    assert "could not be reached" in message.get_content()
    (incident,) = incidents.open()
    assert incident.runs == 50 and incident.told_at is not None
    assert [incidents.recovered("push") for _ in range(2)] == [True, False]
    incidents.failed("push", 3, "The service could not be reached.")
    subjects = [message["Subject"] for message in mail.mails]
    assert subjects == [f"shopmirror: push {word}" for word in ("fails", "works", "fails")]


def test_runs_are_those_since_it_fails_and_whether_a_person_knows_is_of_the_newest_trouble(
    home, clock, mail
):
    incidents = Incidents(home, _by_mail(mail), now=clock)
    for code in (3, 3, 3):
        incidents.failed("sync", code, "The service could not be reached.")
    mail.refuses = True
    with pytest.raises(NotSent):
        incidents.failed("sync", 1, "The reports differ.")
    (incident,) = incidents.open()
    assert (incident.runs, incident.told_at) == (4, None)


def test_a_notice_tells_the_time_on_the_shops_own_clock(home, clock, mail):
    incidents = Incidents(home, _by_mail(mail), now=clock, zone=ZoneInfo("America/Guatemala"))
    incidents.failed("sync", 3, "The service could not be reached.")
    incidents.recovered("sync")
    for message in mail.mails:
        assert "since 2026-11-20 06:00 CST" in message.get_content()


def test_another_kind_of_failure_is_news(home, clock, mail):
    incidents = Incidents(home, _by_mail(mail), now=clock)
    incidents.failed("sync", 1, "12 periods do not agree")
    since = incidents.open()[0].since
    clock.forward(days=1)
    incidents.failed("sync", 3, "refused")
    incidents.failed("sync", 3, "refused")
    assert len(mail.mails) == 2
    assert incidents.open()[0].since == since


def test_another_trouble_beside_one_that_stays_is_told_once(bench, clock, mail, hook):
    """A payment that nobody mends ends each night with 1, which must hide no other trouble."""
    bench.notify = _by_mail(mail, webhook_url=hook.url)

    def night(*troubles: str) -> None:
        document = json.dumps({"message": "Not everything is proven.", "troubles": troubles})
        script = f"print({document!r})\nraise SystemExit(1)"
        bench.runner(script).run(job(), clock())
        clock.forward(days=1)

    lasting, other, shop = "main: uncounted", "main: differs", "north: uncounted"
    for troubles in [(lasting,), (lasting,), (lasting, other), (lasting, other), (lasting,)]:
        night(*troubles)
    assert len(mail.mails) == 2
    hook.status = 500
    night(lasting, other)
    hook.status = 200
    for _ in range(2):
        night(lasting, shop, other)
    assert [other in text.get_content() for text in mail.mails] == [False, True, True, True]
    assert len(hook.posts) == 4, "one of which it did not take"
    bench.runner("raise SystemExit(0)").run(job(), clock())
    assert [text["Subject"].split()[-1] for text in mail.mails] == [*["fails"] * 4, "works"]


def test_a_night_without_a_result_is_told_beside_one_that_fails_for_a_lasting_reason(
    bench, clock, mail
):
    """Its exit code is the same: the models failed, or it took too long."""
    bench.notify = _by_mail(mail)
    asked = [Command(("sync", "--json"))]
    lasting = json.dumps({"message": "A key is refused.", "troubles": ["main: unreached"]})
    for script, limit in [
        *[(f"print({lasting!r}); raise SystemExit(3)", 60)] * 2,
        *[("raise SystemExit(3)", 60)] * 2,
        (f"print({lasting!r}); raise SystemExit(3)", 60),
        *[("import time; time.sleep(60)", 1)] * 2,
    ]:
        night = job(commands=asked, limit=timedelta(seconds=limit))
        bench.runner(script).run(night, clock())
    assert len(mail.mails) == 4
    assert [word in mail.mails[at].get_content() for at, word in ((1, "no result"), (3, "overdue"))]


def test_a_channel_that_is_down_does_not_repeat_the_others(home, clock, mail, hook):
    incidents = Incidents(home, _by_mail(mail, webhook_url=hook.url), now=clock)
    hook.status = 500
    for _push in range(12):
        with pytest.raises(NotSent, match="webhook"):
            incidents.failed("push", 3, "x")
        clock.forward(minutes=5)
    assert len(mail.mails) == 1
    posts = len(hook.posts)
    hook.status = 200
    assert incidents.failed("push", 3, "x") is True
    assert incidents.failed("push", 3, "x") is False
    assert len(hook.posts) == posts + 1 and len(mail.mails) == 1


@pytest.mark.parametrize("days", [0, 8])
def test_the_end_is_told_once_a_channel_too_and_for_a_week(home, clock, mail, hook, days):
    incidents = Incidents(home, _by_mail(mail, webhook_url=hook.url), now=clock)
    incidents.failed("push", 3, "x")
    hook.status = 500
    for _push in range(5):
        with pytest.raises(NotSent, match="webhook"):
            incidents.recovered("push")
    assert incidents.open() == [], "it is over, whoever heard of it"
    clock.forward(days=days)
    with pytest.raises(NotSent):
        incidents.recovered("push")
    hook.status = 200
    assert incidents.recovered("push") is (days == 0)
    assert incidents.recovered("push") is False
    assert [each["Subject"].split()[-1] for each in mail.mails] == ["fails", "works"]


@pytest.mark.parametrize("first", [True, False])
def test_what_a_kill_kept_from_a_channel_is_told_at_the_next_start(
    bench, clock, mail, hook, monkeypatch, first
):
    """And to no other twice; of a trouble, and of its end."""
    bench.notify = _by_mail(mail, webhook_url=hook.url)
    ends = {"code": 3}

    def night():
        return bench.runner(f"raise SystemExit({ends['code']})").run(job(), clock())

    if not first:
        night()
        ends["code"] = 0
    with monkeypatch.context() as killed, pytest.raises(KeyboardInterrupt):
        killed.setattr("httpx.post", MagicMock(side_effect=KeyboardInterrupt))
        night()
    for _start in range(2):
        bench.runner("").catch_up()
    words = ["fails"] if first else ["fails", "works"]
    assert [one["Subject"].split()[-1] for one in mail.mails] == words
    assert [one["subject"].split()[-1] for one in hook.posts] == words


def test_trouble_that_comes_back_before_its_end_was_told_is_told_again(home, clock, mail, hook):
    incidents = Incidents(home, _by_mail(mail, webhook_url=hook.url), now=clock)
    incidents.failed("sync", 3, "x")
    hook.status = 500
    with pytest.raises(NotSent):
        incidents.recovered("sync")
    hook.status = 200
    assert incidents.failed("sync", 3, "x") is True
    assert len(mail.mails) == 3


def test_a_refused_recipient_is_told_and_the_others_get_one_mail(home, clock, mail):
    mail.unknown = ["desk@example.org"]
    incidents = Incidents(home, _by_mail(mail), now=clock)
    with pytest.raises(NotSent, match=r"refused desk@example\.org"):
        incidents.failed("sync", 3, "x")
    assert incidents.failed("sync", 3, "x") is False
    assert len(mail.mails) == 1


@pytest.mark.parametrize(
    ("how", "said"), [("starttls", "no such encryption"), ("tls", "no encrypted connection")]
)
def test_a_server_that_does_not_encrypt_as_it_is_said_to_hears_nothing(
    home, clock, mail, how, said
):
    incidents = Incidents(home, _by_mail(mail, smtp_security=how), now=clock)
    with pytest.raises(NotSent, match=said):
        incidents.failed("sync", 3, "x")
    assert mail.mails == []


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (smtplib.SMTPAuthenticationError(535, b"hush"), "it refused the user or password"),
        (smtplib.SMTPRecipientsRefused({"a@b.example": (550, b"hush")}), "it refused a@b.example"),
        (smtplib.SMTPDataError(552, b"hush"), "it answered 552"),
        (
            httpx.ConnectError("certificate verify failed: self-signed certificate (_ssl.c:1)"),
            "its certificate is not trusted",
        ),
    ],
)
def test_why_a_mail_was_not_taken_quotes_no_server(error, said):
    assert why(error) == said


def test_a_chat_gets_what_apprise_sends(home, clock):
    with Loopback() as chat:
        chat.otherwise = lambda _: Reply(200, b"")
        address = chat.base_url.replace("http://", "json://")
        given = NotifySettings(chat=(address,))
        assert Incidents(home, given, now=clock).failed("sync", 3, "out of reach") is True
        (seen,) = chat.seen
        assert b"out of reach" in seen.body
        assert Incidents(home, given, now=clock).failed("sync", 3, "out of reach") is False


@pytest.mark.parametrize(
    ("name", "code"), [("sync", 0), ("sync", 1), ("sync", 3), ("sync:America/Lima", 0)]
)
def test_after_each_night_the_heartbeat_is_called(bench, clock, name, code):
    with Loopback() as watcher:
        watcher.otherwise = lambda _: Reply(200, b"")
        bench.notify = NotifySettings.model_validate({"heartbeat_url": f"{watcher.base_url}/x"})
        bench.runner(f"raise SystemExit({code})").run(job(name), clock())
        assert len(watcher.seen) == 1
        clock.forward(minutes=5)
        bench.runner("raise SystemExit(0)").run(job("push"), clock())
        assert len(watcher.seen) == 1, "a push is no night"


def test_a_heartbeat_that_is_away_changes_no_night_and_keeps_its_address(bench, clock):
    with Loopback() as watcher:
        watcher.otherwise = lambda _: Reply(500, b"")
        url = f"{watcher.base_url}/hush-hush"
        bench.notify = NotifySettings.model_validate({"heartbeat_url": url})
        ended = bench.runner("raise SystemExit(0)").run(job("sync"), clock())
    assert ended.exit_code == 0
    assert any("heartbeat" in line for line in bench.told)
    assert "hush-hush" not in str(bench.told)


def test_nobody_is_told_of_the_end_of_what_nobody_heard_of(home, clock):
    Incidents(home, NotifySettings(), now=clock).failed("sync", 3, "x")
    assert Incidents(home, NotifySettings(), now=clock).recovered("sync") is False
    assert Incidents(home).open() == []


def test_a_webhook_gets_json(home, hook, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")  # ignored, as for reports
    settings = NotifySettings.model_validate({"webhook_url": hook.url})
    assert deliver(settings, "subject", "body").taken == ["webhook"]
    assert hook.posts == [{"text": "subject\nbody", "subject": "subject", "body": "body"}]


@pytest.mark.parametrize(
    "wrong",
    [{"smtp_host": "smtp..example.org"}, {"smtp_user": "jane", "smtp_password": "hush-hüsh"}],
)
def test_a_name_or_password_that_cannot_be_sent_does_not_keep_the_webhook(mail, hook, wrong):
    settings = _by_mail(mail, webhook_url=hook.url, **wrong)
    with pytest.raises(NotSent, match="mail") as caught:
        deliver(settings, "subject", "body").check()
    assert len(hook.posts) == 1
    assert "hush" not in str(caught.value)


def test_messages_hold_no_customer_and_no_key(home, clock, mail):
    text = (
        'GET /customers: no JSON (saw: {"name": "Ana Perez"}) for "Ana Perez", ana@example.org, '
        "+502 5555 1234, api_key=abcdef123"
    )
    Incidents(home, _by_mail(mail), now=clock).failed("sync", 3, text)
    written = mail.mails[0].get_content() + (home / "incidents.json").read_text()
    for secret in ("Ana", "Perez", "ana@", "5555", "abcdef123"):
        assert secret not in written


@promise("nights run by themselves; what fails is told once, and once when it is over")
def test_a_run_that_fails_tells_and_one_that_works_again_too(bench, clock, mail):
    bench.notify = _by_mail(mail)
    for code in (0, 3, 3, 4, 3, 0, 0):
        clock.forward(minutes=5)
        bench.runner(f"raise SystemExit({code})").run(job(lane="push"), clock())
    assert [m["Subject"].split()[-1] for m in mail.mails] == ["fails", "works"]


def test_a_mail_server_that_is_away_does_not_end_the_run(bench, clock, mail):
    bench.notify = _by_mail(mail)
    mail.refuses = True
    assert bench.runner("raise SystemExit(3)").run(job(), clock()).exit_code == 3
    assert any("could not be sent" in line for line in bench.told)


@pytest.mark.parametrize(
    "text",
    [
        "Complete: 1,204 rows, 87 requests, 12 periods agree.",
        "The last run ended at 2026-11-20T22:30:00+00:00; next 2026-11-21 22:30 UTC.",
        "ticket_invoices: 3 pages of /ticketInvoices differ by 1234.50",
        "Run 'shopmirror reconcile' to see all.",
    ],
)
def test_plain_messages_stay_as_they_are(text):
    assert scrub(text) == text


@settings(derandomize=True)
@given(
    st.text(max_size=40),
    st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=4, max_size=40),
    st.text(max_size=40),
)
def test_no_secret_survives_wherever_it_stands(before, secret, after):
    # What surrounds the secret, or masks it, may by chance spell it: then nothing is claimed.
    if secret not in scrub(before + " " + after):
        assert secret not in scrub(f"{before}{secret}{after}", [secret]).replace("***", " ")
