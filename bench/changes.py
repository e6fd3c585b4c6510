"""Builds of what changed against whole ones: ``python -m bench.changes [seeds] [nights] [first]``.

For each seed a home of random rows and so many nights of random changes
(``tests/transforms/changes``), each built in both ways; prints the relations that differ, and ends
with 1 if any does.
"""

import sys
import tempfile
from pathlib import Path
from unittest.mock import patch

from pipelines.transform import incremental
from pipelines.transform.models import build
from tests.transforms.changes import Nights, differences, kept_alone
from tests.transforms.raw import Raw


def main() -> None:
    """Go on through all seeds."""
    seeds, nights, first = [*map(int, sys.argv[1:]), *(20, 5, 0)[len(sys.argv) - 1 :]]
    found = 0
    with patch.object(incremental, "LEAST_LINES", 0), kept_alone():
        for seed in range(first, first + seeds):
            with tempfile.TemporaryDirectory() as folder:
                home = Path(folder)
                raw = Raw(home / "a.duckdb", main="America/Guatemala", other="Europe/Berlin")
                changes = Nights(raw, seed)
                changes.night(150)
                build(raw.path, home=home, shops=[])
                for night in range(nights):
                    changes.night(1 + (7 * seed + 3 * night) % 25)
                    if differing := differences(raw.path, home, night):
                        found += 1
                        print(f"seed {seed}, night {night}: {', '.join(differing)}", flush=True)
    print(f"{seeds} seeds of {nights} nights, {found} builds that differ")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
