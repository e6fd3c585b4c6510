"""Takes the API key out of whatever the service sends back, before anything else sees it.

A service, or a proxy before it, may echo the request's header in an error text, a debug field or a
redirect. Everything that came is kept (ledger, raw tables, history of the queue), so the key is
masked once, at the wire: as it is, and as JSON, a URL, base64 or hexadecimal digits write it. A key
that is split over several fields is found by its pieces: eight of its characters in a row are in no
other text by chance; once a piece is found, what is left of the key is masked too.
"""

import base64
import json
import re
from collections.abc import Iterator
from urllib.parse import quote

MASK = "[key]"
_SHORTEST_KEY = 4
"""A shorter one would mask ordinary words, and is no key."""
_PIECE = 8
_SIGN = _PIECE // 2
_STEP = _PIECE - _SIGN + 1
"""Length and distance of the parts of the key that are looked for first: any piece holds one."""
_SHORTEST_REST = 4
_ROUNDS = 3
"""How many layers of escaping are undone."""
_ESCAPED = (
    re.compile(r"%(?:25)*[2-7][0-9A-Fa-f](?:%(?:25)*[2-7][0-9A-Fa-f]){3}"),
    re.compile(r"\\u00[2-7][0-9A-Fa-f](?:\\u00[2-7][0-9A-Fa-f]){3}"),
)
"""Escapes in a row of letters that need none."""
_ESCAPES_BEGIN = ("%", "\\u00", "\\U00", "\\/")


class Redactor:
    """Masks one key. Text without it passes unchanged, at the price of a few searches."""

    def __init__(self, secret: str) -> None:
        self._key = secret if len(secret) >= _SHORTEST_KEY else ""
        self._pieces = _Pieces(self._key)
        self._forms = dict(_other_forms(self._key)) if self._key else {}
        # Whoever escapes what needs it breaks up pieces of such a key.
        self._breaks = _ESCAPES_BEGIN if quote(self._key, safe="") != self._key else ()
        # Only what may stand unescaped in JSON is unescaped, so that JSON stays JSON.
        letters = set("".join([self._key, *self._forms])) - set('"\\') | {"%"}
        codes = "|".join(f"{ord(letter):02x}" for letter in sorted(letters))
        self._escapes = re.compile(rf"(?:\\u00|%)({codes})|\\/", re.IGNORECASE)

    def body(self, body: bytes) -> bytes:
        """The body of an answer without the key; the very same bytes if it is not in there."""
        if not self._key or not body:
            return body
        # A body that is no UTF-8 must not hide the key either: JSON may be UTF-16.
        encoding = json.detect_encoding(body)
        text = body.decode(encoding, "surrogateescape" if encoding == "utf-8" else "replace")
        clean = self.text(text)
        return body if clean is text else clean.encode("utf-8", "surrogateescape")

    def text(self, text: str) -> str:
        """``text`` without the key; the very same object if it is not in there."""
        if not self._key or not self._may_hold_it(text):
            return text
        plain = text
        for _ in range(_ROUNDS):
            unescaped = self._unescaped(plain)
            if unescaped == plain:
                break
            plain = unescaped
        clean = plain
        for form, pattern in self._forms.items():
            if form in clean:
                clean = pattern.sub(MASK, clean)
        clean = self._pieces.masked(clean)
        return text if clean == plain else clean

    def _may_hold_it(self, text: str) -> bool:
        """Whether a closer look is worth its time: every answer passes here."""
        if self._pieces.may_be_in(text) or any(form in text for form in self._forms):
            return True
        if any(sign in text for sign in self._breaks):
            return True
        return any(escaped.search(text) for escaped in _ESCAPED)

    def _unescaped(self, text: str) -> str:
        if not any(sign in text for sign in _ESCAPES_BEGIN):
            return text  # the pattern takes twenty times as long to find nothing
        return self._escapes.sub(lambda found: chr(int(found[1], 16)) if found[1] else "/", text)


class _Pieces:
    """The key as it is, masked whole and in pieces."""

    def __init__(self, key: str) -> None:
        self._key = key
        # Any piece holds one of these whole, wherever it begins.
        starts = range(0, len(key) - _SIGN + 1, _STEP) if len(key) >= _PIECE else ()
        self._signs = tuple(key[at : at + _SIGN] for at in starts) or (key,)

    def may_be_in(self, text: str) -> bool:
        """False when no piece stands in ``text``."""
        return any(sign in text for sign in self._signs)

    def masked(self, text: str) -> str:
        """``text`` without the key and its pieces."""
        if len(self._key) < _PIECE:
            return text.replace(self._key, MASK)
        left = self._key
        while pieces := sorted(set(self._pieces_in(text)), key=len, reverse=True):
            for piece in pieces:
                text = text.replace(piece, MASK)
                left = left.replace(piece, "\0")
        if left != self._key:
            for rest in left.split("\0"):
                if len(rest) >= _SHORTEST_REST:
                    text = text.replace(rest, MASK)
        return text

    def _pieces_in(self, text: str) -> Iterator[str]:
        """The longest pieces of the key that stand in ``text``."""
        key, start = self._key, 0
        there = [sign in text for sign in self._signs]
        while start + _PIECE <= len(key):
            end = start + _PIECE
            if not there[-(-start // _STEP)] or key[start:end] not in text:
                start += 1
                continue
            while end < len(key) and key[start : end + 1] in text:
                end += 1
            yield key[start:end]
            start = end


def _other_forms(key: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The key in JSON, a URL, hexadecimal, and base64 (wherever it begins in what was encoded)."""
    raw = key.encode()
    for form in (json.dumps(key)[1:-1], quote(key, safe=""), raw.hex(), raw.hex().upper()):
        yield form, re.compile(re.escape(form))
    for before in range(3):
        coded = base64.b64encode(b"\0" * before + raw).decode()
        # The first and last characters also depend on what stands around the key.
        core = coded[(before * 8 + 5) // 6 : (before + len(raw)) * 8 // 6]
        for form in dict.fromkeys((core, core.translate(str.maketrans("+/", "-_")))):
            if len(form) >= _SHORTEST_KEY:
                yield form, re.compile(rf"[\w+/-]?{re.escape(form)}[\w+/-]?=*")
