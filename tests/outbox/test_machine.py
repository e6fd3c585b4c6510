"""People, a till and a service around one queue, drawn at random: a few here, many by
``EXAMPLES=5000`` in the environment."""

from tests.simulations.examples import few
from tests.simulations.queue import Queue

TestQueue = Queue.TestCase
TestQueue.settings = few(6, stateful_step_count=25)
