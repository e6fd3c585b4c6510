"""The settings of the warehouse: where its rows go too, who reads where, whose models build it."""

from pathlib import Path
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from pipelines.settings import Section

HOME_ID = "pipeline"
"""Note of a ledger: by what id its home is known where several load."""


def _names(value: object) -> object:
    return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value


class WarehouseSettings(Section):
    """Where the rows go besides ``warehouse.duckdb``."""

    section = "warehouse"
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

    @field_validator("models")
    @classmethod
    def _is_a_project(cls, value: str) -> str:
        if value and not (Path(value) / "dbt_project.yml").is_file():
            raise ValueError(
                f"there is no dbt_project.yml in {value}: 'shopmirror models --to' writes a project"
            )
        return value

    @model_validator(mode="after")
    def _is_loaded(self) -> Self:
        if self.read and self.read not in self.also:
            raise ValueError(f"read: '{self.read}' is none of those that 'also' names")
        return self
