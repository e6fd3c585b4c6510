"""Whether a row is as it was: a digest of what it says, without what every answer says anew.

Some services sign the addresses of their photos for each answer, or say when they answered. A row
is not edited by that, and to read it again every night would cost requests. So left out are:

- how an address is signed: the parameters below, in any text;
- the query of addresses in ``photourls`` and ``logourls``: what it says is how to show a photo;
- fields that a list was found to fill anew with each answer (:mod:`~repair_shop.scan.volatile`).
"""

import hashlib
import re
from collections.abc import Collection, Mapping
from typing import Any

import orjson

from ..schema.names import snake_case

Path = tuple[str, ...]
"""Where a value stands in a row: the names of the fields around it, and its own."""

PHOTOS = frozenset(("photourls", "photo_urls", "logourls", "logo_urls"))
"""Fields of addresses of pictures (field notes, Fields seen)."""
_SIGNED = re.compile(
    rb"(?<=[?&])(?:x-(?:amz|goog|oss)-[a-z-]+|signature|sig|expires?|expiry|policy|key-pair-id"
    rb"|googleaccessid|awsaccesskeyid|hmac|token|se|st|sp|sv|sr|skoid|ske|skt|skv|hdnts)"
    rb"=[^&\"#\\\s]*",
    re.IGNORECASE,
)


def digest(row: Mapping[str, Any], volatile: Collection[Path] = ()) -> bytes:
    """Short digest of a row's content; ``volatile`` fields are left out."""
    kept: Any = _without(row, volatile) if volatile else row
    if not PHOTOS.isdisjoint(map(snake_case, kept)):
        kept = {k: _unasked(v) if snake_case(k) in PHOTOS else v for k, v in kept.items()}
    text = orjson.dumps(kept, default=str, option=orjson.OPT_SORT_KEYS)
    if b"?" in text:
        text = _SIGNED.sub(b"", text)
    return hashlib.blake2b(text, digest_size=12).digest()


def _without(row: Mapping[str, Any], paths: Collection[Path]) -> dict[str, Any]:
    """A row without what stands at these paths."""
    gone = {path[0] for path in paths if len(path) == 1}
    kept = {key: value for key, value in row.items() if key not in gone}
    for key, value in kept.items():
        inside = [path[1:] for path in paths if len(path) > 1 and path[0] == key]
        if inside and isinstance(value, Mapping):
            kept[key] = _without(value, inside)
    return kept


def _unasked(value: Any) -> Any:
    """Addresses without their query."""
    if isinstance(value, Mapping):
        return {key: _unasked(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return list(map(_unasked, value))
    return value.partition("?")[0] if isinstance(value, str) else value
