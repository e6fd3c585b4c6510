"""The demo's shop: a sandbox while the demo runs, and its settings in .dlt/.

What the demo made is known by its marker in the home folder, which bears the shop's address. A real
shop that takes the folder over finds nothing of it left.
"""

import json
import secrets
import shutil
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pipelines.home import Home
from pipelines.json_file import write_atomically
from pipelines.settings import SECTION, ShopSettings, home_folder, read_section
from shopmirror.consoles import CommandError
from shopmirror.settings_files import SettingsFiles

MARKER = "demo.json"
"""File in the home folder that says: what is mirrored here is the sandbox's, at this address."""
SHOP: dict[str, Any] = {
    "timezone": "America/Guatemala",
    "currency": "GTQ",
    "closed_weekdays": "sun",
    "minute_seconds": 2.0,
}
"""Its settings beside address and key. The sandbox's minute: 30 requests in two seconds."""
SIZE = "small"
"""About 10,600 rows in two years and a half."""
_DB = "demo-shop.sqlite"


class NotServed(CommandError):
    """Nobody answers where the demo's shop was. Exit code 3."""

    exit_code = 3


def address(home: Path) -> str | None:
    """Where the shop that is mirrored in a home folder was served, if that is the demo's."""
    try:
        found = json.loads((home / MARKER).read_text(encoding="utf-8")).get("base_url")
    except (OSError, ValueError, AttributeError):  # no folder, or none of ours to read
        return None
    return str(found) if found else None


def has_other_settings(home: Path) -> bool:
    """Whether the settings here, files and environment, are of another shop than the demo's.

    Those of a demo whose home was removed, as ``make clean`` does, are no other's.
    """
    section = read_section(*SECTION)
    is_ours = section.get("base_url") == address(home) or section.items() >= SHOP.items()
    return bool(section) and ("shops" in section or not is_ours)


@contextmanager
def served(home: Path) -> Iterator[ShopSettings]:
    """Serve the demo's shop for as long as this lasts.

    It keeps its key, and its port unless somebody has taken it.
    """
    from sandbox.server import SandboxServer
    from sandbox.shops import ShopSpec

    mine = None if has_other_settings(home) else read_section(*SECTION).get("api_key")
    key = str(mine or secrets.token_urlsafe(32))
    zone, minute = SHOP["timezone"], SHOP["minute_seconds"]
    spec = ShopSpec("main", zone, key=key, until=datetime.now(ZoneInfo(zone)).date())
    options: dict[str, Any] = {"db": home / _DB, "size": SIZE, "minute_seconds": minute}
    try:
        server = SandboxServer([spec], port=urlsplit(address(home) or "").port or 0, **options)
    except OSError:
        server = SandboxServer([spec], **options)
    note = "the demo shop's data; safe to delete"
    write_atomically(home / MARKER, json.dumps({"note": note, "base_url": server.base_url}))
    with server:
        values = {"name": "main", "base_url": server.base_url, "api_key": key, **SHOP}
        yield ShopSettings.model_validate(values)


def how_to_serve(home: Path) -> str:
    """The command that serves the demo's shop again."""
    port = urlsplit(address(home) or "").port
    return (
        f"shopmirror sandbox --db {quote(str(home / _DB))} --port {port} "
        f"--timezone {SHOP['timezone']} --minute-seconds {SHOP['minute_seconds']}"
    )


def must_be_served(shops: Iterable[ShopSettings]) -> None:
    """:class:`NotServed` if a command would ask the demo's shop, and it is not there."""
    home = home_folder()
    known = address(home)
    if not known or known not in {shop.base_url for shop in shops}:
        return
    place = urlsplit(known)
    with socket.socket() as caller:
        if caller.connect_ex((place.hostname, place.port)):
            raise NotServed(
                "The demo's shop is not served now. In another terminal: "
                f"'{how_to_serve(home)}'. 'shopmirror init' sets a real shop up instead."
            )


def write_settings(shop: ShopSettings) -> None:
    """Put the demo's settings into ``.dlt/`` of the current folder."""
    files = SettingsFiles()
    key = shop.api_key.get_secret_value()
    files.set(None, {"base_url": shop.base_url, "api_key": key, **SHOP})
    files.write()


def forget_settings(files: SettingsFiles) -> bool:
    """Take the demo's settings out (in memory); whether they were there.

    A real shop must not inherit the sandbox's fast minute.
    """
    known = address(home_folder())
    if not known or files.value(None, "base_url") != known:
        return False
    files.drop(None, ("base_url", "api_key", *SHOP))
    return True


def leave(path: Path, shops: Iterable[ShopSettings]) -> bool:
    """Remove the demo from a home that is now to hold a real shop's; whether it did.

    Changes that were queued for the demo's shop are moved aside, where nothing sends them.
    """
    if not (path / MARKER).exists() or address(path) in {shop.base_url for shop in shops}:
        return False
    home = Home(path)
    with home.sync_lock():
        _remove(home.warehouse, home.ledger, home.build_warehouse, path / _DB)
        _remove(path / "incidents.json", path / "schedule.json")
        shutil.rmtree(path / "reports", ignore_errors=True)
        for suffix in ("", "-journal", "-wal", "-shm"):
            queue = path / f"outbox.sqlite{suffix}"
            if queue.exists():
                queue.replace(path / f"demo-outbox.sqlite{suffix}")
        (path / "outbox.watermark").unlink(missing_ok=True)
        (path / MARKER).unlink()
    return True


def forget_another(home: Home) -> None:
    """Remove the mirror of a demo whose shop is not here any more: the next one is another shop."""
    if (home.path / MARKER).exists() and not (home.path / _DB).exists():
        with home.sync_lock():
            _remove(home.warehouse, home.ledger, home.build_warehouse)


def _remove(*files: Path) -> None:
    for file in files:
        for name in (file.name, f"{file.name}.wal", f"{file.name}-wal", f"{file.name}-shm"):
            file.with_name(name).unlink(missing_ok=True)
