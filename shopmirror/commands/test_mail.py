"""``shopmirror test-mail``: whether messages arrive, before a night depends on it."""

import platform

from pipelines.language import Text
from pipelines.monitor.notify import NotifySettings, deliver
from pipelines.monitor.sender import MailSettings, NotSent, channels
from pipelines.report.post import PostSettings
from shopmirror.consoles import CommandError, fault, say


def test_mail() -> int:
    """Send a short message everywhere that reports and notices go, and say what was taken."""
    notices, reports = NotifySettings.load(), PostSettings.load()
    ways: dict[str, MailSettings] = {Text("notices"): notices, Text("reports"): reports}
    named = MailSettings.model_fields.keys() - {"timeout_seconds"}
    if all(getattr(reports, name) == getattr(notices, name) for name in named):
        ways = {Text("reports and notices"): notices}
    ways = {what: way for what, way in ways.items() if channels(way)}
    if not ways:
        raise CommandError(
            "Nothing says where messages go. Set smtp_host and mail_to, webhook_url or chat under "
            "[mail] in .dlt/config.toml; the password goes to .dlt/secrets.toml."
        )
    code = 0
    for what, way in ways.items():
        text = Text(
            "This is a test from {machine}: {what} will arrive here.",
            machine=platform.node(),
            what=what,
        )
        try:
            deliver(way, Text("{name}: a test", name=notices.name), text).check()
        except NotSent as error:
            fault(f"{what}: {error} 'shopmirror config show' lists what is set under [mail].")
            code = error.exit_code
            continue
        where = [*way.mail_to, *(name for name in channels(way) if name != "e-mail")]
        say(f"Sent for {what}: {', '.join(where)}.")
    return code
