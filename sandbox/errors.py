"""What the service refuses, with the status it answers; specification, Errors.

The specification fixes no status ("not shown"); ours are the usual ones.
"""


class Refusal(Exception):
    """An answer with the specification's error body: one field ``error``."""

    status = 400


class BadRequest(Refusal):
    """The request breaks a rule of the specification's tables; the message says which."""


class Unauthorised(Refusal):
    """No key, or one that is not valid."""

    status = 401


class NotFound(Refusal):
    """No such path, or no record with that id."""

    status = 404


class MethodNotAllowed(Refusal):
    """The path exists, but not with this method."""

    status = 405

    def __init__(self, message: str, allowed: tuple[str, ...]) -> None:
        super().__init__(message)
        self.allowed = allowed


class UnsupportedMedia(Refusal):
    """The body is not of the content type that the specification asks for."""

    status = 415
