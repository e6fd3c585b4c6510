"""``shopmirror report``: the closing report as a page, a PDF, a mail."""

from functools import partial
from pathlib import Path
from typing import Annotated, get_args

import typer

from pipelines.report import Period, SealState, closing_report, default_path, post, write
from pipelines.report.closing import Extra, Report
from pipelines.settings import home_folder
from shopmirror.completion import ShopOption
from shopmirror.consoles import fault, say


def report(
    day: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help="A day; by default the last open one.")
    ] = None,
    month: Annotated[str | None, typer.Option(metavar="YYYY-MM", help="A month.")] = None,
    week: Annotated[str | None, typer.Option(metavar="YYYY-Www", help="A week.")] = None,
    quarter: Annotated[str | None, typer.Option(metavar="YYYY-Qn", help="A quarter.")] = None,
    year: Annotated[str | None, typer.Option(metavar="YYYY", help="A year.")] = None,
    shop: ShopOption = None,
    out_file: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Ends in .html, .pdf or .xlsx.")
    ] = None,
    figures: Annotated[
        str | None,
        typer.Option("--with", help="Also tax, margin, expenses (with commas); 'none' of them."),
    ] = None,
    send: Annotated[
        bool, typer.Option("--send", help="Also mail or post it, as \\[mail] says.")
    ] = False,
) -> int:
    """Write the closing report of a period; of one that still runs, up to the mirror's last day.

    Exit code 1 when the books do not agree, or the figures are in doubt.
    """
    home = home_folder()
    # What is wrong with the settings is said before any work is done.
    deliver = partial(post.send, settings=post.PostSettings.load()) if send else None
    extras = _extras(figures)

    def make(period: Period | None, of: str | None) -> Report:
        return closing_report(home, shop=of, period=period, extras=extras)

    asked = {"day": day, "week": week, "month": month, "quarter": quarter, "year": year}
    made = make(_period(asked), shop)
    path = write(made, out_file or default_path(home, made), make_folder=out_file is None)
    say(str(path))
    if deliver is not None:
        for line in post.send_all_owed(home, made, shop, deliver, make):
            say(line)
    cautions = dict.fromkeys(line.shown for page in made.pages for line in page.cautions)
    for caution in cautions:
        fault(caution)
    if made.seal is SealState.DIFFERS:
        differing = sum(page.seal.differing for page in made.pages)
        compared = sum(page.seal.compared for page in made.pages)
        fault(
            f"The books differ from the service's own reports in {differing} of {compared} "
            "periods. 'shopmirror reconcile' explains where."
        )
    elif made.seal is SealState.UNKNOWN:
        say("The books were not compared with the service's own reports yet.")
    return int(made.seal is SealState.DIFFERS or bool(cautions))


def _extras(text: str | None) -> tuple[Extra, ...]:
    """The figures asked for; without a word those of the setting ``figures``."""
    if text is None:
        return post.PostSettings.load().figures
    known: tuple[Extra, ...] = get_args(Extra)
    words = [] if text == "none" else [word.strip() for word in text.split(",")]
    if wrong := [word for word in words if word not in known]:
        raise typer.BadParameter(f"'{wrong[0]}' is none of: {', '.join(known)}.")
    return tuple(name for name in known if name in words)


_EXAMPLES = {
    "day": "2026-11-20", "week": "2026-W47", "month": "2026-11", "quarter": "2026-Q4",
    "year": "2026",
}  # fmt: skip


def _period(asked: dict[str, str | None]) -> Period | None:
    """The one period that was asked for; None for the last open day."""
    named = [(kind, text) for kind, text in asked.items() if text is not None]
    if len(named) > 1:
        kinds = " or for ".join(f"a {kind}" for kind, _text in named)
        raise typer.BadParameter(f"Ask for {kinds}, not for both.")
    for kind, text in named:
        period = Period.read(text)
        if period is None or period.kind != kind:
            raise typer.BadParameter(f"'{text}' is no {kind} like {_EXAMPLES[kind]}.")
        return period
    return None
