"""``plan``: what the next sync will ask, how many requests, how long. Makes no request."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pipelines.home import Home
from pipelines.settings import Settings, ShopSettings
from pipelines.sync.repair import report_requests
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.open_statuses import REQUESTS, is_due
from sources.repair_shop.scan.audits import audit_jobs
from sources.repair_shop.scan.jobs import WORDS, mirror_jobs
from sources.repair_shop.schema.endpoints import Endpoint, resource_named


@dataclass(frozen=True)
class Step:
    """One thing the next sync will do. ``requests`` is None while a list's size is unknown."""

    shop: str
    resource: str
    strategy: str
    requests: int | None
    extent: str = ""


@dataclass
class Plan:
    """The next sync. ``minutes`` is for the shop that takes longest."""

    steps: list[Step]
    requests: dict[str, int]
    """Shop -> requests that are known to be needed."""
    unknown: dict[str, int]
    """Shop -> lists whose size is not known before they are read for the first time."""
    minutes: float

    def as_json(self) -> dict[str, Any]:
        """The plan for ``--json``."""
        return {
            "requests": sum(self.requests.values()),
            "minutes": round(self.minutes, 2),
            "unknown_lists": sum(self.unknown.values()),
            "by_shop": self.requests,
            "steps": [vars(step) for step in self.steps],
        }


def plan(
    settings: Settings,
    *,
    resources: list[str] | None = None,
    shop: str | None = None,
    full: bool = False,
) -> Plan:
    """Work the next sync out from the ledger; reads files, asks nothing."""
    endpoints: list[Endpoint] | None = (
        [resource_named(name) for name in resources] if resources else None
    )
    found = Plan([], {}, {}, 0.0)
    with closing(Ledger(Home(settings.home).ledger)) as ledger:
        for one in settings.chosen(shop):
            own = list(_steps(ledger, one, endpoints, full=full))
            requests = sum(step.requests or 1 for step in own)
            found.steps += own
            found.requests[one.name] = requests
            found.unknown[one.name] = sum(step.requests is None for step in own)
            rate = max(1, one.requests_per_minute - one.reserve)
            found.minutes = max(found.minutes, requests / rate * one.minute_seconds / 60)
    return found


def _steps(
    ledger: Ledger, shop: ShopSettings, endpoints: list[Endpoint] | None, *, full: bool
) -> Iterator[Step]:
    jobs = mirror_jobs(ledger, shop, endpoints=endpoints, full=full)
    today = datetime.now(shop.zone).date()
    if endpoints is None and not full:
        whole = {job.resource for job in jobs if job.kind == "full"}
        jobs += audit_jobs(ledger, shop, but=whole)
    for job in jobs:
        days = f"{job.first} to {job.last}" if job.first or job.last else ""
        yield Step(shop.name, job.resource, WORDS[job.kind], job.requests, days)
    if endpoints is None:
        if is_due(ledger, shop.name, today):
            yield Step(shop.name, "tickets", "which are in the pipeline", REQUESTS)
        asked = report_requests(ledger, shop)
        yield Step(shop.name, "reports", "the service's own months", asked)
