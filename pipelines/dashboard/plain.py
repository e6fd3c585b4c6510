"""Text that Streamlit would read as Markdown, shown as the text it is."""

import re

_MARKS = re.compile(r"[\\`*_\[\]()<>#!~$:&]")
_LINKS = re.compile(r"(?i):(?=[\w/])|(?<=\bwww)(?=\.)|(?=@)")
_JOINER = "\u2060"
"""Has no width. It parts what Streamlit makes links, icons and emoji of even when it is escaped."""


def plain(text: str) -> str:
    """``text`` for ``st.error``, ``st.subheader`` and whatever else takes Markdown.

    What the service or an error says may hold links, remote pictures and icons; none comes alive.
    """
    one_line = " ".join(text.split())
    parted = _LINKS.sub(lambda found: found.group() + _JOINER, one_line)
    return _MARKS.sub(r"\\\g<0>", parted)
