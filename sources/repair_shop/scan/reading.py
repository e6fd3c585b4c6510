"""What a scan asks with, and what is known of its list: each way to read a list takes it.

A list that leaves rows out is read as several, its *slices*, which together are all of it. Tickets
are those of a status and those of the others (specification, GET /tickets); where a service hides
some all the same, those of each status. What other lists leave out shows under their filters
(:mod:`.hidden`). A slice is read, and each night counted, as a list of its own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from ..http.client import Client
from ..ledger import Ledger, Page, Scan
from .jobs import Job
from .known import OF_STATUS, OTHERS, KnownRows
from .outcome import SINCE_EVER
from .service_pages import ServicePages
from .statuses import repair_status

FROM_KEY = "recent rows alone"
"""Ledger key of a shop whose lists show all rows only if they are asked for from a day on."""
_LONGEST = "longest page"
"""Note of a shop."""
OnRows = Callable[[list[dict[str, Any]], Page], None]
"""Called with the rows of each answer and what a scan keeps of them."""


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


def halves(label: str | None) -> list[Slice]:
    """All tickets as two slices: those of the other statuses, and those of a status, if any."""
    # Named after the label: a scan that goes on under another one must not mix its halves.
    return [
        Slice(f"{shown}:{label}:", {"status": label, "statusCondition": condition}, shown)
        for shown, condition in ((OTHERS, "NOT-EQUAL"), (OF_STATUS, "EQUAL"))
        if label is not None
    ]


@dataclass(frozen=True)
class Reading:
    """One scan of the list of a job. ``began``: number of the last answer before this run;
    ``say`` tells people what they should know; ``by_offset``: pages are asked for by offset and
    limit; ``prefix`` tells its requests from those of other readings of the scan."""

    client: Client
    ledger: Ledger
    began: int
    job: Job
    scan: Scan
    on_rows: OnRows
    say: Callable[[str], object]
    by_offset: bool = False
    prefix: str = ""

    @property
    def shop(self) -> str:
        """Name of the shop."""
        return self.job.shop

    @property
    def known(self) -> KnownRows:
        """What is known of the list's rows."""
        return KnownRows(self.ledger, self.shop, self.job.resource)

    @property
    def slices(self) -> list[Slice]:
        """The slices of which the list is the union, if it is no list of its own."""
        is_whole = not self.job.endpoint.partition
        return [] if is_whole else halves(repair_status(self.ledger, self.shop))

    @property
    def longest(self) -> int:
        """Rows of the longest page that a list of the shop showed, of those asked for by number."""
        return int(self.ledger.value(self.shop, _LONGEST) or 0)

    @property
    def aside(self) -> Self:
        """The same, but for what people and notes are told of its rows: they are no part of it."""
        return replace(self, on_rows=lambda *_: None)

    @property
    def exists(self) -> Callable[[str], bool] | None:
        """Looks a row of the list up by its own path; None where there is none."""
        if not self.job.endpoint.detail:
            return None
        reader = replace(self.aside, prefix="").pages("exists:", self.job.path)
        return lambda identity: reader.detail(identity) is not None

    def unshown(self, shown: set[str]) -> list[str]:
        """Rows of the job's days that are believed to live and that the scan did not show."""
        job, began = self.job, self.scan.began_seq
        live = self.ledger.live_ids(
            self.shop, job.resource, first=job.first, last=job.last, before_seq=began
        )
        return [row for row in live if row not in shown]

    def pages(
        self, prefix: str = "", path: str | None = None, params: Mapping[str, Any] | None = None
    ) -> ServicePages:
        """The pages that other parameters show; ``prefix`` keeps the keys of several apart."""
        asked, endpoint = dict(params or {}), self.job.endpoint
        if path is None and endpoint.created_filter and self.ledger.value(self.shop, FROM_KEY):
            asked.setdefault(endpoint.window[0], SINCE_EVER)

        def take(rows: list[dict[str, Any]], page: Page) -> None:
            self.on_rows(rows, page)
            if not self.by_offset and "offset" not in asked and len(rows) > self.longest:
                self.ledger.set_value(self.shop, _LONGEST, str(len(rows)))

        return ServicePages(
            self.client,
            self.ledger,
            self.scan,
            endpoint,
            path=path or self.job.path,
            params={**endpoint.include_params, **asked},
            prefix=self.prefix + prefix,
            on_rows=take,
            by_offset=self.by_offset,
        )
