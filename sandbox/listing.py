"""What a row of the table of lists is made of."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox.filters import Filter

NEWEST = ("newest", "oldest")
WITH_UPDATED = (*NEWEST, "recently_updated")
ACTIVE = ("Active", "In active")
PAGE_SIZE = 50
"""Specification, Limits: records per request."""


@dataclass(frozen=True)
class ListEndpoint:
    """One list: specification, Endpoints.

    Attributes:
        path: below the base address.
        resource: what it lists.
        filters: the parameters of its own.
        search: fields of ``searchKeyword``; empty where the list has no such parameter.
        sort: accepted values of ``sort``; empty where the list has no such parameter.
        default_sort: the order without ``sort``.
        created: takes ``createdDateFrom`` and ``createdDateTo``.
        include: flag -> part of the record that comes only when it is true.
        where: SQL condition that always holds.
        detail: ``GET path/{id}`` exists.
        tag: heading of the specification it stands under.
    """

    path: str
    resource: str
    filters: tuple[Filter, ...] = ()
    search: tuple[str, ...] = ()
    sort: tuple[str, ...] = NEWEST
    default_sort: str = "newest"
    created: bool = True
    include: tuple[tuple[str, str], ...] = ()
    where: str = "1"
    detail: bool = False
    tag: str = ""


def text(names: str) -> tuple[Filter, ...]:
    """Free-text parameters written ``parameter=field`` or just ``field``, separated by blanks."""
    made = []
    for word in names.split():
        name, _, fields = word.partition("=")
        made.append(Filter(name, "contains", tuple((fields or name).split("|"))))
    return tuple(made)


def days(prefix: str, path: str) -> tuple[Filter, Filter]:
    """A pair of parameters, the first and the last day of a range."""
    return Filter(f"{prefix}From", "from", (path,)), Filter(f"{prefix}To", "to", (path,))


def choice(name: str, values: tuple[str, ...], path: str = "") -> Filter:
    """A parameter of fixed values, of the field of its name or of ``path``."""
    return Filter(name, "choice", (path or name,), values)


def label(name: str, path: str, lookup: str, field: str) -> Filter:
    """A parameter that takes an id or an exact label of the list ``lookup``."""
    return Filter(name, "label", (path,), lookup=(lookup, field))


UPDATED = days("updatedDate", "updated_day")
"""The pair of parameters that narrows by the day of the last change."""
