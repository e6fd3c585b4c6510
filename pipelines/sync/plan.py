"""``plan``: what the next sync will ask, how many requests, how long. Makes no request."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pipelines.home import Home
from pipelines.sync.repair import report_requests
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.scan.audits import audit_jobs
from sources.repair_shop.scan.jobs import WORDS, mirror_jobs, resume_jobs
from sources.repair_shop.schema.endpoints import Endpoint, resource_named
from sources.repair_shop.settings import Settings
from sources.repair_shop.ticket_pipeline import REQUESTS, is_due


@dataclass(frozen=True)
class Step:
    """One thing the next sync will do. ``requests`` is None while a list's size is unknown."""

    shop: str
    resource: str
    strategy: str
    requests: int | None
    extent: str = ""


@dataclass(frozen=True)
class Plan:
    """The next sync. ``minutes`` is for the shop that takes longest; None: not known yet."""

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
    home = Home(settings.home)
    ledger = Ledger(home.ledger)
    steps: list[Step] = []
    requests: dict[str, int] = {}
    unknown: dict[str, int] = {}
    minutes = 0.0
    try:
        for one in settings.chosen(shop):
            jobs = mirror_jobs(ledger, one, endpoints=endpoints, full=full)
            if endpoints is None:
                jobs += resume_jobs(ledger, one)
                if not full:
                    today = datetime.now(one.zone).date()
                    jobs += audit_jobs(ledger, one, today, one.audit_requests)
            own = [
                Step(
                    one.name,
                    job.resource,
                    WORDS[job.kind],
                    job.requests,
                    _days(job.first, job.last),
                )
                for job in jobs
            ]
            if endpoints is None and is_due(ledger, one.name, datetime.now(one.zone).date()):
                own.append(Step(one.name, "tickets", "which are in the pipeline", REQUESTS))
            if endpoints is None:
                own.append(
                    Step(
                        one.name,
                        "reports",
                        "the service's own months",
                        report_requests(ledger, one),
                    )
                )
            steps += own
            requests[one.name] = sum(step.requests or 1 for step in own)
            unknown[one.name] = sum(step.requests is None for step in own)
            rate = max(1, one.requests_per_minute - one.reserve)
            minutes = max(minutes, requests[one.name] / rate * one.minute_seconds / 60)
    finally:
        ledger.close()
    return Plan(steps, requests, unknown, minutes)


def _days(first: object, last: object) -> str:
    return f"{first} to {last}" if first or last else ""
