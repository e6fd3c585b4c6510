"""Which tests ``make check`` leaves out: everything else takes some ninety seconds on two cores.

Kept here, by file, and not beside each test, so that the selection is read in one place.
"""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent
SLOW = (
    "clean/test_width.py",
    "cli/test_demo.py",
    "cli/test_whole_way.py",
    "dashboard",
    "generator/test_shapes.py",
    "language/test_catalogues.py",
    "notebooks",
    "outbox/test_crash.py",
    "outbox/test_doubt.py",
    "outbox/test_identity.py",
    "outbox/test_lane.py",
    "outbox/test_mixed_queue.py",
    "outbox/test_push.py",
    "outbox/test_restored.py",
    "outbox/test_with_sandbox.py",
    "packaging/test_wheel.py",
    "pipelines/test_elsewhere.py",
    "pipelines/test_load.py",
    "pipelines/test_load_killed.py",
    "pipelines/test_publish.py",
    "report",
    "sandbox/test_description.py",
    "sandbox/test_patience.py",
    "sandbox/test_specification.py",
    "scan/test_endless.py",
    "scan/test_scan.py",
    "schedules/test_bad_days.py",
    "schedules/test_command.py",
    "schedules/test_runner.py",
    "schedules/test_scheduler.py",
    "soak",
    "source/test_source.py",
    "stranger",
    "sync",
    "transforms",
    "wire/test_against_the_sandbox.py",
    "wire/test_hostile_neighbours.py",
    "wire/test_processes.py",
)
"""Files and folders below this one whose tests, or fixtures, take seconds."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    slow = [HERE / name for name in SLOW]
    for item in items:
        if any(place == item.path or place in item.path.parents for place in slow):
            item.add_marker(pytest.mark.slow)
