"""``shopmirror reconcile``: our reports against the service's own, and why they differ."""

from collections.abc import Iterable
from typing import Annotated

import typer

from pipelines.reconcile.differences import Compared
from pipelines.sync.reconcile import ReconcileReport
from pipelines.sync.reconcile import reconcile as compare
from shopmirror.completion import JsonOption, ShopOption
from shopmirror.consoles import fault, out, print_json, say, table
from shopmirror.runs import configured, working

_MANY = 40


def reconcile(
    shop: ShopOption = None,
    year: Annotated[int | None, typer.Option(help="Only this year, as yyyy.")] = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Read the documents of days that differ again.")
    ] = False,
    calibrate: Annotated[
        bool,
        typer.Option("--calibrate", help="Find out what this service counts as a sale; keep it."),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Compare every month with the service's reports; split what differs into days, documents."""
    settings = configured(asking=True)
    with working(settings, "reconcile") as (observer, stop):
        report = compare(
            settings,
            shop=shop,
            year=year,
            repair=repair,
            calibrate=calibrate,
            observer=observer,
            stop=stop,
        )
    if as_json:
        print_json(report.as_json())
    else:
        show(report)
    return report.exit_code


def show(report: ReconcileReport) -> None:
    """One table of what agrees, one of what does not, and the documents behind it."""
    groups: dict[tuple[str, str], list[Compared]] = {}
    for period in report.periods:
        # Zeros on both sides agree about nothing.
        if period.matches and not period.ours and not period.theirs:
            continue
        groups.setdefault((period.shop_id, period.report), []).append(period)
    columns = ("shop", "report", "from", "to", "#periods", "#agree", "#differ")
    rows = (
        (
            shop,
            name.replace("_", " "),
            _when(periods[0]),
            _when(periods[-1]),
            len(periods),
            sum(p.matches for p in periods),
            sum(not p.matches for p in periods),
        )
        for (shop, name), periods in groups.items()
    )
    out().print(table("Our reports against the service's own", columns, rows))
    differing = report.differing
    if differing:
        _show_differing(differing)
    _show_findings(report)
    for shop, verdicts in report.verdicts.items():
        for verdict in verdicts:
            say(f"{shop}, {verdict.report}: {verdict.message}")
    for problem in report.problems:
        fault(problem)
    if report.exit_code == 0 and groups:
        out().print(f"[green]Everything agrees to the cent.[/green] {report.requests} requests.")
    elif report.exit_code == 0:
        say("Both sides have nothing but zeros in these periods, which proves nothing.")
    elif differing:
        compared = sum(map(len, groups.values()))
        fault(f"{len(differing)} of {compared} periods do not agree.")


def _show_differing(differing: "list[Compared]") -> None:
    columns = ("shop", "report", "period", "#ours", "#theirs", "#difference")
    rows = (
        (
            p.shop_id,
            p.report.replace("_", " "),
            _when(p),
            *(f"{amount:,.2f}" for amount in (p.ours, p.theirs, p.difference)),
        )
        for p in differing[:_MANY]
    )
    out().print(table("What does not agree", columns, rows))
    if len(differing) > _MANY:
        out().print(f"and {len(differing) - _MANY} more; --json lists all")


def _show_findings(report: ReconcileReport) -> None:
    for name, findings in report.findings.items():
        if not findings:
            continue
        rows: Iterable[tuple[object, ...]] = (
            (
                f.day.isoformat(),
                " ".join(filter(None, (f.document_type, f.document_number or f.document_id))),
                "" if f.amount is None else f"{f.amount:,.2f}",
                f.meaning,
                f.detail,
            )
            for f in findings[:_MANY]
        )
        columns = ("day", "document", "#amount", "likely reason", "detail")
        out().print(table(name, columns, rows))


def _when(period: Compared) -> str:
    day = period.period.isoformat()
    return day if period.report.startswith("daily") else day[:7]
