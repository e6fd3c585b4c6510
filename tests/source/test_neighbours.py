"""Hundreds of simulated hours beside other clients of the key, most of them rude."""

import random
import tempfile
from pathlib import Path

import pytest

from sources.repair_shop.budget import Budget
from tests.fakes.clock import FakeClock
from tests.fakes.neighbours import MINUTE, World, incidents
from tests.homes import shop_of
from tests.promises import promise

HOURS = 25
HOUR = 60 * MINUTE
PER_MINUTE = {"none": 0, "half": 15, "most": 27, "bursts": 0, "flood": 45, "deaf flood": 60}
"""Neighbour -> requests a minute, beside its bursts."""


@promise("never more than the limit in any minute as the service sees it, never a fourth strike")
@pytest.mark.seeds(1)
@pytest.mark.parametrize("neighbour", PER_MINUTE)
def test_no_window_over_the_limit_and_never_a_fourth_strike(neighbour, seed):
    chance = random.Random(f"{seed} {neighbour}")
    workers, hourly = chance.randint(1, 4), chance.randint(5, 60)
    latency = chance.choice([0.0, 0.3, 3.0, 12.0])
    with tempfile.TemporaryDirectory() as folder:
        clock = FakeClock()
        budget = Budget(Path(folder) / "budget.sqlite", clock=clock, sleep=clock.sleep)
        key = budget.key(shop_of())
        world = World(clock, seed)
        start = clock.ticks
        for hour in range(HOURS):
            begin = start + hour * HOUR
            _neighbour(world, neighbour, begin)
            size = world.random.randint(1, 2 * hourly)
            at = begin + world.random.uniform(0, 5 * MINUTE)
            world.at(
                at,
                lambda size=size: world.job(  # type: ignore[misc] # bound now
                    key,
                    size,
                    workers=workers,
                    latency=lambda: latency * world.random.uniform(0.5, 1.5),
                ),
            )
        world.run()
        assert key.state().strikes <= 3
        budget.close()
    _check(world, workers)
    if neighbour == "none":
        assert not world.rate_errors
        assert not world.refusals


def _check(world: World, workers: int) -> None:
    arrivals = sorted(world.arrivals)
    for first, last in zip(arrivals, arrivals[30:], strict=False):
        assert last - first >= MINUTE, "31 of ours within a minute"
    silences = sorted(answered for _, answered in world.rate_errors)
    for granted, _ in world.grants:
        before = [moment for moment in silences if moment < granted]
        assert not before or granted - before[-1] >= MINUTE, "asked in the minute of silence"
    found = incidents(world.rate_errors)
    for a, b, c, d in zip(found, found[1:], found[2:], found[3:], strict=False):
        if b - a < HOUR and c - b < HOUR:
            assert d - c >= HOUR, "a fourth strike"
    for moment in found:
        of_it = [1 for taken, answered in world.rate_errors if taken <= moment <= answered]
        assert len(of_it) <= workers, "more than what was in flight"
    for moment in world.ignored:
        near = [other for other in world.ignored if moment <= other < moment + HOUR]
        assert len(near) < 10, "ignored often enough for a block"
    for first, last in zip(world.blocks, world.blocks[workers:], strict=False):
        assert last - first >= 479 * MINUTE, "more than one careful try into a block"


def _neighbour(world: World, kind: str, begin: float) -> None:
    """Other clients of the key during the first quarter of an hour."""
    deaf = kind == "deaf flood"
    dice = random.Random(world.random.random())
    moments = [
        begin + minute * MINUTE + dice.uniform(0, MINUTE)
        for minute in range(15)
        for _ in range(PER_MINUTE[kind])
    ]
    if kind == "bursts":
        for _ in range(3):
            at = begin + dice.uniform(0, 12 * MINUTE)
            moments += [at + 0.1 * n for n in range(dice.randint(5, 40))]
    for moment in moments:
        world.at(moment, lambda: _send(world, deaf))


def _send(world: World, deaf: bool) -> None:
    if deaf or world.clock.ticks >= world.silent_until:
        world.arrives()
