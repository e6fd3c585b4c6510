"""``shopmirror demo``: the whole way on this machine, with a sandbox shop (``make demo``)."""

import os
import shlex
import shutil
import sys
import time
from itertools import zip_longest
from pathlib import Path
from typing import Any

from rich.markup import escape

from pipelines.home import Home
from pipelines.publish.published import Published, published_here
from pipelines.report import closing_report, default_path, write
from pipelines.settings import Settings, home_folder
from pipelines.sync.run import sync
from pipelines.sync.verdict import SyncReport
from shopmirror import demo_shop
from shopmirror.consoles import CommandError, duration, err, out, say, table
from shopmirror.progress import watching
from shopmirror.signals import stopping
from sources.repair_shop.schema.endpoints import ENDPOINTS

_LAST_MONTHS = 6
_NEXT = """
[bold]Its settings are in .dlt/, so these work now:[/]{activate}
  shopmirror status       is the mirror complete, and as of when
  shopmirror report       the closing report of the last open day
  shopmirror dashboard    the same figures as a page in the browser
  shopmirror dictionary   every table and column explained

[bold]The shop is stopped. In another terminal this serves it again:[/]
  {serve}
[bold]Then these work, too:[/]
  shopmirror sync         what is new, and old rows again for edits
  shopmirror queue add customers --op create --json '{{"name": "Ana"}}'
  shopmirror push         sends the change that was queued
Your own shop instead: 'shopmirror init'; nothing of the demo's is kept then."""
_NOT_ALONE = (
    "This folder has the settings of another shop, which stay as they are; run the demo in an "
    "empty folder to try the other commands on it."
)


def demo() -> int:
    """Try everything on a made-up shop on this machine: no account, no key, no network.

    Serves the shop on loopback, mirrors it and reconciles its reports. Writes the settings with
    which all other commands work on it, and says what to try next.
    """
    home = Home(home_folder())
    if (home.ledger.exists() or home.outbox.exists()) and not demo_shop.address(home.path):
        raise CommandError(
            f"{home.path} holds the mirror of a real shop, and the demo keeps away from it. "
            "Set SHOPMIRROR_HOME to another folder and run it again."
        )
    began = time.monotonic()
    is_alone = not demo_shop.has_other_settings(home.path)
    demo_shop.forget_another(home)
    with demo_shop.served(home.path) as shop:
        err().print(f"The demo's shop answers at {shop.base_url}; syncing it into {home.path}.")
        if is_alone:
            demo_shop.write_settings(shop)
        with stopping() as stop, watching() as observer:
            report = sync(Settings(home=home.path, shops=(shop,)), observer=observer, stop=stop)
    show(home, report, time.monotonic() - began)
    serve = escape(demo_shop.how_to_serve(home_folder()))
    next_steps = _NEXT.format(activate=escape(_activate()), serve=serve)
    out().print(next_steps if is_alone else _NOT_ALONE, soft_wrap=True)
    return report.exit_code


def _activate() -> str:
    """The line that makes 'shopmirror' a command, where it is none: after ``make demo``."""
    script = Path(sys.executable).with_name("activate")
    if shutil.which("shopmirror") or not script.exists():
        return ""
    return f"\n  . {shlex.quote(os.path.relpath(script))}    makes 'shopmirror' a command here"


def show(home: Home, report: SyncReport, seconds: float) -> None:
    """What the warehouse holds now, read as an analyst would."""
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
    made = closing_report(home.path)
    page = write(made, default_path(home_folder(), made), make_folder=True)
    say(f"The closing report of {made.period.label} is {page}.")
    out().print(
        f"{report.requests:,} requests, {report.rows:,} rows loaded, {duration(seconds)} in all. "
        f"The warehouse is {home_folder() / home.warehouse.name}.",
        soft_wrap=True,
    )


def _show_rows(warehouse: Published) -> None:
    counts: list[tuple[str, str]] = []
    for name in ENDPOINTS:
        sql = f'select count(*) as n from raw."{name}" where _deleted_at is null'  # noqa: S608 - a declared name
        counts.append((f"raw.{name}", f"{warehouse.row(sql)['n']:,}"))
    third = -(-len(counts) // 3)
    columns = (counts[first : first + third] for first in range(0, len(counts), third))
    rows = (sum(line, ()) for line in zip_longest(*columns, fillvalue=("", "")))
    out().print(table("Mirrored rows", ("table", "#rows") * 3, rows))


def _show_reports(warehouse: Published) -> None:
    monthly = (
        "marts.reconciliation where report in ('monthly_sales', 'monthly_purchases')"
        " and (ours <> 0 or theirs <> 0)"
    )
    rows = warehouse.rows(
        "select replace(report, '_', ' ') as report, strftime(period, '%Y-%m') as month, ours,"  # noqa: S608 - text of our own
        f" theirs, difference, if(matches, 'yes', 'NO') as agrees from {monthly}"
        f" qualify row_number() over (partition by report order by period desc) <= {_LAST_MONTHS}"
        " order by report desc, month desc"
    )
    found = warehouse.row(f"select count(*) as months, count_if(matches) as agree from {monthly}")  # noqa: S608 - text of our own
    title = (
        f"Our reports against the service's own: {found['agree']} of {found['months']} months "
        f"agree to the cent\n(shown: the last {_LAST_MONTHS} with business)"
    )
    unit = f" ({demo_shop.SHOP['currency']})"
    columns = ("report", "month", f"#ours{unit}", f"#the service's{unit}", "#difference", "agrees")
    out().print(table(title, columns, (map(_figure, row.values()) for row in rows)))


def _show_evidence(warehouse: Published) -> None:
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


def _figure(value: Any) -> str:
    """A cell: amounts with two places."""
    return value or "" if value is None or isinstance(value, str) else f"{value:,.2f}"
