"""``shopmirror sandbox``: the whole specification on loopback, to try things without a shop."""

import errno
import secrets
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import typer
from pydantic import ValidationError

from pipelines.settings import existing_zone, faults
from sandbox.quirks import Quirks
from sandbox.schema import NewerFile
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from shopmirror.consoles import CommandError, say, tell


def sandbox(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free port.")] = 8765,
    shops: Annotated[int, typer.Option(min=1, max=50, help="How many shops.")] = 1,
    size: Annotated[
        Literal["tiny", "small", "medium", "large"], typer.Option(help="How much there is in each.")
    ] = "small",
    seed: Annotated[int, typer.Option(help="Same seed, same shop.")] = 1,
    minute_seconds: Annotated[
        float, typer.Option(min=0.001, help="Seconds the limit's minute lasts.")
    ] = 60.0,
    db: Annotated[
        Path | None, typer.Option(help="Keep the shops in this file.", dir_okay=False)
    ] = None,
    new_keys: Annotated[
        bool, typer.Option("--new-keys", help="Replace the keys of shops that the file holds.")
    ] = False,
    timezone: Annotated[str, typer.Option(help="The shops' time zone.")] = "UTC",
    limit: Annotated[int, typer.Option(min=0, help="Requests a minute; 0: no limit.")] = 30,
    until: Annotated[
        datetime | None,
        typer.Option(
            formats=["%Y-%m-%d"],
            help="The day before which the made-up data end.",
            show_default="today",
        ),
    ] = None,
    quirk: Annotated[
        list[str] | None,
        typer.Option(
            help="A way of answering, e.g. amounts=currency or definition.tax=net; may be repeated."
        ),
    ] = None,
) -> None:
    """Serve a made-up shop at http://127.0.0.1:PORT/v1; prints its address and keys.

    Ctrl-C ends it.
    """
    try:
        existing_zone(timezone)
    except ValueError as error:
        raise typer.BadParameter(f"'{timezone}' {error}", param_hint="--timezone") from error
    if until is not None and not 2000 <= until.year <= 2099:
        raise typer.BadParameter("must lie between 2000 and 2099", param_hint="--until")
    quirks = _quirks(quirk or [])
    names = ["main"] if shops == 1 else [f"shop{number}" for number in range(1, shops + 1)]
    specs = [
        ShopSpec(
            name,
            timezone,
            quirks,
            limit=limit or None,
            seed=seed + number,
            key=secrets.token_urlsafe(32) if new_keys else None,
            until=(until or datetime.now(ZoneInfo(timezone))).date(),
        )
        for number, name in enumerate(names)
    ]
    tell(f"Making {shops} shop(s) of size {size}, unless the file holds them already ...")
    with _usable(db):
        server = SandboxServer(specs, port=port, minute_seconds=minute_seconds, db=db, size=size)
    say(f"base address  {server.base_url}")
    for name in names:
        key = server.keys.get(name)
        text = key or "(shown when it was made; --new-keys makes another)"
        say(f"key of {name}   {text}")
    say("a sync needs, in .dlt/config.toml (keys go into .dlt/secrets.toml):")
    say("[sources.repair_shop]")
    say(f'base_url = "{server.base_url}"')
    say(f'timezone = "{timezone}"')
    say(f"minute_seconds = {minute_seconds}")
    sys.stdout.flush()
    server.serve()


@contextmanager
def _usable(db: Path | None) -> Iterator[None]:
    """Say that the port is taken, or the file damaged, full, newer or in a folder that is not."""
    try:
        yield
    except (sqlite3.Error, OSError, ValueError, NewerFile) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise CommandError("The port is taken: choose another with --port.") from None
        raise CommandError(f"The sandbox in {db or 'a temporary file'} fails: {error}.") from error


def _quirks(given: list[str]) -> Any:

    values: dict[str, Any] = {}
    for text in given:
        name, sign, value = text.partition("=")
        if not sign:
            raise typer.BadParameter(f"'{text}' is not name=value", param_hint="--quirk")
        status = name.endswith("_status") and value.isdecimal()
        target = values
        if name.startswith("definition."):
            name = name.removeprefix("definition.")
            target = values.setdefault("definition", {})
        target[name] = int(value) if status else value
    try:
        return Quirks.model_validate(values)
    except ValidationError as error:
        raise typer.BadParameter(faults(error, Quirks), param_hint="--quirk") from error
