"""``shopmirror doctor``: how this service really answers, in a handful of requests."""

from collections.abc import Sequence
from typing import Annotated

import typer

from pipelines.doctor import doctor as examine
from pipelines.doctor import exit_code
from pipelines.doctor.profile import ServiceProfile
from shopmirror.completion import JsonOption, ShopOption
from shopmirror.consoles import fault, out, print_json, say, table
from shopmirror.runs import configured, working


def doctor(
    shop: ShopOption = None,
    lift_block: Annotated[
        bool,
        typer.Option(
            "--lift-block",
            help="Forget strikes and blocks first: the block was lifted, or the key replaced.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Connect, find out how the service answers, say what holds and what is missing."""
    settings = configured(asking=True)
    with working(settings, "doctor") as (_observer, stop):
        found = examine(settings, shop=shop, lift_block=lift_block, stop=stop)
    code = exit_code(found)
    if as_json:
        shops = [one.as_json() for one in found]
        print_json({"exit_code": code, "healthy": code == 0, "shops": shops})
    else:
        show(found)
    return code


def show(found: Sequence[ServiceProfile], title: str = "") -> None:
    """How services answer, and what is missing; ``title`` is for one shop that has no name yet."""
    for one in found:
        if one.error:
            fault(str(one.error) if title else f"{one.shop}: {one.error}")
            continue
        head = title or f"Shop {one.shop}: {one.requests} requests"
        out().print(table(head, ("item", "found"), one.items.items()))
        for problem in one.problems:
            say(f"  {problem}", "yellow")
    if exit_code(found) == 0:
        out().print("[green]The service answers everything the mirror and the reports need.[/]")
