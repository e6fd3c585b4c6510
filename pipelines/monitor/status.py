"""``status``: is the mirror complete and as of when, what is in doubt, what is left of the budget.

Reads files only, also while a sync runs; makes no request.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from pipelines.home import Home
from pipelines.load.evidence import completeness
from pipelines.load.ops import OPS_TABLES
from pipelines.transform.findings import read_findings
from sources.repair_shop.budget import Budget
from sources.repair_shop.http.service_clock import clock_words
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.ledger.aside import pages_aside
from sources.repair_shop.scan.jobs import full_mark
from sources.repair_shop.schema.endpoints import ENDPOINTS
from sources.repair_shop.settings import Settings, ShopSettings

_STALE_HOURS = 36
"""A mirror older than this missed a night."""


@dataclass
class ShopStatus:
    """One shop. Times are UTC ISO text, or None when it never happened."""

    shop: str
    complete: bool
    as_of: str | None
    missing: list[str]
    doubts: list[str]
    resources: list[dict[str, Any]]
    budget: dict[str, Any]
    differences: list[dict[str, Any]]
    compared: int = 0
    clock: str = ""
    """In words how far our clock is from the service's; empty while they agree."""


@dataclass
class Status:
    """Everything at one look. ``problems`` in words; empty when all is well."""

    shops: list[ShopStatus]
    runs: list[dict[str, Any]]
    queue: dict[str, int]
    next_runs: list[dict[str, Any]]
    incidents: list[dict[str, Any]]
    warehouse: dict[str, Any]
    discarded: int = 0
    """Rejected changes that a person took out of the queue: nobody need look at them again."""
    problems: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        return {
            "complete": all(shop.complete for shop in self.shops),
            "problems": self.problems,
            "shops": [vars(shop) for shop in self.shops],
            "runs": self.runs,
            "queue": self.queue,
            "next_runs": self.next_runs,
            "incidents": self.incidents,
            "warehouse": self.warehouse,
        }

    @property
    def exit_code(self) -> int:
        """0 all is well, 1 otherwise; for ``--check``."""
        return int(bool(self.problems))


def status(settings: Settings) -> Status:
    """Gather the state of the home folder."""
    home = Home(settings.home)
    # Asked before and after the runs are read: one may begin or end in between.
    is_syncing = home.is_syncing()
    ledger, budget = Ledger(home.ledger), Budget(home.budget)
    try:
        evidence = completeness(ledger)
        warehouse, compared = _warehouse(home)
        shops = [_shop(one, ledger, budget, evidence, compared) for one in settings.shops]
        runs = [
            dict(zip(OPS_TABLES["runs"], row, strict=True))
            for row in ledger.query(
                "SELECT run_id, command, started_at, ended_at, outcome, exit_code, requests, rows, "
                "message FROM runs ORDER BY run_id DESC LIMIT 10"
            )
        ]
    finally:
        ledger.close()
        budget.close()
    jobs = _next_runs(home.path)
    incidents = _incidents(home.path, jobs, runs)
    queue, discarded, copied = _queue(home.path)
    found = Status(shops, runs, queue, jobs, incidents, warehouse, discarded)
    found.problems = _problems(found, is_syncing=is_syncing or home.is_syncing())
    found.problems += [copied] if copied else []
    return found


def _shop(
    shop: ShopSettings,
    ledger: Ledger,
    budget: Budget,
    evidence: list[dict[str, Any]],
    compared: dict[str, tuple[int, list[dict[str, Any]]]],
) -> ShopStatus:
    own = [e for e in evidence if e["shop_id"] == shop.name]
    missing: list[str] = []
    resources: list[dict[str, Any]] = []
    for endpoint in ENDPOINTS.values():
        for variant in endpoint.variants or ({},):
            resource = ":".join((endpoint.table, *variant.values()))
            whole = ledger.mark(shop.name, full_mark(resource)) is not None
            if not whole:
                missing.append(resource)
            scans = [e for e in own if e["resource"] == resource]
            # What a clock that was wrong dated in the future would look fresh until then.
            proven = [
                e["checked_at"]
                for e in scans
                if e["is_proven"] and e["checked_at"] and not _is_to_come(e["checked_at"])
            ]
            resources.append(
                {
                    "resource": resource,
                    "rows": ledger.live_count(shop.name, resource),
                    "whole": whole,
                    "fresh_as_of": max(proven, default=None),
                    "proof": next((e["proof"] for e in reversed(scans) if e["is_proven"]), None),
                }
            )
    latest: dict[tuple[str, str], dict[str, Any]] = {}
    for item in own:
        key = (item["resource"], item["kind"])
        if item["checked_at"] and item["checked_at"] >= latest.get(key, item)["checked_at"]:
            latest[key] = item
    doubts = [
        f"{e['resource']}: {e['reason']}" for e in own if not e["is_proven"] and e["checked_at"]
    ]
    doubts += [f"{e['resource']}: not finished" for e in own if e["state"] == "open"]
    doubts += [
        f"{e['resource']}: {e['proof'].split('; ')[-1]}"
        for e in latest.values()
        if "not believed" in (e["proof"] or "")
    ]
    doubts += [str(page) for page in pages_aside(ledger) if page.shop == shop.name]
    fresh: list[str | None] = [r["fresh_as_of"] for r in resources]
    rate = budget.key(shop)
    state = rate.state()
    matching, differing = compared.get(shop.name, (0, []))
    return ShopStatus(
        shop.name,
        not missing and not doubts,
        None if missing or any(f is None for f in fresh) else min(f for f in fresh if f),
        missing,
        doubts,
        resources,
        {
            "limit": state.limit,
            "used": state.used,
            "left": state.left,
            "cooldown_seconds": round(state.cooldown_seconds, 1),
            "strikes": state.strikes,
            "refused_until": state.refused_until and state.refused_until.isoformat(),
            "reason": state.reason,
        },
        differing,
        matching + len(differing),
        clock_words(rate.skew),
    )


def _is_to_come(moment: str) -> bool:
    return datetime.fromisoformat(moment) > datetime.now(UTC)


def _warehouse(
    home: Home,
) -> tuple[dict[str, Any], dict[str, tuple[int, list[dict[str, Any]]]]]:
    """When it was published; and of ``marts.reconciliation`` shop -> (matching, differing)."""
    path = home.warehouse
    if not path.exists():
        return {"published_at": None}, {}
    told: dict[str, Any] = {
        "published_at": datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(),
        "bytes": path.stat().st_size,
    }
    compared: dict[str, tuple[int, list[dict[str, Any]]]] = {}
    try:
        with duckdb.connect(str(path), read_only=True) as database:
            rows = database.execute(
                "SELECT shop_id, report, period, ours, theirs, difference, matches "
                "FROM marts.reconciliation ORDER BY 1, 2, 3"
            ).fetchall()
            told["findings"] = read_findings(database)
    except duckdb.Error as error:
        told["problem"] = f"The warehouse cannot be read: {str(error).splitlines()[0]}"
        return told, compared
    for shop, report, period, ours, theirs, difference, matches in rows:
        matching, differing = compared.get(shop, (0, []))
        if matches:
            compared[shop] = (matching + 1, differing)
        else:
            differing.append(
                {
                    "report": report,
                    "period": period.isoformat(),
                    "ours": str(ours),
                    "theirs": str(theirs),
                    "difference": str(difference),
                }
            )
            compared[shop] = (matching, differing)
    return told, compared


def _queue(home: Path) -> tuple[dict[str, int], int, str]:
    """Changes by state, how many of the rejected ones were discarded, and in words that the queue
    is a copy that sends nothing."""
    from pipelines.outbox import STATES, Outbox, QueueForeign
    from pipelines.outbox.identity import refuse_foreign
    from pipelines.outbox.store import FILE_NAME

    if not (home / FILE_NAME).is_file():
        return dict.fromkeys(STATES, 0), 0, ""
    with Outbox(home) as outbox:
        copied = ""
        try:
            refuse_foreign(outbox)
        except QueueForeign as error:
            copied = str(error)
        return outbox.counts(), outbox.discarded(), copied


def _next_runs(home: Path) -> list[dict[str, Any]]:
    from schedules import next_runs

    return next_runs(home)


def _incidents(
    home: Path, jobs: list[dict[str, Any]], runs: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Jobs that fail and have not recovered. A run by hand that went well since is told, too."""
    from pipelines.monitor.notify import Incidents

    ended = {job["job"]: job["last_ended_at"] for job in jobs}
    told: list[dict[str, Any]] = []
    for incident in Incidents(home).open():
        last = ended.get(incident.subject)
        went_well = last is not None and any(
            str(run["command"]).split()[0] == incident.subject.partition(":")[0]
            and run["exit_code"] == 0
            and datetime.fromisoformat(run["started_at"]) > datetime.fromisoformat(last)
            for run in runs
        )
        told.append(
            {
                "job": incident.subject,
                "exit_code": incident.exit_code,
                "message": incident.message,
                "since": incident.since.isoformat(),
                "runs": incident.runs,
                "told_at": incident.told_at and incident.told_at.isoformat(),
                "went_well_since": went_well,
            }
        )
    return told


def _problems(found: Status, *, is_syncing: bool) -> list[str]:
    problems: list[str] = []
    for shop in found.shops:
        if shop.missing:
            problems.append(f"{shop.shop}: {len(shop.missing)} list(s) were never read whole")
        problems += [f"{shop.shop}: {doubt}" for doubt in shop.doubts]
        if shop.as_of is not None:
            age = (datetime.now(UTC) - datetime.fromisoformat(shop.as_of)).total_seconds() / 3600
            if age > _STALE_HOURS:
                problems.append(f"{shop.shop}: the mirror is {age:.0f} hours old")
        elif not shop.missing:
            problems.append(f"{shop.shop}: as of when it is complete is not known until it is read")
        if shop.differences:
            problems.append(
                f"{shop.shop}: {len(shop.differences)} of {shop.compared} periods do not agree: "
                "'shopmirror reconcile' explains where"
            )
    # One machine, one clock: told once, not for each shop.
    problems += list(dict.fromkeys(shop.clock for shop in found.shops if shop.clock))
    # A block shuts every key of an address: one line for all shops that it holds up.
    refused: dict[str, list[str]] = {}
    for shop in found.shops:
        if shop.budget["refused_until"]:
            refused.setdefault(str(shop.budget["reason"]), []).append(shop.shop)
    problems += [f"{', '.join(shops)}: {reason}" for reason, shops in refused.items()]
    failing = [one for one in found.incidents if not one["went_well_since"]]
    problems += _last_run(found, is_syncing, [*refused, *(one["message"] for one in failing)])
    problems += [
        f"The job {incident['job']} fails since {incident['since'][:16].replace('T', ' ')} UTC "
        f"({incident['runs']} run(s), exit code {incident['exit_code']}): {incident['message']}"
        for incident in failing
    ]
    waiting = {**found.queue, "rejected": found.queue["rejected"] - found.discarded}
    problems += [
        f"{count} change(s) {state}: 'shopmirror queue list' says why"
        for state, count in waiting.items()
        if count and state in ("in_doubt", "rejected", "conflict")
    ]
    if found.warehouse.get("problem"):
        problems.append(found.warehouse["problem"])
    if found.warehouse["published_at"] is None and any(run["ended_at"] for run in found.runs):
        problems.append("There is no published warehouse: 'shopmirror sync' publishes it")
    return problems


def _last_run(found: Status, is_syncing: bool, said: Iterable[str]) -> list[str]:
    """What went wrong with the newest run; not again in full what was ``said`` already."""
    if not found.runs:
        return []
    run = found.runs[0]
    if run["outcome"] is None and not is_syncing:
        return [f"The last run ({run['command']}) was cut off; the next sync goes on from there"]
    if run["outcome"] in (None, "complete", "stopped"):
        return []
    line = f"The last run ({run['command']}) ended {run['outcome']}"
    return [
        line
        if any(text and text in str(run["message"]) for text in said)
        else f"{line}: {run['message']}"
    ]
