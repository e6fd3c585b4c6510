"""SQL for DuckDB with its values written out.

Not bound, because DuckDB imports pandas before it binds anything: a fifth of a second and sixty
megabytes, more than all questions of a report or a quiet night take.
"""

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

_NAME = re.compile(r"\$([a-z]\w*)")


def written(sql: str, values: Mapping[str, Any]) -> str:
    """``sql`` with each ``$name`` replaced by its value. Raises :class:`KeyError`, TypeError."""
    return _NAME.sub(lambda found: literal(values[found[1]]), sql)


def named(sql: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the values that ``sql`` names, to be bound: DuckDB takes no others."""
    return {name: values[name] for name in _NAME.findall(sql)}


def literal(value: Any) -> str:
    """A value as SQL; :class:`TypeError` for a type that no question has."""
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{', '.join(literal(one) for one in value)}]::varchar[]"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise TypeError("a moment without an offset")
        return f"timestamptz '{value.isoformat()}'"
    if isinstance(value, date):
        return f"date '{value.isoformat()}'"
    if isinstance(value, str):
        quoted = "'" + value.replace("'", "''") + "'"
        # The parser takes NUL for the end of the statement.
        return "(" + quoted.replace("\0", "' || chr(0) || '") + ")" if "\0" in quoted else quoted
    raise TypeError(f"no question has a value of type {type(value).__name__}")
