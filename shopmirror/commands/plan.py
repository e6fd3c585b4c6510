"""``shopmirror plan``: what the next sync will ask, how many requests, how long."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.table import Table

from pipelines.sync.plan import Plan, Step
from pipelines.sync.plan import plan as work_out
from shopmirror.completion import JsonOption, ShopOption, resources
from shopmirror.consoles import duration, out, print_json, table
from shopmirror.runs import configured


def plan(
    resources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RESOURCE]...",
            help="Lists to plan for, by default all.",
            autocompletion=resources,
        ),
    ] = None,
    shop: ShopOption = None,
    full: Annotated[bool, typer.Option("--full", help="As 'sync --full' would.")] = False,
    lists: Annotated[bool, typer.Option("--lists", help="A line for each list.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what the next sync will ask; makes no request."""
    found = work_out(configured(), resources=resources or None, shop=shop, full=full)
    if as_json:
        print_json(found.as_json())
        return
    if len(found.requests) > 1 and not lists:
        out().print(_by_shop(found))
    for name in found.requests if len(found.requests) == 1 or lists else ():
        steps = [step for step in found.steps if step.shop == name]
        if lists:
            rows = ((step.resource, step.strategy, step.extent, _count([step])) for step in steps)
            out().print(table(f"Shop {name}", ("resource", "how", "days", "#requests"), rows))
        else:
            out().print(_together(steps))
    total, unknown = sum(found.requests.values()), sum(found.unknown.values())
    least = "at least " if unknown else ""
    out().print(f"{least}{total:,} requests, {least}{duration(found.minutes * 60)}")
    if unknown:
        out().print(
            f"{unknown} list(s) marked '?' were never read: their first pages tell their size."
        )


def _by_shop(found: Plan) -> Table:
    rows = []
    for name in found.requests:
        steps = [step for step in found.steps if step.shop == name]
        rows.append((name, len({step.resource for step in steps}), _count(steps)))
    return table("'--shop' shows one in full", ("shop", "#lists", "#requests"), rows)


def _together(steps: Sequence[Step]) -> Table:
    """One line for each way of reading: a screen of 80 columns and 40 lines holds a plan."""
    ways: dict[str, list[Step]] = {}
    for step in steps:
        ways.setdefault(step.strategy, []).append(step)
    rows = (
        (how, ", ".join(dict.fromkeys(step.resource for step in own)), _count(own))
        for how, own in ways.items()
    )
    return table("", ("how", "lists", "#requests"), rows)


def _count(steps: Sequence[Step]) -> str:
    known = sum(step.requests or 0 for step in steps)
    unknown = sum(step.requests is None for step in steps)
    if not unknown:
        return f"{known:,}"
    return f"{known:,} + ?" if known else "?"
