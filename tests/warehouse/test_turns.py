"""Homes that share a PostgreSQL wait for their turn there, but not for ever (the locks themselves:
tests/engines)."""

from types import SimpleNamespace
from typing import Any

import pytest

from pipelines.destinations import lease
from pipelines.destinations.lease import LeaseError, turn

HOUR = 3600.0


class Locks:
    """The advisory locks of a server, as one connection sees them, and the clock of its waiting."""

    def __init__(self, free_after: float) -> None:
        self.now, self.free_after = 0.0, free_after
        self.shared: list[int] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def execute_sql(self, sql: str, *values: Any) -> list[tuple[Any, ...]] | None:
        if "pg_try_advisory_lock" in sql:
            return [(self.now >= self.free_after,)]
        if "advisory_lock_shared" in sql:
            self.shared.append(*values)
        elif "advisory_unlock_shared" in sql:
            self.shared.remove(*values)
        return None


@pytest.fixture
def wait(monkeypatch):
    """Wait for a turn at a server that others leave after so many seconds."""

    def until(free_after, is_stopped=lambda: False):
        server: Any = Locks(free_after)
        monkeypatch.setattr(lease, "time", server)
        try:
            with turn(server, "postgres", "home", is_stopped, builds=True):
                assert server.shared == [], "who has the turn waits no more"
                return server.now
        except LeaseError as error:
            return server.now, str(error)

    return until


def test_a_turn_comes_when_others_have_left_within_the_hour(wait):
    assert wait(0) == 0
    assert 600 <= wait(600) < 602
    assert HOUR - 1 <= wait(HOUR - 1) <= HOUR


def test_who_waited_an_hour_gives_up_and_says_why(wait):
    waited, said = wait(10 * HOUR)
    assert HOUR <= waited < HOUR + 2
    assert "other homes are still loading it" in said


def test_a_stop_ends_the_waiting_at_once(wait):
    assert wait(10 * HOUR, lambda: True) == (0, "other homes are still loading it.")


def test_a_kind_that_one_process_holds_anyway_waits_for_nobody():
    server: Any = SimpleNamespace()  # is asked nothing
    with turn(server, "duckdb", "home", lambda: False, builds=True):
        pass
