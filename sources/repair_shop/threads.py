"""Work side by side in threads: of shops, of the lists of a shop, of the pages of a list."""

from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

THREADS = 240
"""Threads of all shops of a process together."""
_OF_A_SHOP = 6
"""Lists of a shop at a time: enough that a service of 3 s an answer gives its whole rate."""


def threads_of_a_shop(shops: int) -> int:
    """Threads of each of so many shops."""
    return max(1, min(_OF_A_SHOP, THREADS // max(1, shops)))


def side_by_side(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    width: int | None = None,
    *,
    interrupted: Callable[[], object] | None = None,
) -> list[Result]:
    """``work`` of each item, up to ``width`` at a time, by default all; results in their order.

    Ends when all have ended; then the first error is raised. After one, no further item is begun.
    ``interrupted`` asks those under way to end when a signal interrupts the waiting.
    """
    todo = list(items)
    width = min(len(todo), width or len(todo))
    if not todo or (width == 1 and interrupted is None):
        return [work(item) for item in todo]
    with ThreadPoolExecutor(width) as pool:
        futures = [pool.submit(work, item) for item in todo]
        try:
            _, left = wait(futures, return_when=FIRST_EXCEPTION)
        except BaseException:
            if interrupted is not None:
                interrupted()
            pool.shutdown(wait=True, cancel_futures=True)
            raise
        if left:
            pool.shutdown(wait=True, cancel_futures=True)
    failed = [one for one in futures if not one.cancelled() and one.exception() is not None]
    return [future.result() for future in failed or futures]
