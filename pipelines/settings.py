"""Settings of the product: those of the source, and what figures, pushes and pages need.

Read from dlt's own places, as the source reads them (:mod:`sources.repair_shop.settings`). A name
that nobody knows is a fault.
"""

import re
from collections.abc import Mapping
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from sources.repair_shop import settings as of_the_source
from sources.repair_shop.sections import ENVIRONMENT, closest, shops_of
from sources.repair_shop.sections import SECTION as SECTION
from sources.repair_shop.sections import SettingsError as SettingsError
from sources.repair_shop.sections import faults as faults
from sources.repair_shop.sections import home_folder as home_folder
from sources.repair_shop.sections import read_section as read
from sources.repair_shop.sections import settings_layers as settings_layers
from sources.repair_shop.settings import existing_zone as existing_zone
from sources.repair_shop.settings import is_in_the_clear as is_in_the_clear
from sources.repair_shop.settings import is_loopback as is_loopback

_HOURS = re.compile(r"(\d{1,2}):([0-5]\d)-(\d{1,2}):([0-5]\d)")
WEEKDAY = re.compile(
    "mon(day)?|tue(s(day)?)?|wed(nesday)?|thu(rs(day)?)?|fri(day)?|sat(urday)?|sun(day)?"
)
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
SECTIONS = (
    "sources", "destination", "schedule", "retention", "warehouse", "outbox", "mail", "report",
    "notify", "dashboard", "display",
)  # fmt: skip
"""Sections that are read; dlt knows others, which are its own."""
HOME_ID = "pipeline"
"""Note of a ledger: by what id its home is known where several load."""
_NEAR = 0.75
"""How like one of these a name is that was meant to be it."""


def parts(text: str) -> list[str]:
    """What stands between the commas of a text."""
    return [part.strip() for part in text.split(",") if part.strip()]


def read_section(*path: str) -> dict[str, Any]:
    """All settings under a section. :class:`SettingsError` where a file has a section whose name is
    nearly one of ours: what stands there would be read by nobody."""
    for place, values in settings_layers()[:-1]:
        for name in values.keys() - set(SECTIONS):
            if near := get_close_matches(name, SECTIONS, 1, _NEAR):
                raise SettingsError(f"{place}: nothing reads [{name}]. Did you mean [{near[0]}]?")
    return read(*path)


class Section(BaseModel):
    """A section of settings: fixed once it is read; a name that it does not know is a fault."""

    # "inf" is a number to pydantic, and no length of anything.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    section: ClassVar[str] = ""
    """What it is called."""

    @classmethod
    def load(cls) -> Self:
        """The section as dlt's places have it, validated.

        :class:`SettingsError` names every fault, the file that holds it and, for a name nobody
        knows, the one that was meant. No value is in it: one may be a secret.
        """
        return cls.validated(read_section(cls.section))

    @classmethod
    def validated(cls, values: Mapping[str, Any]) -> Self:
        """The same of values that were read already."""
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            text = f"Settings under [{cls.section}] are wrong: {faults(error, cls)}."
            told = f"{text}{_places(cls.section, error)}"
            raise SettingsError(told.replace("..", ".")) from None


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


class ShopSettings(of_the_source.ShopSettings):
    """One shop as the product knows it: how to talk to it, and how its figures are to be taken."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def of(cls, shop: of_the_source.ShopSettings) -> "ShopSettings":
        """The settings that a client of the source holds; the product's own made them."""
        return shop if isinstance(shop, cls) else cls(**dict(shop))

    settle_minutes: float = Field(
        5.0, ge=1, description="how late lists may show a write; what was lost is sent again then"
    )
    repair_requests: int = Field(
        60, ge=0, description="requests a night spent re-reading days whose reports differ"
    )
    report_total: str = Field(
        "", description="field of the service's reports that holds the total, if it cannot be told"
    )
    currency: str = Field(
        "", description="what amounts are in, such as GTQ; by default the service's"
    )
    closed_weekdays: str = Field("", description="e.g. 'sun' or 'sat,sun'")
    closed_days: str = Field("", description="ISO days, comma-separated")
    opening_hours: str = Field("09:00-18:00", description="shop time, for cycle times")
    done_statuses: str = Field("", description="labels or ids of statuses that end a ticket")
    cancelled_statuses: str = Field("", description="those that end it without the work done")
    open_statuses: str = Field("", description="those that do not end a ticket, whatever it seems")
    shop_accounts: str = Field(
        "", description="staff ids, names or e-mails that stand for the shop: no technician"
    )
    today_by: Literal["invoice", "ticket"] = Field(
        "invoice",
        description="whose day makes money taken a sale of today rather than a receivable",
    )

    @field_validator("opening_hours")
    @classmethod
    def _hours_are_readable(cls, value: str) -> str:
        text = value.replace(" ", "")
        found = _HOURS.fullmatch(text)
        if not text:
            return ""
        if found is None:
            raise ValueError("must look like 09:00-18:00 (empty: the whole day)")
        opens, closes = f"{found[1]:0>2}:{found[2]}", f"{found[3]:0>2}:{found[4]}"
        if not opens < closes <= "24:00":
            raise ValueError("must end on the day it begins, after it (empty: the whole day)")
        return f"{opens}-{closes}"

    @field_validator("closed_weekdays")
    @classmethod
    def _weekdays_are_known(cls, value: str) -> str:
        days = [part.lower() for part in parts(value)]
        if not all(map(WEEKDAY.fullmatch, days)):
            raise ValueError(f"must be some of {', '.join(WEEKDAYS)}, with commas between")
        return ",".join(day[:3] for day in days)

    @field_validator("closed_days")
    @classmethod
    def _days_are_iso(cls, value: str) -> str:
        try:
            days = [date.fromisoformat(part) for part in parts(value)]
        except ValueError:
            raise ValueError("must be days like 2026-12-25, with commas between") from None
        return ",".join(day.isoformat() for day in days)


OF_ASKING = {*of_the_source.ShopSettings.model_fields, "settle_minutes", "repair_requests"}
OF_ASKING -= {"name", "timezone"}
"""Settings that say how a shop is asked, and change no figure that is made of its answers."""


class Settings(Section):
    """Every shop, in the order of their names, and the one folder the product writes to."""

    home: Path
    shops: tuple[ShopSettings, ...]

    def shop(self, name: str) -> ShopSettings:
        """The shop called ``name``; :class:`SettingsError` names those that exist."""
        for shop in self.shops:
            if shop.name == name.lower():
                return shop
        known = [shop.name for shop in self.shops]
        guess = closest(name.lower(), known)
        raise SettingsError(f"There is no shop '{name}'.{guess} Configured: {', '.join(known)}.")

    @property
    def one_zone(self) -> ZoneInfo | None:
        """The zone of all shops; None when they stand in several."""
        zones = {shop.timezone for shop in self.shops}
        return self.shops[0].zone if len(zones) == 1 else None

    def chosen(self, name: str | None) -> tuple[ShopSettings, ...]:
        """One shop if named, else all."""
        return self.shops if name is None else (self.shop(name),)


def load_settings() -> Settings:
    """Read and validate every shop; :class:`SettingsError` when one cannot be used.

    Nothing is sent anywhere: this is what "exit code 2, nothing was sent" rests on.
    """
    section = read_section(*SECTION)
    if not section:
        variable = "__".join(SECTION).upper() + "_"
        raise SettingsError(
            "No shop is set up in this folder. 'shopmirror init' asks for base_url and api_key "
            f"(or set {variable}_BASE_URL and {variable}_API_KEY); 'shopmirror demo' serves a "
            "made-up shop."
        )
    for name, value in section.items():
        if isinstance(value, Mapping) and name != "shops":
            here = ".".join(SECTION)
            raise SettingsError(
                f"Nothing reads [{here}.{name}]. Each shop stands under [{here}.shops.<shop>]."
            )
    return Settings(home=home_folder(), shops=shops_of(section, ShopSettings))


def _places(section: str, error: ValidationError) -> str:
    """Where what is wrong was said: a file, or a variable."""
    names = dict.fromkeys(str(fault["loc"][0]) for fault in error.errors() if fault["loc"])
    found: list[str] = []
    for name in names:
        for place, values in reversed(settings_layers(section)):
            if name in values:
                variable = f"{section}__{name}".upper()
                found.append(f"{name} stands in {variable if place == ENVIRONMENT else place}")
                break
    return f" {'; '.join(found)}." if found else ""
