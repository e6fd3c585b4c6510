"""The queue in one place at a time: taken for a push, or taken over from elsewhere."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from pipelines.json_file import held
from pipelines.outbox.binding import rebind, shown_address
from pipelines.outbox.errors import PushBusy
from pipelines.outbox.identity import Skews, Standing, begin_push, end_push, take_over
from pipelines.outbox.store import Outbox
from sources.repair_shop.budget import Budget
from sources.repair_shop.settings import Settings

LOCK_NAME = "push.lock"


@contextmanager
def locked(settings: Settings) -> Iterator[None]:
    """Be the only one that pushes in a home; :class:`PushBusy` when another does."""
    told = f"Another push is at work in {settings.home}; it sends what is queued now, too."
    with held(settings.home / LOCK_NAME, lambda: PushBusy(told)):
        yield


@contextmanager
def taken(settings: Settings) -> Iterator[None]:
    """The queue while a push is at work; see :func:`pipelines.outbox.identity.begin_push`."""
    with Outbox(settings.home) as outbox:
        begin_push(outbox, _skews(settings))
    try:
        yield
    finally:
        with Outbox(settings.home) as outbox:
            end_push(outbox)


def adopt(settings: Settings, shop: str | None = None, *, by: str) -> list[str]:
    """Make a copied queue the one of this machine and folder, and bind the open changes of one
    shop, or of all, to the services that the settings name; what that came to, in words.

    Nothing is sent. :class:`PushBusy` while a push is at work.
    """
    told: list[str] = []
    Outbox(settings.home).close()
    with locked(settings), Outbox(settings.home) as outbox:
        found = take_over(outbox, _skews(settings))
        if found.standing is Standing.FOREIGN:
            told.append(f"{outbox.path} is the queue from now on ({found.why}).")
        for one in settings.chosen(shop):
            count = rebind(outbox, one, by)
            if count:
                told.append(
                    f"{count} change(s) of shop '{one.name}' are for {shown_address(one.base_url)} "
                    "and its key of today."
                )
        doubted = outbox.doubted()
    if doubted:
        told.append(f"{doubted} waiting change(s) will be looked up before they are sent.")
    return told or ["Nothing was to be adopted: the queue and its changes belong here."]


def _skews(settings: Settings) -> Skews:
    with closing(Budget(settings.home / "budget.sqlite")) as budget:
        return {shop.name: budget.key(shop).skew for shop in settings.shops}
