"""Publishing: the private database -> ``warehouse.duckdb``, whole, by one rename.

A reader holds the file it opened for as long as it likes and never sees half a sync; the next
time it opens the name it gets the new one. Killed at any moment, the old file or the new one
stands there. Call with the sync lock held and every connection to the private database closed:
closing a file drops all locks this process holds on it.
"""

from collections.abc import Callable
from pathlib import Path

from pipelines.home import Home, HomeError
from pipelines.json_file import copy_file, draft_of
from pipelines.load.loader import STAGING


def publish(home: Home, write: Callable[[], None] = lambda: None) -> Path:
    """Replace the published warehouse by a copy of the private one; its path.

    ``write`` is what belongs into it at last: the file is opened once for that and for settling it.

    :class:`~pipelines.home.HomeError` when the disk is full or the private database is missing or
    in use; the published file is then as it was.
    """
    source, target = home.build_warehouse, home.warehouse
    if not source.exists():
        raise HomeError(f"There is nothing to publish yet in {home.path}: run 'shopmirror sync'.")
    with home.guard("The warehouse is as it was"):
        _settle(home, write)
        for leftover in target.parent.glob(f".{target.name}.*.tmp"):
            leftover.unlink(missing_ok=True)
        with draft_of(target) as copy:
            copy_file(source, copy)
            # A log left by someone who opened the old file for writing would be replayed into
            # the new one, silently.
            target.with_name(target.name + ".wal").unlink(missing_ok=True)
    return target


def _settle(home: Home, write: Callable[[], None]) -> None:
    """Bring everything into the one file: what is in the log is not in a copy of the file."""
    with home.open_build() as connection:
        # A DuckDB older than 1.5 fails at tables whose metadata stands where an earlier checkpoint
        # wrote it. What is written now makes this one write all of it anew.
        connection.execute("SET experimental_metadata_reuse = false")
        write()
        connection.execute(f"DROP SCHEMA IF EXISTS {STAGING} CASCADE")
        connection.execute("FORCE CHECKPOINT")
    log = home.build_warehouse.with_name(home.build_warehouse.name + ".wal")
    if log.exists():
        raise HomeError(
            f"{home.build_warehouse} is still open somewhere; close it and run it again. "
            "The published warehouse is as it was."
        )
