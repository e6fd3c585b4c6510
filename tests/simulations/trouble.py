"""What goes wrong in a night: the wire, kills, clocks, neighbours, changes while a scan runs."""

import random
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from sandbox.faults import FaultKind
from tests.simulations.staff import Staff
from tests.simulations.world import Plan, World

_WIRE: tuple[FaultKind, ...] = (
    *("reset", "truncated_json", "truncated_body", "html_502", "error_under_200"),
    "xml_despite_json",
)
READS: tuple[FaultKind, ...] = (
    *(*_WIRE, "http_500_before", "rate_error"),
    *("not_found", "no_right", "empty_list"),
)
WRITES: tuple[FaultKind, ...] = (
    *("drop_answer_after_commit", "http_500_after", "http_500_before"),
    *(*_WIRE, "rate_error"),
)
_SKEWS = (0, 0, 0, 90, -90, 3_600, -3_600, 86_400, -86_400, 3 * 86_400, -3 * 86_400)


@dataclass(frozen=True)
class Night:
    """What is in store for one night, drawn from its own dice."""

    calm: bool
    models: bool
    actions: int
    changes: int
    faults: int = 0
    busy: int = 0
    """Actions of the staff while the runs go on."""
    skew: timedelta = timedelta(0)
    jump: bool = False
    killed: tuple[bool, bool] = (False, False)
    """Whether the push and the sync die."""
    spent: int = 0
    """Requests another client of the key spends."""


def drawn(chance: random.Random, calm: bool, models: bool) -> Night:
    """Draw a night; a calm one has a shop at work by day and nothing that goes wrong."""
    if calm:
        return Night(True, models, chance.randint(10, 40), chance.randint(3, 12))
    return Night(
        False,
        models,
        chance.randint(20, 60),
        chance.randint(5, 25),
        chance.choice((0, 1, 2, 4, 8)),
        chance.choice((0, 0, 1, 3, 6)),
        timedelta(seconds=chance.choice(_SKEWS)),
        chance.random() < 0.15,
        (chance.random() < 0.25, chance.random() < 0.35),
        chance.choice((0, 0, 5, 25)),
    )


def prepare(world: World, staff: Staff, night: Night, chance: random.Random) -> None:
    """Lay the night's traps at the service."""
    faults = world.server.faults
    for _ in range(night.faults):
        if chance.random() < 0.4:
            kind = chance.choice(WRITES)
            method = chance.choice(("POST", "POST", "PUT", "DELETE"))
            faults.next(kind, method=method, skip=chance.randint(0, 3))
        else:
            kind = chance.choice(READS)
            times = 1 if kind in ("empty_list", "rate_error") else chance.choice((1, 1, 2, 4))
            faults.next(kind, method="GET", skip=chance.randint(0, 90), times=times)
    for number in range(night.busy):
        own = random.Random(chance.random())
        faults.after(chance.randint(1, 80), partial(staff.day, own, 1))
        if number == 0 and night.spent:
            faults.after(chance.randint(1, 20), lambda: world.server.spend(night.spent))


def plan(do: str, night: Night, chance: random.Random, **given: object) -> Plan:
    """The process of one step of the night."""
    dies = night.killed[0 if do == "push" else 1] and do != "queue"
    by_answers = chance.random() < 0.6
    jump = answers = seconds = None
    if night.jump:
        jump = chance.uniform(0.1, 1.5), timedelta(seconds=chance.choice(_SKEWS))
    if dies and by_answers:
        answers = chance.randint(1, 20 if do == "push" else 90)
    elif dies:
        seconds = chance.uniform(0.2, 2.0 if do == "push" else 6.0)
    return Plan(do, dict(given), night.skew, jump, answers, seconds)
