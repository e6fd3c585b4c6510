"""Rows that a search by rank misses, looked up by their own paths before they are believed gone."""

from __future__ import annotations

from collections.abc import Callable

from .rank import Found, RankSearch


def find_gone(
    search: RankSearch, exists: Callable[[str], bool] | None, *, lookups: int = 200
) -> Found:
    """Search, and look up what is missing; ``exists`` None: the list's rows have no paths.

    At most so many ``lookups``; the rows left over are for the next night.
    A row that exists may stand elsewhere, which the search then finds; if no page shows it, it is
    one the list leaves out. Raises what ``exists`` raises.
    """
    looked: dict[str, bool] = {}
    while True:
        found = search.run()
        if found.reason or not found.gone:
            return found
        fresh = sorted(found.gone - looked.keys())
        if exists is None:
            if search.read_beside(found.gone):
                continue
            return found
        if not fresh or len(looked) >= lookups:
            there = {row for row in found.gone if looked.get(row)}
            if there and search.read_beside(there):
                continue
            break
        for row in fresh[: lookups - len(looked)]:
            looked[row] = exists(row)
        search.refresh()
    sure = {row: looked[row] for row in found.gone if row in looked}
    return Found(
        found.total,
        gone=frozenset(row for row, there in sure.items() if not there),
        unlisted=frozenset(row for row, there in sure.items() if there),
    )
