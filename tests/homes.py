"""Settings for the shops that a sandbox serves, as every bench and simulation needs them."""

from pathlib import Path
from typing import Any

from pydantic import SecretStr

from pipelines.settings import Settings, ShopSettings
from sandbox.server import SandboxServer


def settings_of(server: SandboxServer, home: Path, **more: Any) -> Settings:
    """A home for a server's shops; ``more`` is what the settings of each say otherwise."""
    shops = [
        {
            "name": name,
            "base_url": server.base_url,
            "api_key": SecretStr(server.keys[name]),
            "timezone": spec.timezone,
            "minute_seconds": server.limiter.minute_seconds,
        }
        for name, spec in server.shops.specs.items()
    ]
    return Settings(home=home, shops=tuple(ShopSettings(**{**shop, **more}) for shop in shops))
