"""Carries out the statements of a build several at a time, each where it was asked for.

DuckDB shares one statement out among its own threads. Whoever asked for it then turns in circles,
at the cost of a whole processor, while there is nothing left to share, and threads that share wait
for each other: a sixth of a large build. Statements that do not read each other share nothing.
"""

import re
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter
from typing import TypeVar

import duckdb

from pipelines.transform.compiled import Node

AT_ONCE = 2
"""Statements at a time: of a build's longest chain it is half, so more would have to wait."""
_RELATION = re.compile(r'"?(\w+)"?\."?(\w+)"?')

_Result = TypeVar("_Result")


def waits(nodes: Sequence[Node]) -> dict[int, set[int]]:
    """Which nodes must have ended before each, by their places: of two of which one names the
    other's relation the one that stands first, whether it makes what the other reads or reads what
    the last build left; and before a test all models.
    """
    places = {(node.schema, node.table): place for place, node in enumerate(nodes)}
    models = {place for place, node in enumerate(nodes) if node.kind != "test"}
    found: dict[int, set[int]] = {place: set() for place in range(len(nodes))}
    for place, node in enumerate(nodes):
        said = " ".join((node.sql, node.later, node.changed, node.replaced_by))
        others = {places.get(name, place) for name in _RELATION.findall(said)}
        for other in (others | models if node.kind == "test" else others) - {place}:
            found[max(place, other)].add(min(place, other))
    return found


def carry_out(
    nodes: Sequence[Node],
    cursors: Sequence[duckdb.DuckDBPyConnection],
    carry: Callable[[duckdb.DuckDBPyConnection, Node, bool], _Result | None],
    is_over: Callable[[_Result], bool],
) -> list[_Result]:
    """What ``carry`` made of each node, in their order, with a cursor of its own for as many as
    there are; first those on which the longest chain waits. None is begun after one that ends it.
    Where ``carry`` makes nothing of one, it is asked again (its last argument) when no other runs.
    """
    before = waits(nodes)
    chain = dict.fromkeys(before, 0)
    for place in reversed(before):
        for other in before[place]:
            chain[other] = max(chain[other], chain[place] + 1)
    order = TopologicalSorter(before)
    order.prepare()
    free, ready = [*cursors], list[int]()
    running: dict[Future[_Result | None], tuple[int, duckdb.DuckDBPyConnection]] = {}
    results: dict[int, _Result] = {}
    with ThreadPoolExecutor(len(cursors)) as pool:
        try:
            while order.is_active() and not any(map(is_over, results.values())):
                ready = sorted([*ready, *order.get_ready()], key=chain.__getitem__)
                while ready and free:
                    place, cursor = ready.pop(), free.pop()
                    running[pool.submit(carry, cursor, nodes[place], False)] = place, cursor
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    place, cursor = running.pop(future)
                    free.append(cursor)
                    if (result := future.result()) is None:
                        wait(running)
                        result = carry(cursor, nodes[place], True)
                    assert result is not None
                    results[place] = result
                    order.done(place)
        except BaseException:
            while wait(running, timeout=0.1).not_done:  # one may be between two statements
                for cursor in cursors:
                    cursor.interrupt()
            raise
    return [results[place] for place in sorted(results)]
