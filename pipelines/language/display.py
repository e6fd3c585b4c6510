"""``[display]`` of the settings: language, formats, the currency's sign, a logo.

::

    [display]                         # .dlt/config.toml, or DISPLAY__LANGUAGE and so on
    language = "es-GT"                # en, es; with a country its formats come along
    number_format = "1,234.50"        # how 1234.5 is written; overrides the country's
    date_format = "dd/MM/yyyy"
    currency_sign = "Q"               # auto: the country's own sign; none: amounts stand alone
    logo = "logo.png"
    catalogue = "pt.po"               # words of a language that does not come along
"""

from __future__ import annotations

import base64
import functools
import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, field_validator

from pipelines.language import NARROW, Language
from pipelines.settings import Section, SettingsError, load_section

if TYPE_CHECKING:
    from babel import Locale

FOLDER = Path(__file__).parent
"""Holds a catalogue a language, ``es.po``."""
_NUMBER = re.compile(r"1(\D?)234(\D)50?")
_DAYS = re.compile(r"(?=.*dd)(?=.*MM)(?=.*yyyy)[dMy/. -]+")
_LOGO_BYTES, _LOGO_PIXELS, _LOGO_SIZE = 5_000_000, 25_000_000, (640, 200)


class DisplaySettings(Section):
    """How people are shown things; every setting is optional."""

    language: str = Field("en", description="en, es, with a country its formats too: es-GT")
    number_format: str = Field("", description="1234.5 as it is to be shown: 1,234.50")
    date_format: str = Field("", description="of dd, MM and yyyy: dd/MM/yyyy")
    currency_sign: str = Field("", description="such as Q; auto: the country's own; none")
    logo: str = Field("", description="a picture at the head of report and page")
    catalogue: str = Field("", description="a .po file with the words of another language")

    @field_validator("language")
    @classmethod
    def _is_a_language(cls, value: str) -> str:
        if not re.fullmatch(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]+)*", value):
            raise ValueError("must look like es or es-GT")
        return value.replace("-", "_")

    @field_validator("number_format")
    @classmethod
    def _is_a_number(cls, value: str) -> str:
        if value and not _NUMBER.fullmatch(value):
            raise ValueError("write 1234.5 as it is to be shown, such as 1,234.50 or 1.234,50")
        return value

    @field_validator("date_format")
    @classmethod
    def _is_a_day(cls, value: str) -> str:
        # Months are MM; nobody means minutes here.
        value = value.replace("mm", "MM").replace("DD", "dd").replace("YYYY", "yyyy")
        if value and not _DAYS.fullmatch(value):
            raise ValueError("must be made of dd, MM and yyyy, such as dd/MM/yyyy")
        return value

    def to_language(self) -> Language:
        """The language these settings describe; :class:`SettingsError` when there is none such."""
        if self == DisplaySettings():
            return Language()
        locale = _locale(self.language)
        with_country = locale.territory is not None
        decimal, group, dates = ".", NARROW, self.date_format
        if with_country:
            symbols = locale.number_symbols["latn"]
            decimal, group = symbols["decimal"], symbols["group"].replace("\u00a0", NARROW)
            dates = dates or _full(locale.date_formats["short"].pattern)
        if found := _NUMBER.fullmatch(self.number_format):
            group, decimal = found[1].replace(" ", NARROW), found[2]
        sign = self.currency_sign or ("auto" if with_country else "")
        pattern = locale.currency_formats["standard"].pattern
        return Language(
            code=locale.language,
            locale=str(locale),
            decimal=decimal,
            group=group,
            dates=dates,
            sign="" if sign == "none" else sign,
            is_sign_behind=with_country and pattern.partition(";")[0].endswith("\u00a4"),
            words=_words(self.catalogue or self.language),
        )

    @property
    def picture(self) -> bytes | None:
        """The logo as PNG, no larger than it is shown; :class:`SettingsError` when it is none.

        It is drawn anew from its pixels, so nothing else that a file may hold reaches a page.
        """
        return _picture(Path(self.logo)) if self.logo else None

    @property
    def picture_url(self) -> str:
        """The logo as a ``data:`` address, for pages that load nothing; empty without one."""
        picture = self.picture
        if picture is None:
            return ""
        return "data:image/png;base64," + base64.b64encode(picture).decode("ascii")


def load_display() -> DisplaySettings:
    """``[display]`` of dlt's places; :class:`SettingsError` names what is wrong."""
    return load_section("display", DisplaySettings)


def load_language() -> Language:
    """The language of ``[display]``; :class:`SettingsError` as above."""
    return load_display().to_language()


def _locale(name: str) -> Locale:
    from babel import Locale, UnknownLocaleError

    try:
        return Locale.parse(name)
    except (UnknownLocaleError, ValueError):
        raise SettingsError(
            f"[display] language: nobody knows '{name}'; write es or es-GT."
        ) from None


def _full(pattern: str) -> str:
    """A country's pattern with two figures for day and month and four for the year."""
    pattern = re.sub(r"d+", "dd", re.sub(r"M+", "MM", re.sub(r"y+", "yyyy", pattern)))
    return pattern if _DAYS.fullmatch(pattern) else ""


def _words(name: str) -> Mapping[str, str]:
    if Path(name).suffix == ".po":
        path = Path(name)
    elif (language := name.partition("_")[0].lower()) == "en":
        return {}
    else:
        path = FOLDER / f"{language}.po"
    try:
        return read_catalogue(path)
    except FileNotFoundError:
        come = ", ".join(sorted(["en", *(file.stem for file in FOLDER.glob("*.po"))]))
        raise SettingsError(
            f"[display] there is no catalogue {path.name}: {come} come along; for another language "
            "translate a copy of es.po and name it as catalogue."
        ) from None
    except (OSError, ValueError) as error:
        raise SettingsError(f"[display] catalogue: {path} cannot be read ({error}).") from None


@functools.lru_cache(maxsize=8)
def read_catalogue(path: Path) -> Mapping[str, str]:
    """English sentence -> that of a gettext catalogue (``.po``); those marked fuzzy do not count.

    Raises :class:`OSError` and :class:`ValueError`.
    """
    from babel.messages.pofile import PoFileError, read_po

    try:
        with path.open("rb") as file:
            catalogue = read_po(file, abort_invalid=True)
    except PoFileError as error:
        raise ValueError(str(error)) from error
    return {
        str(message.id): str(message.string)
        for message in catalogue
        if message.id and message.string and not message.fuzzy
    }


@functools.lru_cache(maxsize=4)
def _picture(path: Path) -> bytes:
    from PIL import Image

    try:
        if path.stat().st_size > _LOGO_BYTES:
            raise SettingsError(f"[display] logo: {path} is larger than 5 MB.")
        with Image.open(path, formats=("PNG", "JPEG", "WEBP", "GIF")) as image:
            if image.width * image.height > _LOGO_PIXELS:
                raise SettingsError(f"[display] logo: {path} has more than 25 million pixels.")
            drawn = image.convert("RGBA")
        drawn.thumbnail(_LOGO_SIZE)
        out = io.BytesIO()
        drawn.save(out, "PNG", optimize=True)
        return out.getvalue()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        raise SettingsError(
            f"[display] logo: {path} is no picture that can be read (PNG, JPEG, WebP or GIF)."
        ) from None
