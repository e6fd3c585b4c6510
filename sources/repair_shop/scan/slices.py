"""Slices: a list that leaves rows out is read as several lists, which together are all of it.

Tickets are those of a status and those of the others (specification, GET /tickets); where a service
hides some all the same, those of each status. What other lists leave out shows under their filters
(:mod:`.hidden`). A slice is read, and each night counted, as a list of its own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .known import OF_STATUS, OTHERS
from .outcome import Outcome
from .proven import read_list
from .service_pages import ServicePages
from .upwards import read_window


@dataclass(frozen=True)
class Slice:
    """What asks for a part of a list."""

    name: str
    """Tells its requests from others of the scan."""
    params: Mapping[str, Any]
    shown: str | None = None
    """How the ledger marks the rows that it shows, if it does."""


WHOLE = Slice("", {})
"""A list that is one slice."""


class MakeReader(Protocol):
    """Makes a reader of the same scan with other parameters."""

    def __call__(
        self, prefix: str = "", path: str | None = None, params: Mapping[str, Any] | None = None
    ) -> ServicePages:
        """``prefix`` keeps the keys of several readers apart."""


def halves(label: str | None) -> list[Slice]:
    """All tickets as two slices: those of the other statuses, and those of a status, if any."""
    # Named after the label: a scan that goes on under another one must not mix its halves.
    return [
        Slice(f"{shown}:{label}:", {"status": label, "statusCondition": condition}, shown)
        for shown, condition in ((OTHERS, "NOT-EQUAL"), (OF_STATUS, "EQUAL"))
        if label is not None
    ]


def read_slices(
    make: MakeReader,
    slices: Iterable[Slice],
    window: Mapping[str, Any],
    *,
    hint: int | None = None,
    is_sorted: bool = True,
) -> tuple[Outcome, bool]:
    """Read slices, each to its proof; and whether the service tells them from each other.

    ``hint`` is the likely last page of the first one. ``window`` and the errors are those of
    :func:`~repair_shop.scan.proven.read_list`.
    """
    out, shown, proofs = Outcome(whole=True), 0, []
    for one in slices:
        reader = make(one.name, None, {**window, **one.params})
        part = read_list(reader, hint=hint) if is_sorted else read_window(reader)
        out.add(part)
        shown, hint = shown + len(part.ids), None
        proofs.append(f"{one.name} {part.proof}")
    out.proof = "; ".join(proofs)
    return out, 2 * shown <= 3 * len(out.ids)
