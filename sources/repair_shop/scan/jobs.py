"""Which scans a sync makes: for each list, the cheapest evidence of what changed.

A job is one scan. ``full`` reads a list whole (first load, ``--full``); ``head`` reads from the
newest end until nothing is new; ``updated`` asks the ``/updated`` variant from the last day read;
``paid`` asks for old invoices that were paid; ``open`` looks again at purchase orders that are not
received; ``audit`` reads old pages again, ``repair`` days. Nothing here makes a request:
``shopmirror plan`` shows exactly this table.
"""

import math
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any

from ..ledger import Ledger, ScanState
from ..schema.endpoints import ENDPOINTS, Endpoint
from ..settings import ShopSettings
from .known import KnownRows
from .outcome import PAGE_ROWS
from .statuses import HIDDEN_KEY

WHOLE_KINDS = ("full", "head", "updated")
"""Kinds that prove a list whole, by reading it or by counting it."""

_A_DAY = 10
"""Pages of tickets that lists hide for which a day passes until all are read again."""
WATERMARKS = {
    "head": "new_on",
    "updated": "updated_on",
    "paid": "paid_on",
    "hidden": "hidden_on",
}
"""Kind -> column of the day from which it goes on: never later than its last scan's start."""

STILL_NEW = 3600.0
"""Seconds for which what a run proved counts as of now to a later one of so many requests at most
(``is_limited``): else runs of few would begin anew for ever. Any other run asks again."""

WORDS = {
    "full": "read whole",
    "hidden": "what the list may leave out",
    "head": "newest rows until nothing is new",
    "updated": "changed since the last day read",
    "paid": "paid since the last day read",
    "open": "rows still open",
    "audit": "old pages read again",
    "repair": "days that differ read again",
    "follow": "records named by a payment",
}


@dataclass(frozen=True)
class Job:
    """One scan to make. ``requests`` is the estimate, None while the list's size is unknown."""

    shop: str
    endpoint: Endpoint
    kind: str
    variant: Mapping[str, str] = field(default_factory=dict)
    since: date | None = None
    first: date | None = None
    last: date | None = None
    ids: tuple[str, ...] = ()
    requests: int | None = None
    pages: tuple[int, ...] = ()
    """Pages, oldest first, that an audit reads again."""

    @property
    def resource(self) -> str:
        """The raw table, and the variant where a list stands for several."""
        return ":".join((self.endpoint.table, *self.variant.values()))

    @property
    def spec(self) -> dict[str, Any]:
        """What tells this scan from another of the same kind, as JSON."""
        spec: dict[str, Any] = {}
        if self.variant:
            spec["variant"] = dict(self.variant)
        if self.first or self.last:
            spec["days"] = [day and day.isoformat() for day in (self.first, self.last)]
        if self.kind == "follow":
            spec["detail"] = True
        return spec

    @property
    def hides_categories(self) -> bool:
        """Whether the bare list shows only its default rows."""
        return self.endpoint.in_categories in self.variant.values()

    @property
    def comes_late(self) -> bool:
        """Whether it needs what other jobs of the run read: the newest page, the categories, what
        was deleted."""
        needs = self.hides_categories if self.kind == "full" else self.kind in ("open", "hidden")
        return needs or f"{self.resource}_deleted" in ENDPOINTS

    @property
    def path(self) -> str:
        """The path with its variables filled in."""
        path = self.endpoint.path
        for name, value in self.variant.items():
            path = path.replace("{" + name + "}", value)
        return path


def window_of(job: Job) -> dict[str, date]:
    """The filter of a job's days, a day wider at both ends.

    Where the service draws the line of a day (its zone, inclusive or not) is for the service; the
    job's own days are judged whole either way.
    """
    first, last = job.endpoint.window
    found: dict[str, date] = {}
    if job.first is not None:
        found[first] = job.first - timedelta(days=1)
    if job.last is not None:
        found[last] = job.last + timedelta(days=1)
    return found


def mirror_jobs(
    ledger: Ledger,
    shop: ShopSettings,
    *,
    endpoints: Iterable[Endpoint] | None = None,
    full: bool = False,
    is_limited: bool = False,
) -> list[Job]:
    """The scans that bring a shop's mirror up to date, in the order they are begun."""
    jobs: list[Job] = []
    wanted = list(endpoints or ENDPOINTS.values())
    statuses, has_tickets = ENDPOINTS["statuses"], any(one.partition for one in wanted)
    if has_tickets and statuses not in wanted and not ledger.live_count(shop.name, "statuses"):
        # Without a status to ask by, each page of the tickets would be read twice, by last change.
        # What statuses may hide is for a run that is asked for them.
        wanted.append(replace(statuses, hidden=()))
    for endpoint in wanted:
        for variant in endpoint.variants or ({},):
            jobs.extend(_jobs_of(ledger, shop, endpoint, variant, full))
    first_run = None if full else ledger.first_unfinished()
    if first_run is None:
        # Short lists first: most tables are there after minutes of a first load of hours. Then the
        # longest, so that none is left to be read alone at the end.
        return sorted(
            jobs, key=lambda job: (job.kind == "full", job.endpoint.long, job.requests or 0)
        )
    # Going on: what was not reached comes first.
    recent = ledger.recent_scans(shop.name, STILL_NEW, first_run).values()
    proven = {(resource, kind) for resource, kind, state in recent if state is ScanState.PROVEN}

    def is_proven(job: Job) -> bool:
        # What a list leaves out, no reading of the list proves.
        kinds = (job.kind, "hidden" if job.kind == "hidden" else "full")
        return job.kind != "full" and not proven.isdisjoint((job.resource, kind) for kind in kinds)

    return sorted(
        (job for job in jobs if not (is_limited and is_proven(job))),
        key=lambda job: (job.kind != "full", is_proven(job), job.requests or 0),
    )


def _jobs_of(
    ledger: Ledger, shop: ShopSettings, endpoint: Endpoint, variant: Mapping[str, str], full: bool
) -> list[Job]:
    base = Job(shop.name, endpoint, "full", variant)
    resource = base.resource
    live, state = ledger.live_count(shop.name, resource), ledger.list_state(shop.name, resource)
    known = KnownRows(ledger, shop.name, resource)
    pages = math.ceil(live / known.page_rows)
    read_on = state.whole_on
    # Stopped or not proven: a list that was known before (--full) is read to its end all the same.
    begun = ledger.newest_state(shop.name, resource, "full") not in (None, ScanState.PROVEN)
    hidden = _may_hide(ledger, shop, base, full)
    # Nights cannot count what lists hide: long lists of such are read whole the less often.
    hides = endpoint.partition and bool(ledger.value(shop.name, HIDDEN_KEY))
    # Of pages of fifty a night sees nearly all of such a list; shorter ones are all read.
    few = PAGE_ROWS * (2 if known.page_rows < PAGE_ROWS else 1)
    if (
        full
        or read_on is None
        or (base.hides_categories and _is_due(state.categories_on or read_on, 7, shop))
        or (hides and _is_due(read_on, max(7, pages // _A_DAY), shop))
        or begun
        # Of custom fields each night reads all pages, and those of categories weekly.
        or (not endpoint.variants and known.least_full <= live < few)
        or (not endpoint.variants and not endpoint.sort and live >= known.least_full)
    ):
        if base.hides_categories:
            pages += 2 * ledger.live_count(shop.name, "categories")
        return [replace(base, requests=None if read_on is None else pages + 2), *hidden]

    def job(kind: str, requests: int) -> Job:
        since = getattr(state, WATERMARKS[kind], None) if kind in WATERMARKS else None
        return replace(base, kind=kind, since=since, requests=requests)

    cost = _count_cost(endpoint, live, known.page_rows)
    if endpoint.updated_path:
        return [job("updated", 2 + cost), *hidden]
    jobs = [job("head", 1 + cost), *hidden]
    if endpoint.reread_by:
        jobs.append(job("paid", 2))
    is_watched = bool(endpoint.open_statuses)
    watched = len(ledger.live_ids(shop.name, resource, is_open=True)) if is_watched else 0
    if watched:
        jobs.append(job("open", min(watched, 5)))
    return jobs


def _count_cost(endpoint: Endpoint, live: int, size: int) -> int:
    """Requests that counting adds to reading what is new."""
    if endpoint.partition:
        return 2
    if not endpoint.updated_path and (not endpoint.sort or live <= size):
        return 0  # the newest page of a short list shows it whole
    return bool(endpoint.updated_path or endpoint.recently_updated) + (live % size == 0)


def _may_hide(ledger: Ledger, shop: ShopSettings, base: Job, full: bool) -> list[Job]:
    """Asks for what the list may leave out: about weekly, each list on a night of its own. Where it
    left rows out, the other nights ask for new ones."""
    asked_on = ledger.list_state(shop.name, base.resource).hidden_on
    days = 5 + zlib.crc32(base.resource.encode()) % 5
    due = full or asked_on is None or _is_due(asked_on, days, shop)
    known = KnownRows(ledger, shop.name, base.resource)
    if not (base.endpoint.hidden and (due or known.unlisted())):
        return []
    requests = (due and base.endpoint.created_filter) + len(base.endpoint.hidden)
    return [replace(base, kind="hidden", since=None if due else asked_on, requests=requests)]


def _is_due(day: date, days: int, shop: ShopSettings) -> bool:
    """Whether so many days went by since a day."""
    return day + timedelta(days) <= datetime.now(shop.zone).date()
