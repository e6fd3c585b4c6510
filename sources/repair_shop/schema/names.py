"""Field names of the service -> names of columns and tables: the same one always, in any script."""

import hashlib
import re
import unicodedata
from functools import lru_cache

LONGEST = 120
"""Bytes of the longest name made here; what is longer ends in a digest of the whole."""

_CAMEL = re.compile(r"(?<=[a-z0-9])([A-Z])|(?<=[A-Z])([A-Z])(?=[a-z])")
_OTHER = re.compile(r"[^0-9a-z]+")
_KEPT = "LMNS"
"""First letters of the Unicode categories that a name keeps: letters, marks, numbers, symbols."""


def snake_case(name: str) -> str:
    """``createdDate`` -> ``created_date``, ``VATRegistration`` -> ``vat_registration``.

    Letters of other scripts stay as they are (``颜色``); everything else parts words. Never empty,
    never longer than :data:`LONGEST`, never a name of dlt's own, and no digit in front.
    """
    return _snake_case(name) if len(name) <= LONGEST else bounded(_snake_case.__wrapped__(name))


@lru_cache(maxsize=10_000)
def _snake_case(name: str) -> str:
    lower = _CAMEL.sub(r"_\1\2", name).lower()
    if not lower.isascii():
        lower = unicodedata.normalize("NFC", lower)
    plain = _OTHER.sub(lambda found: _of_other_scripts(found[0]), lower)
    plain = re.sub(r"_{2,}", "_", plain).rstrip("_")
    if not plain:
        return f"x{_digest(name)}" if name.strip("_ ") else "x"
    if plain.startswith("_dlt"):
        return bounded("x" + plain)
    return bounded("_" + plain if plain[0].isdigit() else plain)


def _of_other_scripts(text: str) -> str:
    if text.isascii():
        return "_"
    return "".join(
        "_" if c.isascii() or unicodedata.category(c)[0] not in _KEPT else c for c in text
    )


def bounded(name: str) -> str:
    """A name that is not too long; two that differ stay two."""
    data = name.encode("utf-8", "surrogatepass")
    if len(data) <= LONGEST:
        return name
    kept = data[: LONGEST - 13].decode("utf-8", "ignore").rstrip("_")
    return f"{kept}_{_digest(name)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
