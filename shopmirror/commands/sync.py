"""``shopmirror sync``: extract, load, transform, reconcile, publish."""

from typing import Annotated

import typer

from pipelines.settings import WarehouseSettings
from pipelines.sync.run import sync as run
from pipelines.sync.verdict import SyncReport
from shopmirror.completion import JsonOption, MaxRequestsOption, ShopOption, resources
from shopmirror.consoles import agreement, duration, fault, out, print_json, say, table
from shopmirror.runs import configured, working

_MANY, _FEW = 20, 6


def sync(
    resources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RESOURCE]...", help="Lists to read, by default all.", autocompletion=resources
        ),
    ] = None,
    shop: ShopOption = None,
    full: Annotated[bool, typer.Option("--full", help="Read the lists whole.")] = False,
    max_requests: MaxRequestsOption = None,
    confirm_deletions: Annotated[
        bool,
        typer.Option(
            "--confirm-deletions",
            help="Accept that many rows vanished at once, after looking at the service.",
        ),
    ] = False,
    take_over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SHOP",
            help="Load this shop where \\[warehouse] says although another home has until now; "
            "that home is refused from then on.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Bring the warehouse up to date with the service, and prove it complete."""
    settings = configured(asking=True)
    warehouse = WarehouseSettings.load()
    for name in take_over or ():
        settings.chosen(name)
    with working(settings, "sync") as (observer, stop):
        report = run(
            settings,
            resources=resources or None,
            shop=shop,
            full=full,
            max_requests=max_requests,
            confirm_deletions=confirm_deletions,
            warehouse=warehouse,
            take_over=take_over or (),
            observer=observer,
            stop=stop,
        )
    if as_json:
        print_json(report.as_json())
    else:
        show(report)
    return report.exit_code


def show(report: SyncReport) -> None:
    """The report for people: a line, what it cost, what is missing."""
    if report.exit_code == 0:
        out().print(report.message, style="green", markup=False)
    else:
        fault(report.message)
    out().print(
        f"{report.requests:,} requests, {report.rows:,} rows loaded, {duration(report.seconds)}"
    )
    if len(report.shops) > 1:
        rows = (
            (
                shop.shop,
                f"{shop.requests:,}",
                "yes" if shop.is_complete else "no",
                agreement(shop.matching + len(shop.differences), len(shop.differences)),
            )
            for shop in report.shops
        )
        out().print(table("", ("shop", "#requests", "complete", "reports agree"), rows))
    for detail in report.details[:_MANY]:
        say(f"  {detail}")
    if len(report.details) > _MANY:
        shows = "reconcile" if report.outcome == "differs" else "status"
        out().print(f"  and {len(report.details) - _MANY} more; 'shopmirror {shows}' shows all")
    if report.new_columns:
        names = ", ".join(report.new_columns[:_FEW])
        rest = len(report.new_columns) - _FEW
        more = f" and {rest} more (--json lists them)" if rest > 0 else ""
        say(f"Fields nobody declared, kept as text: {names}{more}")
