"""Statements of a build that are carried out at the same time."""

import threading
from collections.abc import Callable

import duckdb
import pytest

from pipelines.transform.abreast import carry_out
from pipelines.transform.compiled import Node


def _table(name: str, sql: str) -> Node:
    return Node(name, "", "table", sql, "marts", name)


_NODES = [
    _table("before", "select * from marts.days"),  # as the last build left them
    _table("beside", "select 1"),
    _table("days", 'select * from "marts"."beside"'),
    Node("grain", "", "test", "select 1"),
]


def _carried(carry: Callable[[duckdb.DuckDBPyConnection, str, bool], bool | None]) -> list[bool]:
    with duckdb.connect() as one, one.cursor() as other:
        return carry_out(
            _NODES,
            [one, other],
            lambda cursor, node, is_alone: carry(cursor, node.name, is_alone),
            lambda good: not good,
        )


def test_what_does_not_read_each_other_is_made_at_once_and_all_else_waits() -> None:
    both, ended = threading.Barrier(2), list[str]()

    def carry(cursor: duckdb.DuckDBPyConnection, name: str, is_alone: bool) -> bool:
        if name in ("before", "beside"):
            both.wait(10)
        ended.append(name)
        return True

    assert _carried(carry) == [True] * 4
    assert sorted(ended[:2]) == ["before", "beside"]
    assert ended[2:] == ["days", "grain"]


@pytest.mark.parametrize("failing", ["before", "beside", "days"])
def test_nothing_is_begun_after_a_model_that_fails(failing: str) -> None:
    begun = list[str]()

    def carry(cursor: duckdb.DuckDBPyConnection, name: str, is_alone: bool) -> bool:
        begun.append(name)
        return name != failing

    assert not all(_carried(carry))
    assert "grain" not in begun
    assert ("days" in begun) == (failing == "days")


def test_what_cannot_be_made_beside_another_is_made_when_none_runs() -> None:
    both, ended = threading.Barrier(2), list[str]()

    def carry(cursor: duckdb.DuckDBPyConnection, name: str, is_alone: bool) -> bool | None:
        assert not is_alone or ended == ["before"]
        if name in ("before", "beside") and not is_alone:
            both.wait(10)
        if name == "beside" and not is_alone:
            return None
        ended.append(name)
        return True

    assert _carried(carry) == [True] * 4
    assert ended == ["before", "beside", "days", "grain"]


def test_ctrl_c_ends_what_else_is_carried_out() -> None:
    ended = list[type]()

    def carry(cursor: duckdb.DuckDBPyConnection, name: str, is_alone: bool) -> bool:
        if name == "beside":
            raise KeyboardInterrupt
        with pytest.raises(duckdb.InterruptException) as told:
            cursor.execute("select sum(hash(a, b)) from range(1000000) r(a), range(1000000) s(b)")
        ended.append(told.type)
        return True

    with pytest.raises(KeyboardInterrupt):
        _carried(carry)
    assert ended == [duckdb.InterruptException]
