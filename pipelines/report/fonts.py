"""Fonts for paper: names of people in many scripts, on a machine that may have no font at all.

FiraGO comes as a package (Latin, Greek, Cyrillic, Arabic, Hebrew, Thai, Georgian, Armenian,
Devanagari). Chinese, Japanese and Korean need a font of the machine; where there is none, such a
character is replaced by a question mark and the page says so.
"""

import functools
from collections.abc import Iterable
from pathlib import Path

from fontTools.ttLib import TTCollection, TTFont, TTLibError

FAMILY = "firago"
FALLBACK = "machine"
MISSING = "?"

_FOLDERS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.fonts",
    "~/.local/share/fonts",
    "/System/Library/Fonts",
    "/Library/Fonts",
    "C:/Windows/Fonts",
)
_EAST_ASIAN = (
    "NotoSansCJK*-Regular.*",
    "NotoSans[CJKST][CJPRK]*-Regular.*",
    "SourceHanSans*-Regular.*",
    "DroidSansFallback*.ttf",
    "wqy-*.ttc",
    "unifont*.otf",
    "Arial Unicode.ttf",
    "PingFang.ttc",
    "msyh.ttc",
    "malgun.ttf",
)
"""Names of fonts that hold Chinese, Japanese and Korean, the most complete first."""


def unpack(folder: Path) -> dict[str, Path]:
    """Write the packaged fonts into ``folder``: style (``""``, ``"B"``) -> file."""
    import pymupdf_fonts

    files = {}
    for style, name in (("", "figo"), ("B", "figbo")):
        files[style] = folder / f"{name}.ttf"
        files[style].write_bytes(pymupdf_fonts.myfont(name))
    return files


@functools.lru_cache(maxsize=8)
def characters(path: Path) -> frozenset[int]:
    """The code points a font file can show; empty when it cannot be read as one."""
    try:
        if path.suffix.lower() in (".ttc", ".otc"):
            with TTCollection(path, lazy=True) as collection:
                return frozenset(collection.fonts[0].getBestCmap())
        with TTFont(path, lazy=True) as font:
            return frozenset(font.getBestCmap() or ())
    except (OSError, TTLibError, KeyError):
        return frozenset()


def machine_font(needed: Iterable[str]) -> Path | None:
    """A font of this machine that shows the most of ``needed``; None when none shows any."""
    wanted = {ord(character) for character in needed}
    best: tuple[int, Path] | None = None
    for path in _installed():
        found = len(wanted & characters(path))
        if found and (best is None or found > best[0]):
            best = (found, path)
        if found == len(wanted):
            break
    return best[1] if best else None


@functools.lru_cache(maxsize=1)
def _installed() -> tuple[Path, ...]:
    folders = [Path(name).expanduser() for name in _FOLDERS]
    return tuple(
        path
        for pattern in _EAST_ASIAN
        for folder in folders
        if folder.is_dir()
        for path in sorted(folder.rglob(pattern))
    )
