"""What the shell offers after a Tab, and the options that several commands share.

``shopmirror --install-completion`` sets it up. Nothing here may fail or take long: settings that
cannot be read offer nothing.
"""

from typing import Annotated

import typer

from pipelines.settings import SECTION, SettingsError, read_section


def shops(incomplete: str) -> list[str]:
    """Names of the configured shops that begin so."""
    try:
        found = read_section(*SECTION).get("shops", {})
    except SettingsError:
        return []
    return [name for name in sorted(found) or ["main"] if name.startswith(incomplete)]


def resources(incomplete: str) -> list[str]:
    """Names of the lists that begin so."""
    from sources.repair_shop.schema.endpoints import ENDPOINTS

    return [name for name in ENDPOINTS if name.startswith(incomplete)]


ShopOption = Annotated[str | None, typer.Option(help="Only this shop.", autocompletion=shops)]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document.")]
MaxRequestsOption = Annotated[
    int | None, typer.Option(min=1, help="Stop after so many requests (exit code 4).")
]
