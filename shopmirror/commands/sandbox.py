"""``shopmirror sandbox``: the whole specification on loopback, to try things without a shop."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table

OUT = Console(highlight=False, soft_wrap=True)
ERR = Console(stderr=True, highlight=False)

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
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Last day of the made-up data.")
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
    from sandbox.schema import NewerFile
    from sandbox.server import SandboxServer
    from sandbox.shops import ShopSpec

    try:
        ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise typer.BadParameter(
            f"'{timezone}' is no time zone", param_hint="--timezone"
        ) from error
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
            until=None if until is None else until.date(),
        )
        for number, name in enumerate(names)
    ]
    ERR.print(f"Making {shops} shop(s) of size {size}, unless the file holds them already ...")
    options: dict[str, Any] = {"port": port, "db": db, "seed": seed, "size": size}
    try:
        with _usable(db):
            server = SandboxServer(specs, minute_seconds=minute_seconds, **options)
    except (OSError, ValueError, NewerFile) as error:
        ERR.print(f"The sandbox cannot start: {error}")
        raise typer.Exit(2) from error
    OUT.print(f"base address  {server.base_url}")
    for name in names:
        key = server.keys.get(name)
        text = key or f"(shown when it was made; new one: shopmirror sandbox keys reset {name})"
        OUT.print(f"key of {name}   {text}", markup=False)
    OUT.file.flush()
    server.serve()


@keys_app.command("list")
def list_keys(db: _DbOption) -> None:
    """List the shops of a sandbox file; keys themselves are not kept, only their hashes."""
    table = Table("shop", "time zone")
    for name, timezone in _shops(db).names():
        table.add_row(name, timezone)
    OUT.print(table)


@keys_app.command("reset")
def reset_key(shop: str, db: _DbOption) -> None:
    """Replace a shop's key; the one before is invalid at once. The new one is shown this once."""
    shops = _shops(db)
    try:
        with _usable(db):
            OUT.print(shops.set_key(shop), markup=False)
    except KeyError as error:
        ERR.print(f"There is no shop '{shop}' in {db}.")
        raise typer.Exit(2) from error


def _shops(db: Path) -> Any:
    from sandbox.schema import NewerFile
    from sandbox.shops import Shops
    from sandbox.store import Database

    if not db.is_file():
        ERR.print(f"There is no sandbox file {db}.")
        raise typer.Exit(2)
    try:
        with _usable(db):
            return Shops(Database(db), lambda: datetime.now(UTC))
    except NewerFile as error:
        ERR.print(f"{db} cannot be read: {error}.")
        raise typer.Exit(2) from error


@contextmanager
def _usable(db: Path | None) -> Iterator[None]:
    """Say that the file is damaged, full or in a folder that is not there."""
    try:
        yield
    except sqlite3.Error as error:
        ERR.print(f"The sandbox's file {db or 'in the temporary folder'} cannot be used: {error}.")
        raise typer.Exit(2) from error


def _quirks(given: list[str]) -> Any:
    from sandbox.quirks import Quirks

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
        faults = "; ".join(
            f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()
        )
        raise typer.BadParameter(faults, param_hint="--quirk") from error
