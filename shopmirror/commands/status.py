"""``shopmirror status``: complete or not, fresh or not, what it cost, what is in doubt."""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from typing import Annotated, Any

import typer

from pipelines.language.words import word
from pipelines.monitor.status import ShopStatus, Status
from pipelines.monitor.status import status as gather
from pipelines.settings import Settings
from shopmirror.completion import JsonOption
from shopmirror.consoles import agreement, duration, moment, out, print_json, say, table
from shopmirror.runs import configured

_RUNS = 5


def status(
    as_json: JsonOption = False,
    check: Annotated[
        bool, typer.Option("--check", help="Exit code 1 when anything is wrong, for monitors.")
    ] = False,
    tables: Annotated[bool, typer.Option("--tables", help="Freshness of every table.")] = False,
) -> int:
    """Show the state of the mirror on one screen; makes no request."""
    settings = configured()
    found = gather(settings)
    if as_json:
        print_json(found.as_json())
    elif check:
        lines = found.problems or ["all is well"]
        say("; ".join(lines))
    else:
        show(found, tables, settings)
    return found.exit_code if check else 0


def show(found: Status, tables: bool, settings: Settings) -> None:
    """One screen: shops, runs, queue, jobs, what is wrong."""
    zone = settings.one_zone
    heads = ("shop", "complete", "as of", "#rows", "reports agree", "requests left", "strikes")
    shops = (_shop_line(shop, settings.shop(shop.shop).zone) for shop in found.shops)
    out().print(table("Mirror", heads, shops))
    if found.others:
        others = (
            (
                shop["shop"],
                shop["as_of"] and moment(shop["as_of"], zone),
                agreement(shop["compared"], shop["differing"]),
                len(shop["problems"]) or "none",
            )
            for shop in found.others
        )
        names = ("shop", "as of", "reports agree", "problems")
        out().print(table("Shops of other homes", names, others))
    if tables:
        for shop in found.shops:
            _show_tables(shop, settings.shop(shop.shop).zone)
    if found.runs:
        columns = ("started", "command", "outcome", "#exit", "#requests", "#rows loaded", "took")
        runs = (_run_line(run, zone) for run in found.runs[:_RUNS])
        out().print(table("Last runs", columns, runs))
    waiting = {state: count for state, count in found.queue.items() if count}
    if waiting:
        told = ", ".join(f"{count} {state}" for state, count in waiting.items())
        say(f"Queue: {told}")
    if found.next_runs:
        jobs = (_next_line(run, zone) for run in found.next_runs)
        out().print(table("Schedule", ("job", "next", "ended last", "#exit", "outcome"), jobs))
        if not any(run["is_served"] for run in found.next_runs):
            out().print("No scheduler runs now: 'shopmirror schedule' starts one.")
    _show_warehouse(found.warehouse, zone)
    if not found.problems:
        out().print("[green]All is well.[/green]")
    for problem in found.found:
        mend = f"  -> {problem.mend}" if problem.mend else ""
        say(f"{problem.named}{mend}", "red")


def _show_warehouse(warehouse: Mapping[str, Any], zone: tzinfo | None) -> None:
    published = warehouse.get("published_at")
    out().print(f"Warehouse published: {moment(published, zone) if published else 'never'}")
    if server := warehouse.get("read_from"):
        given = warehouse.get("given_at")
        when = moment(given, zone) if given else "not known"
        out().print(f"Reports are read from PostgreSQL '{server}', given there: {when}")
    if (models := warehouse.get("models", "as shipped")) != "as shipped":
        out().print(f"Models are built {models}")
    if left := ", ".join(warehouse.get("no_longer_set_up", ())):
        say(f"No longer in the settings, and still in every total: {left}.", "yellow")
    for finding in warehouse.get("findings", ()):
        say(f"Found in the data: {finding}.", "yellow")


def _shop_line(shop: ShopStatus, zone: tzinfo | None) -> tuple[object, ...]:
    if shop.missing:
        complete = f"no, {len(shop.missing)} lists to read"
    elif shop.doubts:
        complete = f"in doubt ({len(shop.doubts)})"
    else:
        complete = "yes" if shop.complete else "no, reports differ"
    budget = shop.budget
    left = f"{budget['left']} of {budget['limit']}"
    if budget["refused_until"]:
        left = f"none until {moment(budget['refused_until'], zone)}"
    return (
        shop.shop,
        complete,
        moment(shop.as_of, zone) if shop.as_of else "",
        f"{sum(resource['rows'] for resource in shop.resources):,}",
        agreement(shop.compared, len(shop.differences)),
        left,
        budget["strikes"],
    )


def _show_tables(shop: ShopStatus, zone: tzinfo | None) -> None:
    rows = (
        (
            resource["resource"],
            f"{resource['rows']:,}",
            moment(resource["fresh_as_of"], zone) if resource["fresh_as_of"] else "never",
            resource["proof"] or "",
        )
        for resource in shop.resources
    )
    out().print(table(f"Tables of {shop.shop}", ("table", "#rows", "as of", "proof"), rows))


def _run_line(run: dict[str, Any], zone: tzinfo | None) -> tuple[object, ...]:
    took = ""
    if run["ended_at"]:
        began, ended = (datetime.fromisoformat(run[name]) for name in ("started_at", "ended_at"))
        took = duration((ended - began).total_seconds())
    counts = (f"{run[name]:,}" for name in ("requests", "rows"))
    started = moment(run["started_at"], zone)
    return (started, run["command"], word(run["outcome"]), run["exit_code"], *counts, took)


def _next_line(run: dict[str, Any], zone: tzinfo | None) -> tuple[object, ...]:
    moments = (run[name] and moment(run[name], zone) for name in ("next_at", "last_ended_at"))
    code = run["exit_code"]
    outcome = _ENDED.get(code, "failed") if run["outcome"] == "ended" else run["outcome"]
    return (run["job"], *moments, code, outcome)


_ENDED = {0: "done", 1: "done, not all agrees", 4: "stopped early"}
