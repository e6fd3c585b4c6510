"""What can go wrong with a shop's service, grouped by what the caller does next.

::

    ShopError
    ├── ConfigurationError   mend the settings; nothing more is asked              (exit 2)
    │   └── BudgetUnusable       the rate budget's file cannot be read or written
    ├── KeyRefused           the key is none: mend it, nothing more is asked       (exit 3)
    ├── Refused              stop until ``until``: blocked, or out of strikes      (exit 3)
    ├── Unreachable          no connection, or none that held, after all tries     (exit 3)
    ├── RateLimited          wait and ask again; the client does it by itself      (exit 3)
    ├── BadAnswer            X came where Y was expected: skip this, tell a person (exit 3)
    │   ├── NotFound             404: the path or the record does not exist
    │   ├── NoRows               204 or null where a list belongs
    │   └── ValidationRefused    the service said no to what was asked or sent
    │       └── NotAllowed           the key works, but has no right to this path
    ├── NotSent              a write that surely had no effect; may be sent again  (exit 3)
    ├── OutcomeUnknown       a write that may have been applied: look it up first  (exit 1)
    └── Stopped              stopped on purpose: a signal, a deadline, a maximum   (exit 4)

A write that raises anything but :class:`OutcomeUnknown` was surely not applied. Exceptions of
the wire become these in one place, :func:`repair_shop.http.wire.from_wire`. No message holds a key.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Self


class ShopError(Exception):
    """Anything that keeps an answer from us. ``exit_code`` is the command line's (0 to 4)."""

    exit_code = 3


class ConfigurationError(ShopError):
    """The settings cannot work: an address that is no such service, a proxy that is none."""

    exit_code = 2


class BudgetUnusable(ConfigurationError):
    """The file of the rate budget fails us: without it no request may go out."""


class KeyRefused(ShopError):
    """The service refused a key that never worked, or was replaced. One request tells it; no other
    is sent."""


class Refused(ShopError):
    """The service will not have us, or we stopped ourselves before it would.

    ``until`` is when it may be tried again (aware, UTC). Nothing is asked before.
    """

    def __init__(self, message: str, until: datetime | None = None) -> None:
        super().__init__(message)
        self.until = until


class Unreachable(ShopError):
    """The service could not be reached, or the connection broke, after all tries.

    ``sent`` is False when the request surely never arrived (no name, no connection).
    """

    def __init__(self, message: str, *, sent: bool = True) -> None:
        super().__init__(message)
        self.sent = sent


class RateLimited(ShopError):
    """The service said that there were too many requests (specification, Limits).

    Raised under the client only: it waits out the minute and asks again.
    """


class BadAnswer(ShopError):
    """The service answered something else than was expected.

    ``excerpt`` is short and redacted; ``transient`` says whether the same request may fare better.
    """

    def __init__(
        self,
        message: str,
        *,
        method: str = "",
        path: str = "",
        status: int = 0,
        excerpt: str = "",
        transient: bool = False,
    ) -> None:
        where = f"{method} {path}: ".lstrip() if path else ""
        seen = f" (saw: {excerpt})" if excerpt else ""
        super().__init__(f"{where}{message}{seen}")
        self.status = status
        self.excerpt = excerpt
        self.transient = transient

    @classmethod
    def of_read(cls, message: str, path: str, excerpt: str = "") -> Self:
        """The error of a GET that was answered with 200, and with something else."""
        return cls(message, method="GET", path=path, status=200, excerpt=excerpt)

    @property
    def wording(self) -> str:
        """See :func:`wording`."""
        return wording(self.status, self.excerpt)


class NotFound(BadAnswer):
    """404: this service has no such path or record."""


class NoRows(BadAnswer):
    """Nothing at all (204, or null) where a list belongs: some services' way past the last page."""


class ValidationRefused(BadAnswer):
    """The service refused the request itself; ``reason`` is its own words (redacted)."""

    @property
    def reason(self) -> str:
        """The text of the service's ``error`` field, or a short excerpt of what came instead."""
        return self.excerpt


class NotAllowed(ValidationRefused):
    """The key works, but has no right to this path. Never a page past the end, never a block."""


class NotSent(ShopError):
    """A write that surely had no effect, so that it may be sent again as it is."""


class OutcomeUnknown(ShopError):
    """A write whose answer we do not have: it may have been applied. Never resend it blindly.

    ``reason`` is the service's own text when it answered an error under a success status: look
    the change up; if it is not there, that is why.
    """

    exit_code = 1

    def __init__(self, message: str, status: int = 0, reason: str = "") -> None:
        super().__init__(f"It is not known whether this took effect: {message}")
        self.status, self.reason = status, reason


class Stopped(ShopError):
    """Stopped early on purpose; what was fetched is kept and the next run goes on from there."""

    exit_code = 4


def wrong_address(why: object) -> ConfigurationError:
    """What a 404 means while nothing was ever answered: it is the address, not this one list."""
    return ConfigurationError(
        f"base_url does not look like the service: {why}. It ends with /v1 "
        "(specification, Versioning)."
    )


def wording(status: int, text: str) -> str:
    """Status and words of an answer without numbers, for telling whether it is the same refusal."""
    return f"{status} " + re.sub(r"\d+", "#", text)


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, what it came of, and so on to the first."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def first_line(error: BaseException) -> str:
    """The first line an error says, else its name."""
    text = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return (text or type(error).__name__)[:300]
