"""``shopmirror push``: send what is queued, each change exactly once."""

import json
from collections import Counter
from dataclasses import asdict
from typing import Annotated, Literal

import typer

from pipelines.outbox import push as run
from pipelines.outbox.order import Planned
from pipelines.outbox.pushing import PushReport
from shopmirror.completion import JsonOption, MaxRequestsOption, ShopOption
from shopmirror.consoles import duration, fault, out, print_json, table, tell
from shopmirror.runs import configured
from shopmirror.signals import stopping

_MANY = 60


def push(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be sent, and how many requests.")
    ] = False,
    shop: ShopOption = None,
    on_conflict: Annotated[
        Literal["park", "ours", "theirs"],
        typer.Option(help="The record changed meanwhile: ask you (park), or who wins."),
    ] = "park",
    max_requests: MaxRequestsOption = None,
    as_json: JsonOption = False,
) -> int:
    """Push queued changes; what may have been applied is looked up, never resent blindly."""
    settings = configured(asking=True)
    with stopping() as stop:
        report = run(
            settings,
            shop,
            dry_run=dry_run,
            on_conflict=on_conflict,
            stop=stop.is_set,
            max_requests=max_requests,
            progress=tell,
        )
    if as_json:
        print_json(_document(report, dry_run=dry_run))
    elif dry_run:
        _show_plan(report)
    else:
        _show(report)
    for name, error in report.errors.items():
        fault(f"{name}: {error}")
    return int(report.exit_code)


def _document(report: PushReport, *, dry_run: bool) -> dict[str, object]:
    if dry_run:
        return {"planned": [asdict(entry) for entry in report.planned], "requests": report.requests}
    return {
        "message": _message(report),
        "done": report.done,
        "waiting": report.waiting,
        "requests": report.requests,
        "seconds": round(report.seconds, 1),
        "changes": report.changes,
        "errors": {name: str(error) for name, error in report.errors.items()},
        "troubles": [
            *(f"{name}: not pushed" for name in report.errors),
            *(f"change {one['number']}: {one['state']}" for one in report.parked),
        ],
    }


def _message(report: PushReport) -> str:
    """What a person is to know of a push that nobody watched; empty if there is nothing."""
    told = [f"{name}: {error}" for name, error in report.errors.items()]
    states = Counter(change["state"] for change in report.changes if change["state"] != "done")
    states |= Counter(queued=report.waiting)
    if states:
        counts = ", ".join(f"{n} {state.replace('_', ' ')}" for state, n in states.items())
        told.append(f"Not done: {counts}. 'shopmirror queue list' says what to do.")
    return " ".join(told)


def _show_plan(report: PushReport) -> None:
    if not report.planned:
        if not report.errors:
            out().print("Nothing is queued.")
        return
    shown = report.planned[:_MANY]
    columns = ("#number", "shop", "request", "body", "#requests", "waits for")
    rows = (
        (
            entry.number,
            entry.shop,
            f"{entry.method} {entry.path}",
            _side_by_side(entry),
            entry.requests,
            entry.waits.removeprefix("waits for "),
        )
        for entry in shown
    )
    out().print(table("Would be sent", columns, rows))
    if len(shown) < len(report.planned):
        out().print(f"... and {len(report.planned) - len(shown)} more.")
    out().print(f"About {report.requests} requests.")


def _side_by_side(entry: Planned) -> str:
    """The old value and the new of each field whose old one is known."""
    if not entry.old:
        return json.dumps(entry.body, ensure_ascii=False) if entry.body else ""
    return ", ".join(
        f"{name}: {entry.old[name] or 'empty'} → {value}"
        if name in entry.old
        else f"{name}: {value}"
        for name, value in entry.body.items()
    )


def _show(report: PushReport) -> None:
    parked = [change for change in report.changes if change["state"] != "done"]
    if parked:
        columns = ("#number", "shop", "resource", "op", "state", "reason")
        rows = ([row[column.strip("#")] for column in columns] for row in parked[:_MANY])
        out().print(table("Not done", columns, rows))
        if len(parked) > _MANY:
            out().print(f"... and {len(parked) - _MANY} more.")
        out().print("'shopmirror queue show N' tells more; 'queue retry N' or 'queue discard N'.")
    waiting = f", {report.waiting} still queued" if report.waiting else ""
    out().print(
        f"{report.done} done{waiting}; {report.requests} requests in {duration(report.seconds)}."
    )
