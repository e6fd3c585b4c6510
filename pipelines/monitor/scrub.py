"""What may leave the machine or stay in a log: no secret, and nothing that says who a customer is.

Messages of libraries quote values (``Could not convert string "..."``) and our own quote what the
service answered (``(saw: ...)``); both may hold a customer's name. So quoted text, e-mail
addresses, long numbers and query strings are masked; words, paths, counts and amounts stay.
"""

import re
from collections.abc import Iterable

_MASK = "..."
# Each begins where no longer match of it could have begun, so none takes more than linear time.
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(
            r"(?i)\b(authorization|api[_-]?key|password|token|secret)(['\"]?\s*[:=]\s*)['\"]?[^\s'\",;)]+"
        ),
        r"\1\2***",
    ),
    (re.compile(r"(?<=://)[^\s/@:]+:[^\s/@]+@"), "***@"),
    (re.compile(r"(?<!\w)(\w+://[^\s?#]+)[?#]\S*"), r"\1?..."),
    (re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(\.[\w-]+)+"), "<e-mail>"),
    (re.compile(r'"[^"\n]{2,}"'), f'"{_MASK}"'),
    (re.compile(r"(?<![\w])'(?!shopmirror )[^'\n]{2,}'(?![\w])"), f"'{_MASK}'"),
    # A telephone number: seven digits or more, however grouped; not an ISO time.
    (re.compile(r"(?<![\w.:-])\+?\(?\d(?:[ ()/]?\d){6,}(?![\w:-])"), "<number>"),
)


def scrub(text: str, secrets: Iterable[str] = ()) -> str:
    """``text`` without the given secrets and without what may name a customer."""
    for secret in secrets:
        if len(secret) >= 4:  # a shorter one would mask ordinary words, and is no key
            text = text.replace(secret, "***")
    saw, end = text.find("(saw: "), text.rfind(")")
    if 0 <= saw < end:
        text = f"{text[:saw]}(saw: ...){text[end + 1 :]}"
    for pattern, mask in _RULES:
        text = pattern.sub(mask, text)
    return text
