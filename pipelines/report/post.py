"""Sends a report where the owner looks: by e-mail, to a webhook, or both.

Settings stand under ``[mail]``; ``[report]`` may name others (:mod:`pipelines.monitor.sender`).
"""

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from email.message import EmailMessage
from email.utils import make_msgid, parseaddr
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, RootModel

from pipelines.json_file import JsonFile
from pipelines.language import shown, use
from pipelines.language.display import DisplaySettings
from pipelines.monitor.schedule_state import RUN
from pipelines.monitor.sender import (
    MailSettings,
    NotSent,
    Several,
    channels,
    new_mail,
    send_all,
)
from pipelines.report.closing import Extra, Report
from pipelines.report.figures import ReportError
from pipelines.report.periods import Period
from pipelines.report.render import chart_png, content, html, mail_html, text
from pipelines.report.trust import LOOKS


class PostSettings(MailSettings):
    """``[mail]`` and what ``[report]`` says otherwise; nothing is sent unless asked for."""

    section = "report"

    attach: Several[Literal["pdf", "xlsx"]] = Field(("pdf",), description="what hangs on the mail")
    figures: Several[Extra] = Field(
        (), description="shown on request, in every report: tax, margin, expenses"
    )


class Owed(RootModel[dict[str, list[str]]]):
    """Reports that did not get everywhere: period and shop -> the channels that took none."""

    root: dict[str, list[str]] = Field(default_factory=dict)


class Taken(BaseModel):
    """What the newest run of a job brought: period and shop -> the channels that took it."""

    run: str = ""
    by: dict[str, list[str]] = Field(default_factory=dict)


_MOST_OWED = 7


def send_all_owed(
    home: Path,
    report: Report,
    shop: str | None,
    deliver: Callable[..., list[str]],
    again: Callable[[Period, str | None], Report],
) -> Iterator[str]:
    """Send a report by ``deliver``, then those that channels did not take before, made ``again``,
    to those that refuse nothing now; the last :data:`_MOST_OWED` are kept. A line for each place.
    A run that was cut off and is repeated sends to nobody twice.
    Raises as :func:`send`, in the end."""
    owed = JsonFile(home / "reports" / "owed.json", Owed)
    taken = JsonFile(home / "reports" / "taken.json", Taken)
    run = os.environ.get(RUN, "")
    before = taken.read()
    had = before.by if run and before.run == run else {}

    def took(name: str, way: str) -> None:
        if run:
            with taken.change() as now:
                now.run, now.by = run, now.by if now.run == run else {}
                now.by.setdefault(name, []).append(way)

    newest = f"{report.period.label} {shop or ''}"
    known = owed.read().root
    refused: list[NotSent] = []
    refusing: set[str] = set()
    for name in (newest, *(one for one in known if one != newest)):
        label, _, of = name.partition(" ")
        left = [way for way in known.get(name, ()) if way in refusing]
        gone = had.get(name, [])
        ways = [way for way in known.get(name, ()) if way not in refusing and way not in gone]
        try:
            if name == newest:
                yield from deliver(report, without=gone, took=partial(took, name))
            elif ways and (period := Period.read(label)):
                with suppress(ReportError):  # of a shop that is gone
                    made = again(period, of or None)
                    yield from deliver(made, only=ways, took=partial(took, name))
        except NotSent as error:
            refused.append(error)
            refusing |= {*error.left}
            left += error.left
        if left or name in known:
            with owed.change() as now:
                now.root[name] = left
                kept = [(one, ways) for one, ways in now.root.items() if ways]
                now.root = dict(kept[-_MOST_OWED:])
    if refused:
        raise refused[0]


def send(
    report: Report,
    settings: PostSettings,
    *,
    only: Collection[str] | None = None,
    without: Collection[str] = (),
    took: Callable[[str], None] = lambda name: None,
) -> list[str]:
    """Send ``report`` everywhere it is configured to go (or to ``only`` some of these, or
    ``without`` some), in the language of ``[display]``. ``took`` hears of each that took it.

    Returns a line for each place.
    All places are tried. Raises :class:`~pipelines.report.figures.ReportError` when none is
    configured and :class:`~pipelines.monitor.sender.NotSent` when one of them failed.
    """
    if not channels(settings):
        raise ReportError(
            "Nothing says where reports go. Set smtp_host and mail_to, webhook_url or chat "
            "under [mail] in .dlt/config.toml; 'shopmirror test-mail' tries it."
        )
    with use(DisplaySettings.load().to_language()):
        away = {*without} | (set() if only is None else set(channels(settings)) - set(only))
        mail, document = partial(message, report, settings), partial(_document, report)
        went = send_all(settings, mail, document, without=away, took=took)
    refused = went.failed.get("e-mail", "").replace(",", " ").split()
    mailed = [one for one in settings.mail_to if parseaddr(one)[1] not in refused]
    words = {"e-mail": f"Mailed to {', '.join(mailed)}.", "webhook": "Posted to the webhook."}
    sent = [words.get(name, f"Posted to {name}.") for name in went.taken]
    went.check("report", *sent)
    return sent


def message(report: Report, settings: PostSettings) -> EmailMessage:
    """The e-mail: figures as text, as HTML that mail programs draw, and what ``attach`` says."""
    mark = shown(LOOKS[report.seal].subject)
    subject = f"{mark} {report.title}".strip()
    mail = new_mail(subject, settings.sender, settings.mail_to)
    mail.set_content(text(report))
    picture = make_msgid("chart", "shopmirror.invalid")
    mail.add_alternative(mail_html(report, f"cid:{picture[1:-1]}"), subtype="html")
    body = list(mail.iter_parts())[-1]
    assert isinstance(body, EmailMessage)
    body.add_related(chart_png(report), "image", "png", cid=picture, filename="chart.png")
    for ending in settings.attach:
        maintype, subtype = _KINDS[ending].split("/")
        name = f"closing-{report.period.label}.{ending}"
        file = content(report, f".{ending}")
        mail.add_attachment(file, maintype=maintype, subtype=subtype, filename=name)
    return mail


_KINDS = {
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def _document(report: Report) -> dict[str, Any]:
    """One JSON document: ``text`` for chat tools, the figures for programs, the page as HTML."""
    return {
        "title": report.title,
        "text": text(report),
        "books": report.seal.value,
        "report": report.model_dump(mode="json"),
        "html": html(report),
    }
