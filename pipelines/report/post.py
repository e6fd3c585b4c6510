"""Sends a report where the owner looks: by e-mail, to a webhook, or both.

Settings under ``[report]`` (``.dlt/config.toml``; the password belongs in ``.dlt/secrets.toml``),
or ``REPORT__SMTP_HOST`` and so on. The service itself sends nothing (specification, "What the
service does", 3), so this is the only place a message comes from.
"""

from __future__ import annotations

from collections.abc import Callable
from email.message import EmailMessage
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from pipelines.language import Text, _, shown, use
from pipelines.language.display import load_language
from pipelines.monitor.sender import Security, new_mail, post_json, send_all, send_mail
from pipelines.report.figures import Extra, Report, ReportError, SealState
from pipelines.report.files import content
from pipelines.report.page import render
from pipelines.report.sheet import Sheet
from sources.repair_shop.settings import read_section


class PostSettings(BaseModel):
    """Where reports go; everything is optional, nothing is sent unless asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    smtp_host: str = ""
    smtp_port: int = Field(587, ge=1, le=65535)
    smtp_security: Security = "starttls"
    smtp_user: str = ""
    smtp_password: SecretStr = SecretStr("")
    mail_from: str = ""
    mail_to: tuple[str, ...] = ()
    """Addresses; in the settings a list, or a text with commas."""
    webhook_url: SecretStr = SecretStr("")
    """Often holds a key, so it is treated as one."""
    timeout_seconds: float = Field(30.0, gt=0)
    attach: tuple[Literal["pdf", "xlsx", "csv"], ...] = ("pdf",)
    """What hangs on the mail."""
    figures: tuple[Extra, ...] = ()
    """Figures shown on request, for every report: ``tax``, ``margin``, ``expenses``."""

    @field_validator("mail_to", "attach", "figures", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("mail_from", "mail_to")
    @classmethod
    def _one_line(cls, value: Any) -> Any:
        if any(
            "\n" in text or "\r" in text for text in ([value] if isinstance(value, str) else value)
        ):
            raise ValueError("an address is one line")
        return value

    @property
    def by_mail(self) -> bool:
        """Whether enough is set to send e-mail."""
        return bool(self.smtp_host and self.mail_from and self.mail_to)

    @property
    def by_webhook(self) -> bool:
        """Whether a webhook is set."""
        return bool(self.webhook_url.get_secret_value())


class NotSent(ReportError):
    """The report was made but could not be delivered; the message says where it stuck. Exit 3."""

    exit_code = 3


def load_post() -> PostSettings:
    """Read ``[report]``; :class:`~pipelines.report.figures.ReportError` when it is wrong."""
    try:
        return PostSettings(**read_section("report"))
    except ValidationError as error:
        faults = [
            f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}"
            for fault in error.errors(include_input=False, include_url=False)
        ]
        raise ReportError(f"Settings under [report] are wrong: {'; '.join(faults)}") from None


def send(report: Report, settings: PostSettings) -> list[str]:
    """Send ``report`` everywhere it is configured to go, in the language of ``[display]``.

    Returns a line for each place.
    All places are tried. Raises :class:`~pipelines.report.figures.ReportError` when none is
    configured and :class:`NotSent` when one of them failed.
    """
    if not settings.by_mail and not settings.by_webhook:
        raise ReportError(
            "Nothing says where reports go. Set smtp_host, mail_from and mail_to, or webhook_url, "
            "under [report] in .dlt/config.toml."
        )
    ways: list[tuple[str, Callable[[], None]]] = []
    with use(load_language()):
        mail = message(report, settings) if settings.by_mail else None
        document = _document(report) if settings.by_webhook else {}
    if mail is not None:
        ways.append(("mail", lambda: send_mail(mail, settings)))
    if settings.by_webhook:
        url = settings.webhook_url
        ways.append(("webhook", lambda: post_json(document, url, settings.timeout_seconds)))
    taken, failed = send_all(ways)
    words = {
        "mail": f"Mailed to {', '.join(settings.mail_to)}.",
        "webhook": "Posted to the webhook.",
    }
    sent = [words[name] for name in taken]
    if failed:
        not_taken = {
            "mail": f"{settings.smtp_host} did not take the mail",
            "webhook": "The webhook did not take the report",
        }
        raise NotSent(" ".join([*(f"{not_taken[name]}: {why}." for name, why in failed), *sent]))
    return sent


def message(report: Report, settings: PostSettings) -> EmailMessage:
    """The e-mail: figures as text, the page as HTML, and what ``attach`` says."""
    mark = shown(_MARK.get(report.seal, ""))
    subject = f"{mark} {report.title}".strip()
    mail = new_mail(subject, settings.mail_from, settings.mail_to)
    mail.set_content(summary(report))
    mail.add_alternative(render(report), subtype="html")
    for ending in settings.attach:
        maintype, subtype = _KINDS[ending].split("/")
        name = f"closing-{report.period.label}.{ending}"
        file = content(report, f".{ending}")
        mail.add_attachment(file, maintype=maintype, subtype=subtype, filename=name)
    return mail


_KINDS = {
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "csv": "text/csv",
}
_MARK = {
    SealState.IN_DOUBT: Text("[in doubt]"),
    SealState.DIFFERS: Text("[differs]"),
}


def summary(report: Report) -> str:
    """The figures in a few plain lines, for a phone's notification or a mail without HTML."""
    lines = [report.title, ""]
    for page in report.pages:
        sheet, now = Sheet(report, page), page.now
        unit = f" {sheet.unit}".rstrip()
        parts = ", ".join(f"{part.label} {sheet.money(part.amount)}" for part in sheet.parts)
        figures = [
            (_("Money taken"), sheet.money(now.taken.total) + unit),
            ("", parts),
            (_("Sold"), sheet.money(now.sold.total) + unit),
            (_("Still due"), sheet.money(now.due.total) + unit),
        ]
        if now.workshop:
            tickets = _(
                "{opened} opened, {closed} closed, {nobody} with no technician",
                opened=now.workshop.opened,
                closed=now.workshop.closed,
                nobody=now.workshop.unassigned_at_end,
            )
            figures.append((_("Tickets"), tickets))
        figures.append((_("Books"), seal_text(page.seal.state)))
        width = max(len(label) for label, _text in figures)
        lines.append(sheet.title)
        lines += [f"  {label:{width}}   {text}" for label, text in figures]
        lines += [f"  {text}" for text in (*(line.shown for line in page.cautions), *sheet.notes)]
    return "\n".join(lines) + "\n"


def seal_text(state: SealState) -> str:
    """What a seal says, in words."""
    return {
        SealState.AGREES: _("agree with the service"),
        SealState.DIFFERS: _("do not agree with the service"),
        SealState.IN_DOUBT: _("agreed with the service, and are in doubt now"),
        SealState.UNKNOWN: _("not compared with the service yet"),
    }[state]


def _document(report: Report) -> dict[str, Any]:
    """One JSON document: ``text`` for chat tools, the figures for programs, the page as HTML."""
    return {
        "title": report.title,
        "text": summary(report),
        "books": report.seal.value,
        "report": report.model_dump(mode="json"),
        "html": render(report),
    }
