"""A chain's shops, each with a home of its own, which all load one PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from pipelines.settings import Settings
from sandbox.server import SandboxServer
from tests.app.command_line import PREFIX
from tests.engines.postgres import do
from tests.homes import settings_of

SHOPS = ("east", "north", "south")
ROOT = Path(__file__).parents[2]


class Chain:
    """``sandbox`` serves the shops, ``address`` is the database, ``folder`` holds the homes."""

    def __init__(self, folder: Path, sandbox: SandboxServer, address: str) -> None:
        self.folder, self.sandbox, self.address = folder, sandbox, address

    def home(self, shop: str) -> Path:
        return self.folder / shop

    def settings(self, home: str, *shops: str) -> Settings:
        """Of a home, for these shops."""
        whole = settings_of(self.sandbox, self.home(home))
        chosen = tuple(shop for shop in whole.shops if shop.name in shops)
        return whole.model_copy(update={"shops": chosen})

    def begin(
        self, shop: str, *options: str, home: str = "", models: bool = True, closed_days: str = ""
    ) -> subprocess.Popen[str]:
        """The sync of a home, in a process of its own."""
        given = {
            PREFIX + "BASE_URL": self.sandbox.base_url,
            PREFIX + "TIMEZONE": "UTC",
            PREFIX + "MINUTE_SECONDS": str(self.sandbox.limiter.minute_seconds),
            PREFIX + "CLOSED_DAYS": closed_days,
            f"{PREFIX}SHOPS__{shop.upper()}__API_KEY": self.sandbox.keys[shop],
            "SHOPMIRROR_HOME": str(self.home(home or shop)),
            "WAREHOUSE__ALSO": "company",
            "WAREHOUSE__ALSO_MODELS": str(models),
            "PYTHONPATH": str(ROOT),
        }
        return subprocess.Popen(
            [sys.executable, "-m", "shopmirror", "sync", *options],
            cwd=self.folder, env=os.environ | given, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def sync(self, shop: str, *options: str, **more: object) -> int:
        """The exit code of such a sync."""
        return ended(self.begin(shop, *options, **more))[0]  # type: ignore[arg-type]

    def do(self, *statements: str) -> list[tuple[object, ...]]:
        return do(self.address, *statements)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit code of a process, and what it told."""
    told, _ = process.communicate(timeout=600)
    return process.returncode, told
