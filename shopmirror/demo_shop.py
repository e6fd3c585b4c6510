"""The demo's shop: a sandbox that is there whenever a command asks it, and its settings in .dlt/.

What the demo made is known by its marker in the home folder, which bears the shop's address. A real
shop that takes the folder over finds nothing of it left.
"""

import json
import secrets
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pipelines.json_file import write_atomically
from pipelines.settings import SECTION, ShopSettings, home_folder, read_section
from sandbox import background
from sandbox.background import NotServed, Served
from shopmirror.consoles import CommandError
from shopmirror.settings_files import SettingsFiles

if TYPE_CHECKING:
    from pipelines.home import Home

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
"""About 12,000 rows in three years."""
HOURS = 8.0
"""After them the sandbox ends by itself; the next command that asks it serves it again."""

_NOTE, _DB, _LOG = "demo-shop.json", "demo-shop.sqlite", "demo-shop.log"
_NAMES = ("base_url", "api_key", *SHOP)


def address(home: Path) -> str | None:
    """Where the shop that is mirrored in a home folder was served, if that is the demo's."""
    try:
        found = json.loads((home / MARKER).read_text(encoding="utf-8")).get("base_url")
    except (OSError, ValueError, AttributeError):  # no folder, or none of ours to read
        return None
    return str(found) if found else None


def has_other_settings(home: Path) -> bool:
    """Whether the settings here, files and environment, are of another shop than the demo's."""
    section = read_section(*SECTION)
    return bool(section) and ("shops" in section or section.get("base_url") != address(home))


def serve(home: Path) -> tuple[Served, str]:
    """The demo's shop, started if it does not run; its address and its key.

    It keeps the key, and the port unless somebody has taken it.
    """
    known = address(home)
    mine = None if has_other_settings(home) else read_section(*SECTION).get("api_key")
    key = str(mine or secrets.token_urlsafe(32))
    served = running(home)
    if served is not None and mine:
        return served, key
    end(home)
    try:
        served = _launch(home, key, urlsplit(known or "").port or 0)
    except NotServed:
        served = _launch(home, key, 0)
    note = "the demo shop's data; safe to delete"
    write_atomically(home / MARKER, json.dumps({"note": note, "base_url": served.base_url}))
    return served, key


def awake(shops: Iterable[ShopSettings]) -> Served | None:
    """Serve the demo's shop again if it is the one that is configured and does not run.

    What is served now, or None when that was not needed.
    """
    home = home_folder()
    known = address(home)
    shop = next((shop for shop in shops if known and shop.base_url == known), None)
    if shop is None or running(home) is not None:
        return None
    try:
        return _launch(home, shop.api_key.get_secret_value(), urlsplit(shop.base_url).port or 0)
    except NotServed as error:
        raise CommandError(
            f"The demo's shop cannot be served at {known} ({error}). 'shopmirror demo' serves it "
            "anew; 'shopmirror init' sets a real shop up instead."
        ) from None


def end(home: Path) -> bool:
    """End the demo's shop; False when it did not run. Its mirror and settings stay."""
    return background.end(home / _NOTE)


def running(home: Path) -> Served | None:
    """What the demo's shop is served as now; None when it does not run."""
    return background.running(home / _NOTE)


def write_settings(home: Path, key: str) -> None:
    """Put the demo's settings into ``.dlt/`` of the current folder."""
    files = SettingsFiles()
    files.set(None, {"base_url": address(home), "api_key": key, **SHOP})
    files.note(None, "minute_seconds", "the demo's shop only: a real one's minute has 60 seconds")
    files.write()


def forget_settings(files: SettingsFiles) -> bool:
    """Take the demo's settings out (in memory); whether they were there.

    A real shop must not inherit the sandbox's fast minute.
    """
    known = address(home_folder())
    if not known or files.value(None, "base_url") != known:
        return False
    files.drop(None, _NAMES)
    return True


def leave(path: Path, shops: Iterable[ShopSettings]) -> bool:
    """Remove the demo from a home that is now to hold a real shop's; whether it did.

    Changes that were queued for the demo's shop are moved aside, where nothing sends them.
    """
    from pipelines.home import Home

    if not (path / MARKER).exists() or address(path) in {shop.base_url for shop in shops}:
        return False
    end(path)
    home = Home(path)
    with home.sync_lock():
        _remove(home.warehouse, home.ledger, home.build_warehouse, path / _DB)
        for suffix in ("", "-wal", "-shm"):
            queue = path / f"outbox.sqlite{suffix}"
            if queue.exists():
                queue.replace(path / f"demo-outbox.sqlite{suffix}")
        (path / "outbox.watermark").unlink(missing_ok=True)
        (path / MARKER).unlink()
    return True


def forget_another(home: "Home") -> None:
    """Remove the mirror of a demo whose shop is not here any more: the next one is another shop."""
    if (home.path / MARKER).exists() and not (home.path / _DB).exists():
        with home.sync_lock():
            _remove(home.warehouse, home.ledger, home.build_warehouse)


def _remove(*files: Path) -> None:
    for file in files:
        for name in (file.name, f"{file.name}.wal", f"{file.name}-wal", f"{file.name}-shm"):
            file.with_name(name).unlink(missing_ok=True)


def _launch(home: Path, key: str, port: int) -> Served:
    wanted = background.Wanted(
        note=str(home / _NOTE),
        db=str(home / _DB),
        key=key,
        size=SIZE,
        timezone=SHOP["timezone"],
        minute_seconds=SHOP["minute_seconds"],
        hours=HOURS,
        port=port,
        until=datetime.now(ZoneInfo(SHOP["timezone"])).date().isoformat(),
    )
    return background.launch(wanted, home / _LOG)
