"""Builds of what changed against whole ones: ``python -m bench.changes [seeds] [nights] [first]``.

For each seed a home of random rows and so many nights of random changes
(``tests/transforms/changes``), each built in both ways; prints the relations that differ, and ends
with 1 if any does. With ``postgres`` behind the numbers what changed is built at a PostgreSQL, as
published there, and the last night is followed by a week's whole build, which must not tell of a
difference either; that wants the environment of ``make test-engines``.
"""

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from pipelines.home import Home
from pipelines.transform import incremental
from pipelines.transform.models import build
from tests.transforms.changes import Nights, differences, kept_alone
from tests.transforms.raw import Raw


def main() -> None:
    """Go on through all seeds."""
    compared = _at_postgres if sys.argv[-1] == "postgres" else _in_files
    numbers = [int(given) for given in sys.argv[1:] if given != "postgres"]
    seeds, nights, first = [*numbers, *(20, 5, 0)[len(numbers) :]]
    found = 0
    for night, differing in compared(range(first, first + seeds), nights):
        if differing:
            found += 1
            print(f"{night}: {', '.join(differing)}", flush=True)
    print(f"{seeds} seeds of {nights} nights, {found} builds that differ")
    sys.exit(1 if found else 0)


def _in_files(seeds: range, nights: int) -> Iterator[tuple[str, list[str]]]:
    with patch.object(incremental, "LEAST_LINES", 0), kept_alone():
        for seed in seeds:
            with tempfile.TemporaryDirectory() as folder:
                home = Path(folder)
                raw = Raw(home / "a.duckdb", main="America/Guatemala", other="Europe/Berlin")
                changes = Nights(raw, seed)
                changes.night(150)
                build(raw.path, home=home, shops=[])
                for night in range(nights):
                    changes.night(_changes(seed, night))
                    yield f"seed {seed}, night {night}", differences(raw.path, home, night)


def _at_postgres(seeds: range, nights: int) -> Iterator[tuple[str, list[str]]]:
    from tests.engines import nights as there
    from tests.engines import postgres

    with postgres.running() as server, tempfile.TemporaryDirectory() as kept:
        for seed in seeds:
            address = server.uri("nights")
            with tempfile.TemporaryDirectory() as folder, there.company(address):
                # What dbt makes of the project is asked of it once: most of what a seed took.
                (Path(folder) / "build").mkdir()
                (Path(folder) / "build" / "dbt").symlink_to(kept)
                company = there.Company(Home(Path(folder)), address, seed)
                for night in range(-1, nights + 1):
                    company.changes.night(150 if night < 0 else _changes(seed, night))
                    company.load()
                    if night == nights:
                        company.ask(there.WEEK_AGO)
                    is_narrow = company.build()
                    assert is_narrow == (0 <= night < nights), company.told
                    yield f"seed {seed}, night {night}", company.told + company.differences()


def _changes(seed: int, night: int) -> int:
    return 1 + (7 * seed + 3 * night) % 25


if __name__ == "__main__":
    main()
