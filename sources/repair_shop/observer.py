"""What a long run tells while it works. The command line draws it; everything else may ignore it.

Methods are called from several threads at a time.
"""


class Observer:
    """Listens to a run, here to nothing of it; others do something with what they want to hear."""

    def plan(self, shop: str, resource: str, expected_requests: int | None) -> None:
        """A scan is about to be made; None: its size is not known yet."""

    def page(self, shop: str, resource: str, rows: int) -> None:
        """A page of a scan was answered."""

    def done(self, shop: str, resource: str, proven: bool, rows: int, detail: str) -> None:
        """A scan ended; ``detail`` is its proof, or what is in doubt."""

    def budget(self, shop: str, left: int, waiting_seconds: float) -> None:
        """Requests left this minute, and how long the next one has to wait."""

    def say(self, text: str) -> None:
        """Something a person should know, in one line."""
