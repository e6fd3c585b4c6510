"""People, a till and a service around one queue, drawn at random: a few here, many by hand."""

import os

from hypothesis import HealthCheck, Phase, settings

from tests.simulations.queue import Queue

TestQueue = Queue.TestCase
TestQueue.settings = settings(
    max_examples=int(os.environ.get("QUEUE_EXAMPLES", "12")),
    stateful_step_count=25,
    deadline=None,
    phases=list(Phase) if not os.environ.get("QUICK") else [Phase.generate],
    suppress_health_check=list(HealthCheck),
)
