"""The lists of the specification, read from the table ``lists.txt`` beside this module.

There a heading of the specification stands alone, and a list's line begins with its path and
resource. Words behind them: ``detail=id`` (``GET path/{id}`` exists), ``undated`` (without
``createdDateFrom`` and ``createdDateTo``), ``unsorted`` (without ``sort``), ``by_update`` (sorts by
the last change too), ``oldest`` (first, by default). Indented lines are its parameters as
``name:kind=field|field(value|value)`` (free text and the field of its name where nothing else is
said; ``+`` is a blank; behind ``#`` a note), then ``?`` the fields of ``searchKeyword``, and ``+``
the flags with the part of a record that each brings along.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sandbox.filters import Filter

PAGE_SIZE = 50
"""Specification, Limits: records per request."""
CUSTOM_FIELD_TYPES = ("tickets", "leads", "customers", "products")
"""Types of ``/customFields/{type}``."""
PRIORITIES = ("Urgent", "High", "Normal", "Low")
"""Ticket priorities 0, 1, 2, 3 in this order (specification, States)."""
PIPELINE = "in_pipeline = 1"
"""Tickets listed when no status is asked for (specification, GET /tickets)."""
_NEWEST = ("newest", "oldest")
_PARAMETER = re.compile(r"(\w+)(?::(\w+))?(?:=([^()\s]+))?(?:\(([^()]*)\))?")


@dataclass(frozen=True)
class ListEndpoint:
    """One list: specification, Endpoints.

    Attributes:
        path: below the base address.
        resource: what it lists.
        detail: name of the variable of ``GET path/{id}``; empty where there is none.
        created: takes ``createdDateFrom`` and ``createdDateTo``.
        sort: accepted values of ``sort``; empty where the list has no such parameter.
        default_sort: the order without ``sort``.
        filters: the parameters of its own.
        search: fields of ``searchKeyword``; empty where the list has no such parameter.
        include: flag -> part of the record that comes only when it is true.
    """

    path: str
    resource: str
    detail: str
    created: bool
    sort: tuple[str, ...]
    default_sort: str
    filters: tuple[Filter, ...] = ()
    search: tuple[str, ...] = ()
    include: tuple[tuple[str, str], ...] = ()


def _list(path: str, resource: str, *words: str) -> ListEndpoint:
    if path.endswith("/updated"):
        return ListEndpoint(path, resource, "", False, (), "recently_updated")
    sort = (*_NEWEST, "recently_updated") if "by_update" in words else _NEWEST
    return ListEndpoint(
        path,
        resource,
        detail="".join(word[7:] for word in words if word.startswith("detail=")),
        created="undated" not in words,
        sort=() if "unsorted" in words else sort,
        default_sort="oldest" if "oldest" in words else "newest",
    )


def _parameters(line: str) -> tuple[Filter, ...]:
    line, _, note = line.partition(" # ")
    made: list[Filter] = []
    for name, kind, fields, values in _PARAMETER.findall(line):
        paths = tuple((fields or name).split("|"))
        options = tuple(values.replace("+", " ").split("|")) if values else ()
        if kind == "days":
            made += [Filter(f"{name}From", "from", paths), Filter(f"{name}To", "to", paths)]
        elif kind in ("label", "ids"):
            target, _, shown = values.partition(".")
            made.append(Filter(name, kind, paths, lookup=(target, shown)))
        else:
            paths = () if kind == "condition" else paths
            made.append(Filter(name, kind or "contains", paths, options, note=note))
    return tuple(made)


def _read() -> dict[str, tuple[ListEndpoint, ...]]:
    groups: dict[str, tuple[ListEndpoint, ...]] = {}
    title = ""
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    for line in filter(None, text.splitlines()):
        if line.startswith("/"):
            groups[title] += (_list(*line.split()),)
        elif not line.startswith(" "):
            title = line
            groups[title] = ()
        else:
            *others, last = groups[title]
            mark, *words = line.split()
            change: dict[str, Any] = {"filters": last.filters + _parameters(line)}
            if mark == "?":
                change = {"search": tuple(words)}
            elif mark == "+":
                change = {"include": tuple(tuple(word.split("=")) for word in words)}
            groups[title] = (*others, replace(last, **change))
    return groups


GROUPS = _read()
"""Heading of the specification -> its lists, the ``/updated`` ones behind their own list."""
OF_RESOURCE = {
    row.resource: (title, row) for title, rows in GROUPS.items() for row in reversed(rows)
}
"""Resource -> the heading that its list stands under, and its list: the first, of several."""
