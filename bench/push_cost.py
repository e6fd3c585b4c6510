"""What a push costs: ``python -m bench.push_cost``. Requests a change for each resource and
operation, also in doubt, and changes a minute against the limit, on the sandbox.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from bench.homes import settings_of
from pipelines.outbox import enqueue, push
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from tests.outbox import crash
from tests.outbox.conftest import settings_for
from tests.outbox.service import FakeService

MINUTE_SECONDS = 3.0
CHANGES = 145


def requests_a_change() -> dict[str, dict[str, float]]:
    """Requests of one push with ten changes of a kind, by ten; and of one in doubt, alone."""
    found: dict[str, dict[str, float]] = {}
    for resource, op in crash.CASES:
        costs: dict[str, float] = {}
        for name, many, fault in (("each of ten", 10, None), ("in doubt", 1, "after")):
            with tempfile.TemporaryDirectory() as folder, FakeService() as service:
                settings = settings_for(Path(folder), service.base_url)
                for _ in range(many):
                    crash._queue(service, settings, resource, op, Path(folder))
                service.lose = [fault] if fault else []
                costs[name] = push(settings).requests / many
        found[f"{op} {resource}"] = costs
    return found


def changes_a_minute() -> dict[str, float]:
    """Creates pushed a minute at a limit of 30 (the minute is short), the waiting included."""
    with (
        tempfile.TemporaryDirectory() as folder,
        SandboxServer([ShopSpec("main")], minute_seconds=MINUTE_SECONDS) as server,
    ):
        settings = settings_of(server, Path(folder))
        rows = [{"name": f"brand {number}"} for number in range(CHANGES)]
        enqueue("brands", "create", rows, settings=settings)
        began = time.monotonic()
        report = push(settings)
        minutes = (time.monotonic() - began) / MINUTE_SECONDS
        return {
            "changes": report.done,
            "requests": report.requests,
            "minutes": round(minutes, 2),
            "changes a minute": round(report.done / minutes, 1),
            "rate errors": server.rate_errors(),
        }


def main() -> int:
    """Print both as one JSON document."""
    document = {"rate": changes_a_minute(), "requests": requests_a_change()}
    sys.stdout.write(json.dumps(document, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
