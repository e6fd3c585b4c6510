"""Takes the API key out of whatever the service sends back, before anything else sees it.

A service, or a proxy before it, may echo the request's header in an error text, a debug field or a
redirect. The key is masked once, at the wire: as it is, and as JSON or a URL writes it.
"""

import re

MASK = "[key]"
_SHORTEST_KEY = 4
"""A shorter one would mask ordinary words, and is no key."""


class Redactor:
    """Masks one key. Text without it passes unchanged."""

    def __init__(self, secret: str) -> None:
        self._key = secret if len(secret) >= _SHORTEST_KEY else ""
        self._pattern = re.compile("".join(map(_written, self._key)))

    def body(self, body: bytes) -> bytes:
        """A body of UTF-8 without the key; the very same bytes if it is not in there."""
        if not self._may_hold(body.decode("latin-1")):  # the key is ASCII
            return body
        return self._pattern.sub(MASK, body.decode("latin-1")).encode("latin-1")

    def text(self, text: str) -> str:
        """``text`` without the key."""
        return self._pattern.sub(MASK, text) if self._may_hold(text) else text

    def _may_hold(self, text: str) -> bool:
        """The pattern takes long, and every answer passes here."""
        if not self._key:
            return False
        return self._key in text or "%" in text or "\\" in text


def _written(letter: str) -> str:
    """A letter of the key as itself, as JSON or as a URL writes it."""
    code = f"{ord(letter):02x}"
    return rf"(?:\\?{re.escape(letter)}|(?i:\\u00{code}|%(?:25)?{code}))"
