"""Fonts of the PDF: those of the packages, and what a name may need beside them.

FiraGO writes Latin, Greek, Cyrillic, Arabic, Hebrew, Devanagari, Thai and Georgian; Noto Sans what
it lacks of these. No package that is kept up brings Chinese, Japanese and Korean at a size that
every installation should carry (15 MB and more). Typst takes them from the machine; where that has
none, the report says which font to install.
"""

import functools
import tempfile
import unicodedata
from collections.abc import Iterable
from pathlib import Path

_PACKAGED = ("figo", "figbo", "notos", "notosbo")
"""FiraGO and Noto Sans; regular and bold."""
_EASTERN = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC", "FULLWIDTH")
_NO_LETTER = "\uffff"
"""A font draws what it lacks as it draws this."""


@functools.lru_cache(maxsize=1)
def folder() -> Path:
    """The packaged fonts as files, for as long as this process runs."""
    import atexit
    import shutil

    import pymupdf_fonts

    made = Path(tempfile.mkdtemp(prefix="shopmirror-fonts-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    for name in _PACKAGED:
        (made / f"{name}.ttf").write_bytes(pymupdf_fonts.myfont(name))
    return made


def lacking(texts: Iterable[str]) -> list[str]:
    """Names of fonts to install so that every letter of ``texts`` can be drawn; mostly none."""
    letters = {letter for text in texts for letter in text if ord(letter) > 0x2FF}
    names = set()
    for letter in letters:
        if unicodedata.category(letter)[0] in "LMN" and not is_drawn(letter):
            script = unicodedata.name(letter, "").split(" ")[0].split("-")[0]
            names.add("CJK" if script in _EASTERN else script.title())
    return [f"Noto Sans {name}".rstrip() for name in sorted(names)]


def packaged() -> list[Path]:
    """The files of the packaged fonts."""
    return sorted(folder().iterdir())


@functools.lru_cache(maxsize=4096)
def is_drawn(letter: str) -> bool:
    """Whether a packaged font, or one of this machine, has the letter."""
    import typst

    if any(_has(str(path), 0, letter) for path in packaged()):
        return True
    others = (font for font in typst.Fonts().fonts() if font.path)
    return any(_has(str(font.path), font.index, letter) for font in others)


def _has(path: str, index: int, letter: str) -> bool:
    drawn, nothing = (_mask(path, index, text) for text in (letter, _NO_LETTER))
    return drawn is not None and drawn != nothing


@functools.lru_cache(maxsize=4096)
def _mask(path: str, index: int, letter: str) -> bytes | None:
    from PIL import ImageFont

    try:
        mask = ImageFont.truetype(path, 24, index=index).getmask(letter)
    except (OSError, ValueError):  # a font that FreeType cannot read writes nothing
        return None
    return repr(mask.size).encode() + bytes(mask)
