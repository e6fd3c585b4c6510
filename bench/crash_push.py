"""Crash injection into pushes: ``python -m bench.crash_push [RUNS] [FIRST_SEED]``.

First every step of every resource and operation once, then random runs: a push dies at a drawn step
(once or twice), the service loses drawn answers, later pushes live. After each run the service is
counted against the queue. Prints one JSON document; the exit code is 1 if a promise was broken.
"""

import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.outbox import crash
from tests.outbox.service import FakeService


def main(runs: int = 1000, first_seed: int = 0) -> int:
    """Run it; 0 when every run kept the promise."""
    began = time.monotonic()
    outcomes: Counter[str] = Counter()
    left: Counter[str] = Counter()
    broken: list[str] = []
    total = 0

    def note(resource: str, op: str, outcome: crash.Outcome, how: str) -> None:
        nonlocal total
        total += 1
        outcomes[f"{outcome.state}, applied {outcome.applied}"] += 1
        if outcome.state != "done":
            left[f"{op} {resource}, {outcome.state}, applied {outcome.applied}"] += 1
        if not crash.holds(outcome, resource, op):
            broken.append(f"{op} {resource} {how}: {outcome}")

    with tempfile.TemporaryDirectory() as folder, FakeService() as service:
        for resource, op in crash.CASES:
            for step in crash.UPLOAD_STEPS if op == "upload" else crash.STEPS:
                home = Path(folder) / f"{resource}-{op}-{step}"
                # A lost answer first, so that the steps of a look-up are reached at all.
                late = step in ("looked", "intent again", "adopted")
                faults = ["before" if step == "intent again" else "after"] if late else []
                outcome = crash.run(service, home, resource, op, [(step, 1)], faults)
                note(resource, op, outcome, step)
                service.records.clear()
        for seed in range(first_seed, first_seed + max(0, runs - total)):
            resource, op, crashes, faults, outcome = crash.random_run(
                service, Path(folder) / f"seed-{seed}", seed
            )
            note(resource, op, outcome, f"seed {seed} {crashes} {faults}")
            service.records.clear()
    seconds = time.monotonic() - began
    document = {
        "runs": total,
        "outcomes": dict(outcomes.most_common()),
        "left for a person": dict(left.most_common()),
        "broken": broken,
        "seconds": round(seconds, 1),
    }
    sys.stdout.write(json.dumps(document, indent=2) + "\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(*(int(argument) for argument in sys.argv[1:])))
