"""The field tables of the specification ("Resources and their fields"), copied down by hand into
``tables.txt``.

One line a field: name, type, marks. Types: ``text``; ``id`` of a record, ``ids`` one or several;
``label`` an id or an exact label; ``number``; ``flag``; dates to the ``day``, ``minute`` or
``second``, ``due`` a day or second, ``moment`` any of them; ``priority``; ``country``; ``file`` a
name of an allowed type; ``[list]`` of objects with a table of their own.
Marks: ``!`` must be there on create, ``+`` on create only, ``-`` on update only, ``~`` not blank,
``<N`` at most N characters (of a number: less), ``>N`` more than N, ``>=N``, ``(a|b)`` one of,
``=x`` what is taken when it is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_TEXT = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")

TABLES: Mapping[str, str] = dict(re.findall(r"^(\w+):\n((?:  .+\n)+)", _TEXT, re.MULTILINE))
"""Table -> its lines."""
