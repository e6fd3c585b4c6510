"""What every long command stands on: a stop event, progress for people, a log for later."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from pipelines.monitor.logs import to_files
from pipelines.settings import Settings, load_settings
from shopmirror.consoles import fault
from shopmirror.demo_shop import leave, must_be_served
from shopmirror.progress import watching
from shopmirror.signals import stopping
from sources.repair_shop.observer import Observer


def configured(*, asking: bool = False) -> Settings:
    """The settings, and a home that holds nothing of the demo shop if that is not the shop.

    ``asking``: the command will ask the service; the demo's shop must be served if it is the one.
    """
    settings = load_settings()
    make_room(settings)
    if asking:
        must_be_served(settings.shops)
    return settings


def make_room(settings: Settings) -> None:
    """Leave nothing of the demo's shop in the home if the settings are of another."""
    if leave(settings.home, settings.shops):
        fault(f"{settings.home} held the demo shop's mirror; it made room for this one.")


@contextmanager
def working(settings: Settings, command: str) -> Iterator[tuple[Observer, threading.Event]]:
    """The observer and the stop event of a run; what is observed goes to the log files too."""
    secrets = [shop.api_key.get_secret_value() for shop in settings.shops]
    with (
        stopping() as stop,
        to_files(settings.home / "logs", command, secrets),
        watching() as observer,
    ):
        yield observer, stop
