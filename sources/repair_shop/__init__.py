"""Every list of a repair shop's service, as a dlt source. See ``README.md`` beside this file."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .source import repair_shop

__all__ = ["repair_shop"]


def __getattr__(name: str) -> Any:
    """The source, imported when it is asked for: dlt takes a second to import."""
    if name == "repair_shop":
        from .source import repair_shop

        return repair_shop
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
