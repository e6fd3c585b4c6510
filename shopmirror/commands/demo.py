"""``shopmirror demo``: the whole way on this machine, with a sandbox shop (``make demo``)."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from shopmirror.consoles import duration, err, out, say, table
from shopmirror.progress import watching
from shopmirror.signals import stopping

if TYPE_CHECKING:
    import duckdb

    from pipelines.home import Home
    from pipelines.sync.verdict import SyncReport
    from sandbox.shops import Size

MARKER = "demo.json"
"""File in the home folder that says: what is mirrored here is the sandbox's."""

TIMEZONE = "America/Guatemala"
MINUTE_SECONDS = 2.0
"""The sandbox's minute: 30 requests in two seconds."""

SIZE: Size = "small"
"""About 12,000 rows in three years."""

_LAST_MONTHS = 6


class DemoError(Exception):
    """The demo must not run here. Exit code 2."""

    exit_code = 2


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("demo", hidden=True)(demo)


def demo() -> int:
    """Serve a sandbox shop on loopback, mirror it, reconcile its reports, show what came out."""
    from pipelines.home import Home
    from pipelines.sync.run import sync
    from sandbox.server import SandboxServer
    from sandbox.shops import ShopSpec
    from sources.repair_shop.settings import Settings, ShopSettings, home_folder

    home = Home(home_folder())
    marker = home.path / MARKER
    if home.ledger.exists() and not marker.exists():
        raise DemoError(
            f"{home.path} holds the mirror of a real shop, and the demo keeps away from it. "
            "Set SHOPMIRROR_HOME to another folder and run it again."
        )
    marker.write_text(json.dumps({"note": "the sandbox's data; safe to delete"}), encoding="utf-8")
    began = time.monotonic()
    spec = ShopSpec("main", timezone=TIMEZONE)
    with (
        stopping() as stop,
        SandboxServer([spec], size=SIZE, minute_seconds=MINUTE_SECONDS) as server,
    ):
        err().print(f"The sandbox shop answers at {server.base_url}; syncing it into {home.path}.")
        shop = ShopSettings(
            name="main",
            base_url=server.base_url,
            api_key=server.keys["main"],
            timezone=TIMEZONE,
            minute_seconds=MINUTE_SECONDS,
        )
        with watching() as observer:
            report = sync(Settings(home=home.path, shops=(shop,)), observer=observer, stop=stop)
    show(home, report, time.monotonic() - began)
    return report.exit_code


def leave(path: Path) -> bool:
    """Remove the demo's mirror from a home that is now to hold a real shop's; whether it did.

    Only what the demo can make again goes; queued changes, budget and logs stay.
    """
    from pipelines.home import Home

    if not (path / MARKER).exists():
        return False
    home = Home(path)
    with home.sync_lock():
        for file in (home.warehouse, home.ledger, home.build_warehouse):
            for name in (file.name, f"{file.name}.wal", f"{file.name}-wal", f"{file.name}-shm"):
                file.with_name(name).unlink(missing_ok=True)
        (path / MARKER).unlink()
    return True


def show(home: Home, report: SyncReport, seconds: float) -> None:
    """What the warehouse holds now, read as an analyst would."""
    from pipelines.publish.published import published

    if not home.warehouse.exists():
        out().print(report.message, markup=False)
        return
    with published(home.path) as warehouse:
        _show_rows(warehouse.connection)
        _show_reports(warehouse.connection)
        _show_evidence(warehouse.connection)
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


def _closing_report(home: Home) -> None:
    """Write the page of the last day with business: the sandbox's days end before today."""
    from pipelines.publish.published import NothingPublished, published
    from pipelines.report import ReportError, closing_report, default_path, write

    try:
        with published(home.path) as warehouse:
            day = warehouse.row("select max(day) as day from marts.payments where amount <> 0")[
                "day"
            ]
        made = closing_report(home.path, day=day)
        page = write(made, default_path(home.path, made), make_folder=True)
    except (ReportError, NothingPublished) as error:
        say(f"No closing report: {error}")
        return
    say(f"The closing report of {day} is {page}.")


def _show_rows(connection: duckdb.DuckDBPyConnection) -> None:
    from sources.repair_shop.schema.columns import TABLES

    counts: list[tuple[str, str]] = []
    for name in TABLES:
        row = connection.execute(
            f'SELECT count(*) FROM raw."{name}" WHERE _deleted_at IS NULL'  # noqa: S608 - a declared name
        ).fetchone()
        counts.append((f"raw.{name}", f"{row[0] if row else 0:,}"))
    third = -(-len(counts) // 3)
    padded = counts + [("", "")] * (3 * third - len(counts))
    rows = [
        [cell for part in range(3) for cell in padded[line + part * third]] for line in range(third)
    ]
    out().print(table("Mirrored rows", ("table", "#rows") * 3, rows))


def _show_reports(connection: duckdb.DuckDBPyConnection) -> None:
    rows = connection.execute(
        "SELECT report, period, ours, theirs, difference, matches FROM marts.reconciliation "
        "WHERE report IN ('monthly_sales', 'monthly_purchases') ORDER BY report DESC, period DESC"
    ).fetchall()
    lines: list[tuple[Any, ...]] = []
    for report in ("monthly_sales", "monthly_purchases"):
        lines += [
            (
                report.replace("_", " "),
                f"{r[1]:%Y-%m}",
                _money(r[2]),
                _money(r[3]),
                _money(r[4]),
                "yes" if r[5] else "NO",
            )
            for r in rows
            if r[0] == report and (r[2] or r[3])
        ][:_LAST_MONTHS]
    agreeing = sum(1 for row in rows if row[5])
    title = (
        f"Our reports against the service's own: {agreeing} of {len(rows)} months agree to the "
        f"cent\n(shown: the last {_LAST_MONTHS} with business)"
    )
    columns = ("report", "month", "#ours", "#the service's", "#difference", "agrees")
    out().print(table(title, columns, lines))


def _show_evidence(connection: duckdb.DuckDBPyConnection) -> None:
    rows = connection.execute(
        "SELECT proof, count(*), sum(pages), sum(rows) FROM ops.completeness "
        "WHERE is_proven GROUP BY 1 ORDER BY 2 DESC"
    ).fetchall()
    doubtful = connection.execute(
        "SELECT resource, reason FROM ops.completeness WHERE NOT is_proven"
    ).fetchall()
    merged: dict[str, list[int]] = {}
    for proof, scans, pages, count in rows:
        kind = "both ends met" if "both ends met" in proof else proof
        held = merged.setdefault(kind, [0, 0, 0])
        for place, value in enumerate((scans, pages, count)):
            held[place] += int(value)
    out().print(
        table(
            "Why it is complete",
            ("proof", "#scans", "#pages", "#rows"),
            [(proof, *(f"{n:,}" for n in numbers)) for proof, numbers in merged.items()],
        )
    )
    for resource, reason in doubtful:
        say(f"  not proven: {resource}: {reason}")


def _money(amount: Any) -> str:
    return "" if amount is None else f"{amount:,.2f}"
