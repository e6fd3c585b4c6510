"""Settings for the shops that a sandbox serves, as every bench and simulation needs them."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipelines.settings import Settings, ShopSettings

if TYPE_CHECKING:
    from sandbox.service import Sandbox


def shop_of(name: str = "main", **more: Any) -> ShopSettings:
    """Settings of a shop that nothing asks, but for what is said of it."""
    never = {"name": name, "base_url": "http://127.0.0.1:9/v1", "api_key": f"key-of-{name}"}
    return ShopSettings.model_validate(never | more)


def settings_of(server: "Sandbox", home: Path, **more: Any) -> Settings:
    """A home for a server's shops; ``more`` is what the settings of each say otherwise."""
    of_all = {"base_url": server.base_url, "minute_seconds": server.limiter.minute_seconds}
    shops = (
        shop_of(name, **of_all | {"api_key": server.keys[name], "timezone": spec.timezone} | more)
        for name, spec in server.specs.items()
    )
    return Settings(home=home, shops=tuple(shops))
