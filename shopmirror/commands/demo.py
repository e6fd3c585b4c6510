"""``shopmirror demo``: the whole way on this machine, with a sandbox shop (``make demo``)."""

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipelines.settings import Settings, ShopSettings, home_folder
from shopmirror.consoles import CommandError, duration, err, moment, out, say, table
from shopmirror.demo_shop import (
    MARKER,
    SHOP,
    end,
    forget_another,
    has_other_settings,
    running,
    serve,
    write_settings,
)
from shopmirror.progress import watching
from shopmirror.signals import stopping

if TYPE_CHECKING:
    from pipelines.home import Home
    from pipelines.publish.published import Published
    from pipelines.sync.verdict import SyncReport

_LAST_MONTHS = 6
_NEXT = (
    ("status", "is the mirror complete, and as of when"),
    ("report", "the closing report of the last open day"),
    ("dashboard", "the same figures as a page in the browser"),
    ("dictionary", "every table and column explained"),
    ("sync", "what is new, in some sixty requests"),
    ('queue add customers --op create --json \'{"name": "Ana"}\'', ""),
    ("push", "sends the change that was queued"),
)


def demo(
    stop: Annotated[
        bool, typer.Option("--stop", help="End the demo's shop; its mirror and settings stay.")
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep/--no-keep", help="Leave the shop running when all is shown.")
    ] = True,
) -> int:
    """Try everything on a made-up shop on this machine: no account, no key, no network.

    Serves the shop on loopback for some hours, mirrors it, reconciles its reports, writes the
    settings with which all other commands work on it, and says what to try next.
    """
    from pipelines.home import Home

    path = home_folder()
    if stop:
        ended = end(path)
        say("The demo's shop is stopped." if ended else "The demo's shop does not run.")
        return 0
    home = Home(path)
    if (home.ledger.exists() or home.outbox.exists()) and not (home.path / MARKER).exists():
        raise CommandError(
            f"{home.path} holds the mirror of a real shop, and the demo keeps away from it. "
            "Set SHOPMIRROR_HOME to another folder and run it again."
        )
    began = time.monotonic()
    is_alone = not has_other_settings(home.path)
    try:
        report = _mirror(home, is_alone)
        show(home, report, time.monotonic() - began)
    except BaseException:
        end(home.path)
        raise
    if not is_alone:
        end(home.path)
        say(
            "This folder has the settings of another shop, which stay as they are; run the demo in "
            "an empty folder to try the other commands on it."
        )
    else:
        _say_what_next(home, keep=keep)
    return report.exit_code


def _mirror(home: "Home", is_alone: bool) -> "SyncReport":
    """Serve the shop, leave settings for it where none are, and sync it."""
    from pipelines.sync.run import sync

    forget_another(home)
    served, key = serve(home.path)
    err().print(f"The demo's shop answers at {served.base_url}; syncing it into {home.path}.")
    if is_alone:
        write_settings(home.path, key)
    shop = ShopSettings.model_validate(
        {"name": "main", "base_url": served.base_url, "api_key": key, **SHOP}
    )
    with stopping() as stop, watching() as observer:
        return sync(Settings(home=home.path, shops=(shop,)), observer=observer, stop=stop)


def _say_what_next(home: "Home", *, keep: bool) -> None:
    served = running(home.path) if keep else None
    if not keep:
        end(home.path)
    out().print("\nIts settings are in .dlt/, so these work now:", style="bold")
    for words, what in _NEXT:
        say(f"  shopmirror {words:<12} {what}".rstrip())
    if served is None:
        say("The shop is stopped; the next command that asks it serves it again.")
    else:
        say(
            f"The shop answers at {served.base_url} until {moment(served.until)}; after that, or "
            "after 'shopmirror demo --stop', the next command that asks it serves it again."
        )
    say("Your own shop instead: 'shopmirror init'; nothing of the demo's is kept then.")


def show(home: "Home", report: "SyncReport", seconds: float) -> None:
    """What the warehouse holds now, read as an analyst would."""
    from pipelines.publish.published import published_here

    if not home.warehouse.exists():
        out().print(report.message, markup=False)
        return
    with published_here(home.path) as warehouse:
        _show_rows(warehouse)
        _show_reports(warehouse)
        _show_evidence(warehouse)
    colour = "green" if report.exit_code == 0 else "red"
    out().print(report.message, style=colour, markup=False)
    for detail in report.details[:10]:
        say(f"  {detail}")
    _closing_report(home)
    out().print(
        f"{report.requests:,} requests, {report.rows:,} rows loaded, {duration(seconds)} in all. "
        f"The warehouse is {home.warehouse}.",
        soft_wrap=True,
    )


def _closing_report(home: "Home") -> None:
    """Write the page of the last open day."""
    from pipelines.publish.errors import NothingPublished
    from pipelines.report import ReportError, closing_report, default_path, write

    try:
        made = closing_report(home.path)
        page = write(made, default_path(home.path, made), make_folder=True)
    except (ReportError, NothingPublished) as error:
        say(f"No closing report: {error}")
        return
    say(f"The closing report of {made.period.label} is {page}.")


def _show_rows(warehouse: "Published") -> None:
    from sources.repair_shop.schema.endpoints import TABLES

    counts: list[tuple[str, str]] = []
    for name in TABLES:
        sql = f'select count(*) as n from raw."{name}" where _deleted_at is null'  # noqa: S608 - a declared name
        counts.append((f"raw.{name}", f"{warehouse.row(sql)['n']:,}"))
    third = -(-len(counts) // 3)
    padded = counts + [("", "")] * (3 * third - len(counts))
    rows = [
        [cell for part in range(3) for cell in padded[line + part * third]] for line in range(third)
    ]
    out().print(table("Mirrored rows", ("table", "#rows") * 3, rows))


def _show_reports(warehouse: "Published") -> None:
    monthly = "marts.reconciliation where report in ('monthly_sales', 'monthly_purchases')"
    rows = warehouse.rows(
        "select replace(report, '_', ' ') as report, strftime(period, '%Y-%m') as month, ours,"  # noqa: S608 - text of our own
        f" theirs, difference, if(matches, 'yes', 'NO') as agrees from {monthly}"
        " and (ours <> 0 or theirs <> 0)"
        f" qualify row_number() over (partition by report order by period desc) <= {_LAST_MONTHS}"
        " order by report desc, month desc"
    )
    found = warehouse.row(f"select count(*) as months, count_if(matches) as agree from {monthly}")  # noqa: S608 - text of our own
    title = (
        f"Our reports against the service's own: {found['agree']} of {found['months']} months "
        f"agree to the cent\n(shown: the last {_LAST_MONTHS} with business)"
    )
    unit = f" ({SHOP['currency']})"
    columns = ("report", "month", f"#ours{unit}", f"#the service's{unit}", "#difference", "agrees")
    out().print(table(title, columns, (map(_figure, row.values()) for row in rows)))


def _show_evidence(warehouse: "Published") -> None:
    found = warehouse.row(
        "select count(distinct resource) as lists,"
        " count(distinct case when not is_proven then resource end) as doubted"
        " from ops.completeness"
    )
    proven = found["lists"] - found["doubted"]
    say(
        f"{proven} of {found['lists']} lists are proven complete; 'shopmirror status --tables' "
        "shows how."
    )
    for row in warehouse.rows("select * from ops.completeness where not is_proven"):
        say(f"  not proven: {row['resource']}: {row['reason']}")


def _figure(value: Any) -> str:
    """A cell: amounts with two places, counts without."""
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
