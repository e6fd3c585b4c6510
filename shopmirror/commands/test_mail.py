"""``shopmirror test-mail``: whether messages arrive, before a night depends on it."""

import platform

from pipelines.monitor.notify import NotifySettings, deliver
from pipelines.monitor.sender import MailSettings, NotSent, channels
from pipelines.report.post import PostSettings
from shopmirror.consoles import CommandError, fault, say


def test_mail() -> int:
    """Send a short message everywhere that reports and notices go, and say what was taken."""
    notices, reports = NotifySettings.load(), PostSettings.load()
    ways: dict[str, MailSettings] = {"notices": notices}
    named = ("smtp_host", "mail_from", "mail_to", "webhook_url", "chat")
    if any(getattr(reports, name) != getattr(notices, name) for name in named):
        ways["reports"] = reports
    ways = {what: way for what, way in ways.items() if channels(way)}
    if not ways:
        raise CommandError(
            "Nothing says where messages go. Set smtp_host and mail_to, webhook_url or chat under "
            "[mail] in .dlt/config.toml; the password goes to .dlt/secrets.toml."
        )
    code = 0
    for what, way in ways.items():
        whose = "reports and notices" if len(ways) == 1 and what == "notices" else what
        text = f"This is a test from {platform.node()}: {whose} will arrive here."
        try:
            deliver(way, f"{notices.name}: a test", text).check()
        except NotSent as error:
            fault(f"{whose}: {error} 'shopmirror config show' lists what is set under [mail].")
            code = error.exit_code
            continue
        where = [*way.mail_to, *(name for name in channels(way) if name != "e-mail")]
        say(f"Sent for {whose}: {', '.join(where)}.")
    return code
