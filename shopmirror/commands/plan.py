"""``shopmirror plan``: what the next sync will ask, how many requests, how long."""

from __future__ import annotations

from typing import Annotated

import typer

from shopmirror.consoles import duration, out, print_json, table
from shopmirror.runs import configured


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("plan")(plan)


def plan(
    resources: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RESOURCE]...", help="Lists to plan for, by default all."),
    ] = None,
    shop: Annotated[str | None, typer.Option(help="Only this shop.")] = None,
    full: Annotated[bool, typer.Option("--full", help="As 'sync --full' would.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> int:
    """Show what the next sync will ask; makes no request."""
    from pipelines.sync.plan import plan as work_out

    found = work_out(configured(), resources=resources or None, shop=shop, full=full)
    if as_json:
        print_json(found.as_json())
        return 0
    several = len(found.requests) > 1
    for name in found.requests:
        out().print(
            table(
                f"Shop {name}" if several else "",
                ("resource", "how", "days", "#requests"),
                (
                    (
                        step.resource,
                        step.strategy,
                        step.extent,
                        "?" if step.requests is None else f"{step.requests:,}",
                    )
                    for step in found.steps
                    if step.shop == name
                ),
            )
        )
    total, unknown = sum(found.requests.values()), sum(found.unknown.values())
    least = "at least " if unknown else ""
    out().print(f"{least}{total:,} requests, {least}{duration(found.minutes * 60)}")
    if unknown:
        out().print(
            f"{unknown} list(s) marked '?' were never read: their first pages tell their size."
        )
    return 0
