"""People, a till and a service around one queue, drawn at random: a few here, many by hand::

QUEUE_EXAMPLES=5000 python -m pytest tests/outbox/test_machine.py
"""

import os

from hypothesis import HealthCheck, Phase, settings

from tests.simulations.queue import Queue

MANY = int(os.environ.get("QUEUE_EXAMPLES", "0"))

TestQueue = Queue.TestCase
TestQueue.settings = settings(
    max_examples=MANY or 6,
    stateful_step_count=25,
    deadline=None,
    derandomize=not MANY,
    phases=[Phase.generate, Phase.shrink] if MANY else [Phase.generate],
    suppress_health_check=list(HealthCheck),
)
