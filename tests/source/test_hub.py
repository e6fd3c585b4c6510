"""Scans side by side in one thread: order, errors, turns, and what a chain of shops takes."""

import _thread
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from pipelines.settings import ShopSettings
from sandbox.quirks import Quirks
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from sources.repair_shop import hub
from sources.repair_shop.hub import Turn, on_wire, pause, together
from sources.repair_shop.mirror import Mirror
from sources.repair_shop.observer import Observer


def test_results_come_in_order_and_an_error_when_all_have_ended():
    ended: list[int] = []

    def work(number, last):
        while number < last and number + 1 not in ended:
            pause(0.001)
        ended.append(number)
        if number == 3:
            raise ValueError(number)
        return number

    assert together(partial(work, last=2), [0, 1, 2]) == [0, 1, 2]
    assert ended == [2, 1, 0]
    ended.clear()
    with pytest.raises(ValueError, match="3"):
        together(partial(work, last=4), range(5))
    assert ended == [4, 3, 2, 1, 0]
    assert together(partial(work, last=0), []) == []


def test_after_an_error_nothing_more_is_begun():
    begun: list[int] = []

    def work(number):
        begun.append(number)
        pause(0.001)
        raise ValueError(number)

    with pytest.raises(ValueError, match="0"):
        together(work, range(9), width=2)
    assert begun == [0, 1]


def test_waiting_takes_no_thread():
    before = threading.active_count()
    peak: list[int] = []

    def wait(_number):
        together(pause, [0.05, 0.05])
        peak.append(threading.active_count())

    began = time.monotonic()
    together(wait, range(300))
    assert time.monotonic() - began < 5  # 300 times 0.05 one after the other are 15
    assert max(peak) == before


def test_turns_are_in_the_order_of_coming():
    turn, order = Turn(), list[int]()

    def take(number):
        with turn:
            pause(0.001)
            order.append(number)

    together(take, range(20))
    assert order == list(range(20))


def test_one_that_gets_no_answer_leaves_threads_to_the_others():
    answer, done = threading.Event(), list[str]()

    def ask(owner):
        on_wire(owner, lambda: owner == "out" and answer.wait(30))
        done.append(owner)
        if done.count("up") == 50:
            answer.set()

    before = threading.active_count()
    together(ask, ["out"] * 2 * hub.THREADS + ["up"] * 50)
    assert done[:50] == ["up"] * 50
    assert answer.is_set()
    assert threading.active_count() == before


def test_a_signal_while_all_wait_ends_them():
    stop = threading.Event()

    def work(_number):
        try:
            while not stop.is_set():
                pause(0.005)
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(1) as other, pytest.raises(KeyboardInterrupt):
        other.submit(lambda: (time.sleep(0.05), _thread.interrupt_main()))
        together(work, range(5), interrupted=stop.set)


def open_files() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


class Counting(Observer):
    """Threads and open files of this process at each page, at most."""

    def __init__(self) -> None:
        self.threads = self.files = 0

    def page(self, shop: str, resource: str, rows: int) -> None:
        self.threads = max(self.threads, threading.active_count())
        self.files = max(self.files, open_files())


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files as Linux does")
@pytest.mark.slow
def test_forty_shops_take_no_more_threads_and_files_than_a_pool(tmp_path):
    slow = Quirks(latency_seconds=0.05)
    specs = [
        ShopSpec(
            f"shop{n}", limit=None, records=[("brands", {"id": "1", "name": "One"})], quirks=slow
        )
        for n in range(40)
    ]
    counting = Counting()
    with SandboxServer(specs) as server:
        files, threads = open_files(), threading.active_count()
        shops = [
            ShopSettings(
                name=name,
                base_url=server.base_url,
                api_key=key,  # type: ignore[arg-type]
                minute_seconds=3000.0,
                requests_per_minute=30_000,
            )
            for name, key in server.keys.items()
        ]
        with Mirror(tmp_path, shops, observer=counting) as mirror:
            readings = mirror.read(["brands", "categories", "models", "suppliers", "leads"])
    assert [reading.doubts for reading in readings] == [[]] * 40
    # One thread a request on its way, whose connection has two ends here; the service's own
    # workers are a few; the ledger and the budget are five files.
    assert counting.threads - threads <= hub.THREADS + 10
    assert counting.files - files <= 2 * hub.THREADS + 20
