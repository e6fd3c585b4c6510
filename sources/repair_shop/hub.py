"""Scans of many shops side by side in one thread; only what is on the wire takes threads.

A scan mostly waits: for its key's next slot, for an answer. So scans are greenlets, which wait for
nothing but memory, of one thread, which does all that takes time of the processor anyway. A request
on its way has a thread of a pool that all shops share, and no shop more than its part of it: shops
that give no answer do not hold up the others.

::

    together(read_shop, shops)          # greenlets of a hub, which ends with the last of them
        together(scan, jobs, width=6)   # inside: more greenlets of the same hub
            pause(0.5)                  # the others go on
            on_wire(key, send, request) # in a thread; the others go on

Outside of a hub :func:`pause` and :func:`on_wire` are plain calls, so that code needs not know
where it runs. What runs in a hub must not hold a lock while it calls one of these.
"""

import heapq
import itertools
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from greenlet import getcurrent, greenlet

from .http.client import Answer, Client, Params

Item = TypeVar("Item")
Result = TypeVar("Result")

THREADS = 240
"""Requests on their way or waiting for the budget, of all shops; threads made when needed."""
_OF_A_SHOP, _OF_A_SHOP_WHEN_BUSY = 4, 1
"""Threads of one shop at most; the latter while half of all are taken."""


class _Here(threading.local):
    hub: "_Hub | None" = None
    """The hub whose greenlet this is; None elsewhere."""


_HERE = _Here()


def together(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    width: int | None = None,
    *,
    interrupted: Callable[[], object] | None = None,
) -> list[Result]:
    """``work`` of each item, up to ``width`` at a time, by default all; results in their order.

    Ends when all have ended; then the first error is raised. After one, no further item is begun.
    ``interrupted`` asks those under way to end when a signal interrupts the waiting itself.
    """
    hub = _HERE.hub
    if hub is not None:
        return hub.together(work, list(items), width)
    hub = _HERE.hub = _Hub()
    try:
        return hub.run(lambda: hub.together(work, list(items), width), interrupted)
    finally:
        _HERE.hub = None


def pause(seconds: float) -> None:
    """Sleep; in a hub the others go on."""
    hub = _HERE.hub
    if hub is None:
        time.sleep(seconds)
    else:
        hub.pause(seconds)


def ask(client: Client, path: str, params: Params | None = None) -> Answer:
    """:meth:`~repair_shop.http.client.Client.get`; in a hub in a thread of its pool."""
    return on_wire(client.budget.fingerprint, lambda: client.get(path, params))


def on_wire(owner: str, work: Callable[[], Result]) -> Result:
    """``work()``; in a hub in a thread of its pool, of which ``owner`` has but a part."""
    hub = _HERE.hub
    return work() if hub is None else hub.on_wire(owner, work)


class Turn:
    """One greenlet of a hub at a time, in the order in which they came. Threads that are not a
    hub's pass at once: for these it is no lock."""

    def __init__(self) -> None:
        self._taken = False
        self._line: deque[greenlet] = deque()

    def __enter__(self) -> None:
        hub = _HERE.hub
        if hub is None:
            return
        if self._taken:
            self._line.append(getcurrent())
            hub.wait()  # whoever ends leaves it taken, for us
        self._taken = True

    def __exit__(self, *_error: object) -> None:
        hub = _HERE.hub
        if hub is None:
            return
        if self._line:
            hub.wake(self._line.popleft())
        else:
            self._taken = False


class _Hub:
    """The loop of one thread, see the module."""

    def __init__(self) -> None:
        self._loop = getcurrent()
        self._ready: deque[tuple[greenlet, Any]] = deque()
        self._timers: list[tuple[float, int, greenlet]] = []
        self._order = itertools.count()
        self._alive = 0
        self._answers: SimpleQueue[tuple[greenlet, str, Future[Any]]] = SimpleQueue()
        self._asking: deque[tuple[str, Callable[[], Any], greenlet]] = deque()
        self._threads: Counter[str] = Counter()
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="wire")

    def run(self, work: Callable[[], Result], interrupted: Callable[[], object] | None) -> Result:
        """``work`` as the first greenlet; returns when all have ended."""
        done: list[Future[Result]] = []
        self.spawn(lambda: done.append(_done(work)))
        signal: BaseException | None = None
        try:
            while self._alive:
                try:
                    self._turn()
                except BaseException as error:
                    if interrupted is None or signal is not None:
                        raise
                    signal = error
                    interrupted()
        finally:
            self._pool.shutdown(wait=True, cancel_futures=True)
        if signal is not None:
            raise signal
        return done[0].result()

    def _turn(self) -> None:
        for _ in range(len(self._ready)):
            waiting, value = self._ready.popleft()
            waiting.switch(value)
        if not self._alive:
            return
        left = max(0.0, self._timers[0][0] - time.monotonic()) if self._timers else None
        if self._ready:
            left = 0.0
        try:
            waiting, owner, answered = self._answers.get(block=left != 0.0, timeout=left)
        except Empty:
            pass
        else:
            self._threads[owner] -= 1
            self._ready.append((waiting, answered))
            self._give_threads()
        now = time.monotonic()
        while self._timers and self._timers[0][0] <= now:
            self.wake(heapq.heappop(self._timers)[2])

    # -- called by greenlets --------------------------------------------------------------------

    def spawn(self, work: Callable[[], object]) -> None:
        """A greenlet more; ``work`` must not raise."""

        def body(_value: object) -> None:
            try:
                work()
            finally:
                self._alive -= 1

        self._alive += 1
        self.wake(greenlet(body, parent=self._loop))

    def wait(self) -> Any:
        """Let the others go on until somebody wakes this greenlet; what it was given."""
        return self._loop.switch()

    def wake(self, waiting: greenlet) -> None:
        """Have a greenlet go on when it is its turn."""
        self._ready.append((waiting, None))

    def pause(self, seconds: float) -> None:
        """See :func:`pause`."""
        end = time.monotonic() + seconds
        heapq.heappush(self._timers, (end, next(self._order), getcurrent()))
        self.wait()

    def on_wire(self, owner: str, work: Callable[[], Result]) -> Result:
        """See :func:`on_wire`."""
        self._asking.append((owner, work, getcurrent()))
        self._give_threads()
        answered: Future[Result] = self.wait()
        return answered.result()

    def _give_threads(self) -> None:
        for _ in range(len(self._asking)):
            taken = self._threads.total()
            if taken >= THREADS:
                return
            part = _OF_A_SHOP if taken < THREADS // 2 else _OF_A_SHOP_WHEN_BUSY
            owner, work, waiting = self._asking.popleft()
            if self._threads[owner] >= part:
                self._asking.append((owner, work, waiting))
                continue
            self._threads[owner] += 1
            self._pool.submit(self._answer, waiting, owner, work)

    def _answer(self, waiting: greenlet, owner: str, work: Callable[[], Any]) -> None:
        self._answers.put((waiting, owner, _done(work)))

    def together(
        self, work: Callable[[Item], Result], items: list[Item], width: int | None
    ) -> list[Result]:
        """See :func:`together`."""
        left = min(len(items), width or len(items))
        if not left:
            return []
        caller, todo = getcurrent(), iter(range(len(items)))
        outcomes: dict[int, Future[Result]] = {}
        failed: list[Future[Result]] = []

        def take() -> None:
            nonlocal left
            for at in todo:
                outcomes[at] = outcome = _done(partial(work, items[at]))
                if outcome.exception() is not None:
                    failed.append(outcome)
                if failed:
                    break
            left -= 1
            if not left:
                self.wake(caller)

        for _ in range(left):
            self.spawn(take)
        self.wait()
        if failed:
            failed[0].result()
        return [outcomes[at].result() for at in range(len(items))]


def _done(work: Callable[[], Result]) -> Future[Result]:
    """Does the work now; what it gave is in the future, or what it raised."""
    future: Future[Result] = Future()
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001 - it is raised where the result is asked for
        future.set_exception(error)
    return future
