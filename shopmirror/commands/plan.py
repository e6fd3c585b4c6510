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
    out().print(_shown(found, lists=lists))
    total, unknown = sum(found.requests.values()), sum(found.unknown.values())
    least = "at least " if unknown else ""
    out().print(f"{least}{total:,} requests, {least}{duration(found.minutes * 60)}")
    if unknown:
        out().print(
            f"{unknown} list(s) marked '?' were never read: their first pages tell their size."
        )


def _shown(found: Plan, *, lists: bool) -> Table:
    """A line for each list; else one for each shop, or of one shop for each way of reading."""
    is_chain = len(found.requests) > 1
    groups: dict[tuple[str, ...], list[Step]] = {}
    for step in found.steps:
        short = (step.shop,) if is_chain else (step.strategy,)
        key = (step.shop, step.resource, step.strategy, step.extent) if lists else short
        groups.setdefault(key, []).append(step)
    if lists:
        rows = ((*key, _count(own)) for key, own in groups.items())
        return table("", ("shop", "list", "how", "days", "#requests"), rows)
    told = (
        (*key, len(names) if is_chain else ", ".join(names), _count(own))
        for key, own in groups.items()
        for names in [dict.fromkeys(step.resource for step in own)]
    )
    heads = ("shop", "#lists") if is_chain else ("how", "lists")
    return table("", (*heads, "#requests"), told)


def _count(steps: Sequence[Step]) -> str:
    known = sum(step.requests or 0 for step in steps)
    unknown = sum(step.requests is None for step in steps)
    if not unknown:
        return f"{known:,}"
    return f"{known:,} + ?" if known else "?"
