"""The settings of further destinations: which there are, and what of them is secret."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import unquote, urlsplit

from pydantic import BeforeValidator, Field, model_validator

from pipelines.settings import Section, load_section, read_section

HOME_ID = "pipeline"
"""Note of a ledger: by what id its home is known where several load."""


def _names(value: object) -> object:
    return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value


class WarehouseSettings(Section):
    """Where the rows go besides ``warehouse.duckdb``."""

    also: Annotated[tuple[str, ...], BeforeValidator(_names)] = Field(
        (), description="dlt destinations that each sync loads too"
    )
    also_models: bool = Field(
        True, description="build the models there too, where it is a PostgreSQL"
    )
    models: str = Field(
        "", description="folder of models of your own, which dbt builds ('shopmirror models --to')"
    )
    read: str = Field("", description="the PostgreSQL of these that reports are read from")

    @property
    def project(self) -> Path | None:
        """The folder of models of somebody's own; None for those that were shipped."""
        return Path(self.models).absolute() if self.models else None

    @model_validator(mode="after")
    def _is_loaded(self) -> Self:
        if self.read and self.read not in self.also:
            raise ValueError(f"read: '{self.read}' is none of those that 'also' names")
        return self


def load_warehouse() -> WarehouseSettings:
    """The ``[warehouse]`` section; ``SettingsError`` names all faults."""
    return load_section("warehouse", WarehouseSettings)


_TOLD = ("host", "port", "database", "username", "drivername")
"""What stands in credentials and is none: a user 'shopmirror' would make *** of what to type."""


def without_secrets(text: str) -> str:
    """A message without what stands in any destination's credentials."""
    for secret in sorted(_secrets(read_section("destination")), key=len, reverse=True):
        text = text.replace(secret, "***")
    return text


def _secrets(values: Mapping[str, Any], is_secret: bool = False) -> Iterator[str]:
    for name, value in values.items():
        inside = is_secret or any(w in name for w in ("credential", "password", "key", "token"))
        if isinstance(value, Mapping):
            yield from _secrets(value, inside)
        elif inside and isinstance(value, str) and len(value) > 3:
            if name in _TOLD and "=" not in value:
                continue
            yield value
            if (password := urlsplit(value).password) and len(password) > 3:
                yield from {password, unquote(password)}
