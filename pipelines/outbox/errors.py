"""What can go wrong with the queue itself."""


class OutboxError(Exception):
    """Base of the queue's own errors. ``exit_code`` is the command line's."""

    exit_code = 2


class InputRefused(OutboxError):
    """Changes that cannot be queued. ``faults`` name the row (line) and field of each.

    ``lead`` says what did not happen.
    """

    def __init__(self, faults: list[str], lead: str = "Nothing was queued") -> None:
        shown = faults[:50]
        more = len(faults) - len(shown)
        tail = [f"... and {more} more"] if more else []
        super().__init__(f"{lead}:\n  " + "\n  ".join(shown + tail))
        self.faults = faults


class QueueBroken(OutboxError):
    """The queue's file is damaged, locked for too long, of another version or not writable."""


class QueueForeign(OutboxError):
    """The queue was copied here; ``queue adopt`` makes it the one of this place."""


class ServiceChanged(OutboxError):
    """Changes of a shop were queued for another address or key than the settings name now."""


class ShopUnknown(OutboxError):
    """Changes wait for a shop that the settings do not name (any more)."""

    exit_code = 1


class PushBusy(OutboxError):
    """One push at a time in a home folder, so that no change is sent by two."""

    exit_code = 4


class Moved(OutboxError):
    """Somebody else dealt with a change since it was read: leave it to them."""

    exit_code = 1
