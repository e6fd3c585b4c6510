"""What the service refuses; specification, Errors."""

from collections.abc import Mapping


class Refusal(Exception):
    """An answer with the specification's error body: one field ``error``, the message.

    The specification fixes no status ("not shown"); ours are the usual ones: 400 for a broken rule
    of its tables, 401 for a key, 404 for a path or record that is not there, 405, 415.
    """

    def __init__(
        self, message: str, status: int = 400, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.headers = status, headers or {}
