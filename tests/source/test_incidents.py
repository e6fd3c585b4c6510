"""After a rate error and after a block: what the budget still lets through."""

import contextlib
import itertools
from collections import Counter
from random import Random

import pytest

from sources.repair_shop.budget import Budget, Slot
from sources.repair_shop.errors import Refused
from tests.source.wire import take, wait, working


def let_through(keys, clock, *, minutes, every, dice=None):
    """(key, slot) for each request that is let through: all keys ask ``every`` so many seconds."""
    end = clock.ticks + minutes * 60
    while clock.ticks < end:
        for key in dice.sample(keys, len(keys)) if dice else keys:
            with contextlib.suppress(Refused):
                if isinstance(found := key.try_acquire("sync"), Slot):
                    yield key, found
        clock.ticks += every


class TestIncidents:
    def test_everything_is_silent_for_a_minute(self, key, budget, clock, make_shop):
        take(key).answered("rate_error")
        other = Budget(budget.path, clock=clock, sleep=clock.sleep).key(make_shop())
        assert wait(other, "push").reason == "silence"
        clock.ticks += 59.9
        wait(other)
        clock.ticks += 0.3
        take(other)

    def test_what_was_in_flight_is_the_same_incident(self, key, clock):
        slots = [take(key) for _ in range(3)]
        wait(key)
        for slot in slots:
            clock.ticks += 1
            slot.answered("rate_error")
        assert key.state().strikes == 1
        assert key.state().cooldown_seconds > 60

    def test_afterwards_one_goes_alone_and_then_slower(self, key, clock):
        for _ in range(15):
            take(key).answered("ok")
        take(key).answered("rate_error")
        clock.ticks += 61
        first = take(key)
        wait(key)
        first.answered("ok")
        assert key.state().limit == 12
        limits = []
        for _ in range(8 * 20):
            clock.ticks += 180
            take(key).answered("ok")
            limits.append(key.state().limit)
        assert limits == sorted(limits)
        assert sorted(set(limits)) == [12, 15, 18, 21, 24, 27, 30]
        assert key.state().strikes == 0

    @pytest.mark.parametrize("limit", [3, 5, 10])
    def test_a_limit_that_fell_is_kept_to_before_a_third_strike(self, key, clock, limit):
        answered: list[float] = []
        refused = 0
        for _, slot in let_through([key], clock, minutes=60, every=1):
            if sum(one > clock.ticks - 60 for one in answered) < limit:
                answered.append(clock.ticks)
                slot.answered("ok")
            else:
                refused += 1
                slot.answered("rate_error")
        assert refused <= 2
        assert len(answered) > 50 * limit // 2

    def test_for_a_week_one_request_at_a_time_goes_out(self, key, clock):
        take(key).answered("rate_error")
        for _ in range(6 * 24):
            clock.ticks += 3600
            slot = take(key)
            assert wait(key).reason == "in flight"
            slot.answered("ok")
        clock.ticks += 2 * 86_400
        assert len([take(key) for _ in range(3)]) == 3
        assert wait(key).reason == "in flight"

    def test_a_neighbour_who_stays_is_tried_ever_more_rarely(self, key, clock):
        when: list[float] = []
        for _ in range(7 * 24 * 20):
            clock.ticks += 180
            slot = take(key)
            too_fast = key.state().limit > 15
            slot.answered("rate_error" if too_fast else "ok")
            if too_fast:
                when.append(clock.ticks)
        assert key.state().strikes <= 1
        assert len(when) <= 14

    def test_the_third_strike_is_the_last(self, key, clock):
        for _ in range(3):
            take(key).answered("rate_error")
            clock.ticks += 61
        for minutes in (59, 119, 239, 479, 479):
            with pytest.raises(Refused, match="three times") as caught:
                key.try_acquire("sync")
            assert caught.value.until is not None
            state = key.state()
            assert (state.strikes, state.left) == (3, 0)
            assert state.refused_until == caught.value.until
            clock.ticks += minutes * 60 - 65
            with pytest.raises(Refused):
                key.try_acquire("sync")
            clock.ticks += 130
            careful = take(key)
            wait(key)
            careful.answered("rate_error")
            clock.ticks += 61
            assert key.state().strikes == 3

    def test_a_person_may_lift_the_block(self, key):
        take(key).answered("block")
        key.lift_block()
        take(key)

    def test_a_very_long_retry_after_ends_the_run(self, key):
        take(key).answered("rate_error", retry_after=7200)
        with pytest.raises(Refused, match="stay away"):
            key.try_acquire("sync")


class TestBlocks:
    def test_one_careful_request_of_another_key_tells(self, budget, clock, make_shop):
        keys = [working(budget, make_shop(api_key=name)) for name in "abc"]
        elsewhere = working(budget, make_shop(base_url="http://127.0.0.2:9/v1"))
        late = take(keys[1])
        take(keys[0]).answered("block")
        late.answered("ok")
        take(elsewhere)
        with pytest.raises(Refused, match="blocked us"):
            keys[0].try_acquire("push")
        assert wait(keys[1]).reason == "silence"
        clock.ticks += 61
        careful = take(keys[1])
        assert {wait(key).reason for key in keys[1:]} == {"in flight"}
        careful.answered("ok")
        take(keys[1])
        take(keys[1])
        alone = take(keys[2])
        assert wait(keys[2]).reason == "in flight"
        alone.answered("ok")
        take(keys[2])
        take(keys[2])
        with pytest.raises(Refused, match="blocked us"):
            keys[0].try_acquire("sync")

    def test_an_address_that_is_shut_is_asked_ever_more_rarely(self, budget, clock, make_shop):
        keys = [working(budget, make_shop(api_key=name)) for name in "abcdefgh"]
        in_flight = [take(key) for key in keys[:3]]
        start, asked = clock.ticks, []
        for slot in in_flight:
            slot.answered("block")
        for _, slot in let_through(keys, clock, minutes=480, every=60):
            asked.append(round((clock.ticks - start) / 60))
            slot.answered("block")
        assert len(asked) == 4
        gaps = [after - before for before, after in itertools.pairwise([0, *asked])]
        assert all(gap >= least for gap, least in zip(gaps, (1, 60, 120, 240), strict=True))

    @pytest.mark.seeds(3)
    def test_three_of_five_keys_blocked_and_the_others_go_on(self, budget, clock, make_shop, seed):
        dice = Random(seed)
        keys = [working(budget, make_shop(api_key=name)) for name in "abcde"]
        refused, flying = set(dice.sample(keys, 3)), [take(key) for key in keys]
        for slot, key in zip(flying, keys, strict=True):
            slot.answered("block" if key in refused else "ok")
        answered = Counter[str]()
        for key, slot in let_through(keys, clock, minutes=30, every=10, dice=dice):
            assert key not in refused
            slot.answered("ok")
            answered[key.fingerprint] += 1
        assert min(answered[key.fingerprint] for key in keys if key not in refused) > 30

    @pytest.mark.seeds(3)
    def test_keys_that_are_refused_one_after_the_other_cost_one_request_each(
        self, budget, clock, make_shop, seed
    ):
        dice = Random(seed)
        keys = [working(budget, make_shop(api_key=name)) for name in "abcde"]
        refused = set(dice.sample(keys, 3))
        answered, blocks = Counter[str](), Counter[str]()
        for key, slot in let_through(keys, clock, minutes=240, every=90, dice=dice):
            slot.answered("block" if key in refused else "ok")
            (blocks if key in refused else answered)[key.fingerprint] += 1
        assert set(blocks.values()) == {1}
        assert min(answered[key.fingerprint] for key in keys if key not in refused) > 30

    def test_a_key_that_never_worked_is_not_the_one_to_try(self, budget, clock, make_shop):
        old, new = working(budget, make_shop()), budget.key(make_shop(api_key="new"))
        take(old).answered("block")
        clock.ticks += 61
        with pytest.raises(Refused, match=r"blocked us.*--lift-block' asks now"):
            new.try_acquire("sync")
        new.lift_block()
        take(new)

    def test_after_the_longest_block_one_careful_try(self, budget, clock, make_shop):
        keys = [working(budget, make_shop(api_key=name)) for name in "ab"]
        flying = [take(key) for key in keys]
        for slot in flying:
            slot.answered("block")
        for key in keys:
            with pytest.raises(Refused):
                key.try_acquire("sync")
        clock.ticks += 480 * 60 + 1
        careful = take(keys[0])
        assert wait(keys[0]).reason == "in flight"
        assert wait(keys[1]).reason == "in flight"
        careful.answered("ok")
        take(keys[0])
        take(keys[0])
