"""Whether a row is as it was: a digest of what it says, without what every answer says anew.

Some services sign the addresses of their photos for each answer, or tell when they answered. A row
is not edited by that, and to read it again every night would cost requests. So left out are:

- how an address is signed: the parameters below, in any text;
- the query of addresses in ``photourls`` and ``logourls``: what it says is how to show a photo;
- fields that :func:`volatile_fields` found to differ between two answers of the same minute.
"""

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import orjson

from ..schema.names import snake_case
from ..schema.values import EMPTY

Path = tuple[str, ...]
"""Where a value stands in a row: names of fields, ``*`` for each item of a list."""

PHOTOS = frozenset(("photourls", "photo_urls", "logourls", "logo_urls"))
"""Fields of addresses of pictures (field notes, Fields seen)."""
_SIGNED = re.compile(
    rb"(?<=[?&])(?:x-(?:amz|goog|oss)-[a-z-]+|signature|sig|expires?|expiry|policy|key-pair-id"
    rb"|googleaccessid|awsaccesskeyid|hmac|token|se|st|sp|sv|sr|skoid|ske|skt|skv|hdnts)"
    rb"=[^&\"#\\\s]*",
    re.IGNORECASE,
)
_FEWEST = 5
"""Rows in which a field must differ to be volatile."""


def digest(row: Mapping[str, Any], volatile: Collection[Path] = ()) -> bytes:
    """Short digest of a row's content. ``volatile`` fields of its list are left out."""
    kept: Any = _without(row, volatile) if volatile else row
    if not PHOTOS.isdisjoint(map(snake_case, kept)):
        kept = {k: _unasked(v) if snake_case(k) in PHOTOS else v for k, v in kept.items()}
    try:
        said = orjson.dumps(kept, default=str, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # a number of more than 64 bits
        said = json.dumps(kept, sort_keys=True, default=str).encode()
    if b"?" in said:
        said = _SIGNED.sub(b"", said)
    return hashlib.blake2b(said, digest_size=12).digest()


def volatile_fields(
    first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]
) -> set[Path]:
    """Fields that differ in every row between two answers to the same question, seconds apart.

    Both are given in the same order. A field that is edited in all rows at once, such as prices,
    differs from what was known; it does not differ again at once.
    """
    pairs: dict[Path, list[bool]] = {}
    for one, other in zip(first, second, strict=False):
        if one.get("id") == other.get("id"):
            before, after = dict(_leaves(one, ())), dict(_leaves(other, ()))
            for path in before.keys() & after.keys():
                if before[path] not in ([], [None]):
                    pairs.setdefault(path, []).append(before[path] != after[path])
    return {path for path, differ in pairs.items() if len(differ) >= _FEWEST and all(differ)}


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, list[Any]]]:
    """Values that are no objects, those of a list together."""
    found: dict[Path, list[Any]] = {}
    stack = [(path, value)]
    while stack:
        here, item = stack.pop()
        if isinstance(item, Mapping):
            stack.extend(((*here, key), inner) for key, inner in item.items())
        elif isinstance(item, list):
            stack.extend(((*here, "*"), inner) for inner in item)
        else:
            found.setdefault(here, []).append(None if item in EMPTY else item)
    yield from found.items()


def _without(value: Any, paths: Collection[Path]) -> Any:
    """A value without what stands at these paths."""
    if isinstance(value, Mapping):
        gone = {path[0] for path in paths if len(path) == 1}
        return {
            key: _without(inner, [p[1:] for p in paths if len(p) > 1 and p[0] == key])
            for key, inner in value.items()
            if key not in gone
        }
    if isinstance(value, list) and paths:
        inside = [path[1:] for path in paths if path[0] == "*"]
        return [_without(item, inside) for item in value] if () not in inside else []
    return value


def _unasked(value: Any) -> Any:
    """Addresses without their query."""
    if isinstance(value, Mapping):
        return {key: _unasked(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return list(map(_unasked, value))
    return value.partition("?")[0] if isinstance(value, str) else value
