"""How many examples a simulation draws: few and always the same in the suite, many on request::

EXAMPLES=5000 python -m pytest tests/outbox/test_machine.py
"""

import os

from hypothesis import HealthCheck, Phase, settings

MANY = int(os.environ.get("EXAMPLES", "0"))


def few(count: int, **more: int) -> settings:
    """Settings for ``count`` examples, or for as many as ``EXAMPLES`` says; only those shrink."""
    explicit_or_drawn = [Phase.explicit, Phase.generate]
    return settings(
        max_examples=MANY or count,
        deadline=None,
        derandomize=not MANY,
        phases=[*explicit_or_drawn, Phase.shrink] if MANY else explicit_or_drawn,
        suppress_health_check=list(HealthCheck),
        **more,
    )
