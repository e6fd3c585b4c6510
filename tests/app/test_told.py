"""Who is told of a trouble, over which channel, how often; and the call after each night."""

import pytest

from pipelines.monitor.notify import Incidents, NotifyError, NotifySettings
from shopmirror.main import main
from tests.app.nights import bench as bench
from tests.app.nights import clock as clock
from tests.app.nights import home as home
from tests.app.nights import job
from tests.app.receivers import HookServer, MailServer, served
from tests.fakes.loopback import Loopback, Reply


@pytest.fixture
def mail():
    with served(MailServer()) as server:
        yield server


@pytest.fixture
def hook():
    with HookServer() as server:
        yield server


def settings(mail: MailServer, hook: HookServer, **values: object) -> NotifySettings:
    given = {
        "mail_to": "owner@example.org, desk@example.org",
        "mail_from": "mirror@example.org",
        "smtp_host": "127.0.0.1",
        "smtp_port": mail.port,
        "smtp_security": "none",
        "webhook_url": hook.url,
    }
    return NotifySettings.model_validate({**given, **values})


def test_a_channel_that_is_down_does_not_repeat_the_others(home, clock, mail, hook):
    incidents = Incidents(home, settings(mail, hook), now=clock)
    hook.status = 500
    for _push in range(288):
        with pytest.raises(NotifyError, match="webhook"):
            incidents.failed("push", 3, "x")
        clock.forward(minutes=5)
    assert len(mail.mails) == 1
    posts = len(hook.posts)
    hook.status = 200
    assert incidents.failed("push", 3, "x") is True
    assert incidents.failed("push", 3, "x") is False
    assert len(hook.posts) == posts + 1 and len(mail.mails) == 1


def test_the_end_is_told_once_a_channel_too(home, clock, mail, hook):
    incidents = Incidents(home, settings(mail, hook), now=clock)
    incidents.failed("push", 3, "x")
    hook.status = 500
    for _push in range(5):
        with pytest.raises(NotifyError, match="webhook"):
            incidents.recovered("push")
    assert incidents.open() == [], "it is over, whoever heard of it"
    assert [each["Subject"].split()[-1] for each in mail.mails] == ["fails", "works"]
    hook.status = 200
    assert incidents.recovered("push") is True
    assert incidents.recovered("push") is False
    assert len(mail.mails) == 2


def test_a_channel_that_never_comes_back_is_left_after_a_week(home, clock, mail, hook):
    incidents = Incidents(home, settings(mail, hook), now=clock)
    incidents.failed("push", 3, "x")
    hook.status = 500
    with pytest.raises(NotifyError):
        incidents.recovered("push")
    clock.forward(days=8)
    with pytest.raises(NotifyError):
        incidents.recovered("push")
    assert incidents.recovered("push") is False


def test_trouble_that_comes_back_before_its_end_was_told_is_told_again(home, clock, mail, hook):
    incidents = Incidents(home, settings(mail, hook), now=clock)
    incidents.failed("sync", 3, "x")
    hook.status = 500
    with pytest.raises(NotifyError):
        incidents.recovered("sync")
    hook.status = 200
    assert incidents.failed("sync", 3, "x") is True
    assert len(mail.mails) == 3


def test_a_refused_recipient_is_told_and_the_others_get_one_mail(home, clock, mail, hook):
    mail.unknown = ["desk@example.org"]
    incidents = Incidents(home, settings(mail, hook, webhook_url=""), now=clock)
    with pytest.raises(NotifyError, match=r"refused desk@example\.org"):
        incidents.failed("sync", 3, "x")
    assert incidents.failed("sync", 3, "x") is False
    assert len(mail.mails) == 1


def test_test_mail_says_which_recipient_was_refused(home, mail, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    mail.unknown = ["desk@example.org"]
    values = {
        "MAIL_TO": "owner@example.org, desk@example.org", "SMTP_HOST": "127.0.0.1",
        "SMTP_PORT": str(mail.port), "SMTP_SECURITY": "none",
    }  # fmt: skip
    for name, value in values.items():
        monkeypatch.setenv(f"MAIL__{name}", value)
    assert main(["test-mail"]) == 3
    said = capsys.readouterr()
    assert "refused desk@example.org" in said.err and "Sent" not in said.out


def test_a_chat_gets_what_apprise_sends(home, clock, hook, mail):
    with Loopback() as chat:
        chat.otherwise = lambda _: Reply(200, b"")
        address = chat.base_url.replace("http://", "json://")
        given = settings(mail, hook, webhook_url="", mail_to=(), chat=(address,))
        assert Incidents(home, given, now=clock).failed("sync", 3, "out of reach") is True
        (seen,) = chat.seen
        assert b"out of reach" in seen.body
        assert Incidents(home, given, now=clock).failed("sync", 3, "out of reach") is False


@pytest.mark.parametrize("code", [0, 1, 3])
def test_after_each_night_the_heartbeat_is_called(bench, clock, code):
    with Loopback() as watcher:
        watcher.otherwise = lambda _: Reply(200, b"")
        bench.notify = NotifySettings.model_validate({"heartbeat_url": f"{watcher.base_url}/x"})
        bench.runner(f"raise SystemExit({code})").run(job("sync"), clock())
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
