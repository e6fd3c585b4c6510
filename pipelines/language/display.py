"""``[display]`` of the settings: language, catalogue, logo.

::

    [display]                         # .dlt/config.toml, or DISPLAY__LANGUAGE and so on
    language = "es-GT"                # en, es; with a country, days and amounts as it writes them
    logo = "logo.png"
    catalogue = "pt.po"               # words of a language that does not come along
"""

import base64
import functools
import gettext
import io
import re
from pathlib import Path

from pydantic import Field, field_validator

from pipelines.language import Language
from pipelines.settings import Section, SettingsError

FOLDER = Path(__file__).parent
"""Holds a catalogue a language, ``es.po``."""
_LOGO_BYTES, _LOGO_PIXELS, _LOGO_SIZE = 5_000_000, 25_000_000, (640, 200)


class DisplaySettings(Section):
    """How people are shown things; every setting is optional."""

    section = "display"
    language: str = Field("en", description="en, es; with a country its ways of writing: es-GT")
    logo: str = Field("", description="a picture at the head of report and page")
    catalogue: str = Field("", description="a .po file with the words of another language")

    @field_validator("language")
    @classmethod
    def _is_a_language(cls, value: str) -> str:
        if not re.fullmatch(r"[A-Za-z]{2,3}([-_][A-Za-z0-9]+)*", value):
            raise ValueError("must look like es or es-GT")
        return value.replace("-", "_")

    def to_language(self) -> Language:
        """The language these settings describe; :class:`SettingsError` when there is none such."""
        if self.language == "en" and not self.catalogue:
            return Language()
        from babel import Locale, UnknownLocaleError

        try:
            locale = Locale.parse(self.language)
        except (UnknownLocaleError, ValueError):
            written = self.language.replace("_", "-")
            raise SettingsError(
                f"[display] language: nobody knows '{written}'; write en, es, or one with its "
                "country, such as es-GT."
            ) from None
        return Language(str(locale), _words(self.catalogue, locale.language))

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
        return (
            "" if picture is None else "data:image/png;base64," + base64.b64encode(picture).decode()
        )


def spoken() -> Language:
    """The language of the settings; English where they are at fault: it is said all the same."""
    try:
        return DisplaySettings.load().to_language()
    except SettingsError:
        return Language()


def _words(catalogue: str, language: str) -> gettext.NullTranslations:
    if not catalogue and language == "en":
        return gettext.NullTranslations()
    path = Path(catalogue) if catalogue else FOLDER / f"{language}.po"
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
def read_catalogue(path: Path) -> gettext.GNUTranslations:
    """A gettext catalogue (``.po``); sentences marked fuzzy do not count.

    Raises :class:`OSError` and :class:`ValueError`.
    """
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import PoFileError, read_po

    compiled = io.BytesIO()
    try:
        with path.open("rb") as file:
            write_mo(compiled, read_po(file, abort_invalid=True))
    except PoFileError as error:
        raise ValueError(str(error)) from error
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


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
