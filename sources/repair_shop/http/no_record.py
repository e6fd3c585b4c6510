"""How a service answers for a record that nobody has: no status is specified for it (Errors, 5)."""

import re
from collections.abc import Callable
from uuid import uuid4

from ..errors import BadAnswer

_NUMBER = re.compile(r"[0-9]+")


def refusal_of_nobody(look: Callable[[str], object], identity: str) -> str:
    """The words (:func:`words_without`) in which ``look`` is refused an id just made up, of the
    spelling of ``identity``; empty where it is answered."""
    nobody = str(uuid4()) if "-" in identity else f"{identity}0000"
    try:
        look(nobody)
    except BadAnswer as error:
        return words_without(nobody, error)
    return ""


def words_without(identity: str, error: BadAnswer) -> str:
    """What a refusal says of any record: its words without the id, which may be a digit of its
    status, and without numbers."""
    return _NUMBER.sub("#", re.sub(rf"(?<!\w){re.escape(identity)}(?!\w)", "#", str(error)))
