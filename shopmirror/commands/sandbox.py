"""``shopmirror sandbox``: the whole specification on loopback, to try things without a shop."""

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import typer
from pydantic import ValidationError

from pipelines.settings import existing_zone, faults
from sandbox.quirks import Quirks
from sandbox.schema import NewerFile
from sandbox.server import SandboxServer
from sandbox.shops import Shops, ShopSpec
from sandbox.store import Database
from shopmirror.consoles import CommandError, out, say, table, tell

app = typer.Typer(
    help="Serve a made-up shop at http://127.0.0.1:PORT/v1; prints its address and keys.",
    invoke_without_command=True,
    no_args_is_help=False,
)
keys_app = typer.Typer(help="The keys of a sandbox kept in a file.", no_args_is_help=True)
app.add_typer(keys_app, name="keys")

_DbOption = Annotated[Path, typer.Option("--db", help="The sandbox's file.", dir_okay=False)]


@app.callback(invoke_without_command=True)
def sandbox(
    context: typer.Context,
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
    """Serve until Ctrl-C. Keys are shown once; `sandbox keys reset` makes a new one."""
    if context.invoked_subcommand is not None:
        return
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
        text = key or f"(shown when it was made; new one: shopmirror sandbox keys reset {name})"
        say(f"key of {name}   {text}")
    say("a sync needs, in .dlt/config.toml (keys go into .dlt/secrets.toml):")
    say("[sources.repair_shop]")
    say(f'base_url = "{server.base_url}"')
    say(f'timezone = "{timezone}"')
    say(f"minute_seconds = {minute_seconds}")
    sys.stdout.flush()
    server.serve()


@keys_app.command("list")
def list_keys(db: _DbOption) -> None:
    """List the shops of a sandbox file; keys themselves are not kept, only their hashes."""
    with _usable(db):
        out().print(table("", ("shop", "time zone"), _shops(db).names()))


@keys_app.command("reset")
def reset_key(shop: str, db: _DbOption) -> None:
    """Replace a shop's key; the one before is invalid at once. The new one is shown this once."""
    with _usable(db):
        try:
            say(_shops(db).set_key(shop))
        except KeyError:
            raise CommandError(f"There is no shop '{shop}' in {db}.") from None


def _shops(db: Path) -> Any:
    if not db.is_file():
        raise CommandError(f"There is no sandbox file {db}.")
    return Shops(Database(db), lambda: datetime.now(UTC))


@contextmanager
def _usable(db: Path | None) -> Iterator[None]:
    """Say that the port is taken, or the file damaged, full, newer or in a folder that is not."""
    try:
        yield
    except (sqlite3.Error, OSError, ValueError, NewerFile) as error:
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
