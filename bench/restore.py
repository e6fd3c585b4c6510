"""Backups put back: ``python -m bench.restore [MOMENTS] [FIRST_SEED] [WAY]``.

A queue of payments, creates and updates is pushed against the sandbox; at a drawn moment its files
are copied, later the push ends or is killed; the copy is put back in each of the ways that people
do it, and pushed. Prints one JSON document; the exit code is 1 if a payment or a record was doubled
or lost. A seed repeats its trial.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from tests.outbox.restoring import WAYS, Counted, World, killed_for_good


def main(moments: int = 50, first_seed: int = 0, only: str = "") -> int:
    """Run it, in one of the :data:`WAYS` or all; 0 when nothing was doubled or lost."""
    began = time.monotonic()
    totals: dict[str, Counted] = {way: Counted() for way in WAYS if only in ("", way)}
    broken: list[str] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        SandboxServer([ShopSpec("main", limit=None)], size="tiny") as server,
        killed_for_good(),
    ):
        for way in totals:
            for moment in range(moments):
                seed = first_seed + WAYS.index(way) * 100_000 + moment
                counted = World(server, Path(folder), seed).run(way)
                totals[way].add(counted)
                faults = (counted.doubled, counted.lost)
                if any((*faults, counted.records_doubled, counted.records_lost)):
                    broken.append(f"{way}, seed {seed}: {counted}")
    document = {
        "moments": moments,
        "ways": {
            way: {**vars(counted), "for_person": dict(counted.for_person)}
            for way, counted in totals.items()
        },
        "broken": broken,
        "seconds": round(time.monotonic() - began, 1),
    }
    sys.stdout.write(json.dumps(document, indent=2) + "\n")
    return 1 if broken else 0


if __name__ == "__main__":
    given = sys.argv[1:] + ["50", "0"][len(sys.argv) - 1 :]
    sys.exit(main(int(given[0]), int(given[1]), *given[2:3]))
