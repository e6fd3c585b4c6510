"""``status``: is the mirror complete and as of when, what is in doubt, what is left of the budget.

Reads files only, also while a sync runs; makes no request.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, tzinfo
from pathlib import Path
from typing import Any

import duckdb

from pipelines.home import Home, is_syncing
from pipelines.load.completeness import completeness
from pipelines.monitor import freshness, health, severity
from pipelines.monitor.notify import Incidents
from pipelines.monitor.schedule_state import next_runs
from pipelines.monitor.severity import Kind, Problem
from pipelines.outbox.change import STATES
from pipelines.publish.errors import NothingPublished
from pipelines.publish.published import Published, published, read_from
from pipelines.reconcile.books import Books, books, differing
from pipelines.settings import Settings, ShopSettings
from pipelines.transform.findings import read_findings
from pipelines.transform.models import way
from pipelines.warehouse_settings import load_warehouse
from sources.repair_shop.budget import Budget
from sources.repair_shop.http.service_clock import clock_words
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.schema.endpoints import ENDPOINTS

_RUNS = 10


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
    """Everything at one look."""

    shops: list[ShopStatus]
    runs: list[dict[str, Any]]
    queue: dict[str, int]
    next_runs: list[dict[str, Any]]
    incidents: list[dict[str, Any]]
    warehouse: dict[str, Any]
    others: list[dict[str, Any]] = field(default_factory=list)
    """Shops of other homes, where a PostgreSQL is read that they load: ``shop, as_of, problems,
    compared, differing``."""
    found: list[Problem] = field(default_factory=list)
    """What is wrong; empty when all is well."""

    @property
    def problems(self) -> list[str]:
        """What is wrong, in words."""
        return [problem.named for problem in self.found]

    def as_json(self) -> dict[str, Any]:
        """For ``--json``."""
        as_they_are = ("runs", "queue", "next_runs", "incidents", "warehouse")
        return {
            "complete": all(shop.complete for shop in self.shops),
            "severity": severity.worst(self.found).name.lower(),
            "problems": self.problems,
            "shops": [vars(shop) for shop in self.shops],
            "other_shops": self.others,
            **{name: getattr(self, name) for name in as_they_are},
        }

    @property
    def exit_code(self) -> int:
        """0 all is well, 1 otherwise; for ``--check``."""
        return int(severity.worst(self.found) is not severity.Severity.OK)


@dataclass
class _Books:
    """What the published warehouse says."""

    told: dict[str, Any]
    shops: dict[str, Books] = field(default_factory=dict)
    differing: list[dict[str, Any]] = field(default_factory=list)
    others: list[dict[str, Any]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    """Of the other shops."""


def status(settings: Settings) -> Status:
    """Gather the state of the home folder."""
    home, now = Home(settings.home), datetime.now(UTC)
    # Asked before and after the runs are read: one may begin or end in between.
    was_syncing = is_syncing(home.path)
    with (
        home.guard("Nothing was changed"),
        closing(Ledger(home.ledger)) as ledger,
        closing(Budget(home.budget)) as budget,
    ):
        evidence = completeness(ledger)
        compared = _warehouse(home, settings, now)
        doubts = health.doubts(evidence)
        doubts += health.outdated(compared.shops)
        proven = defaultdict[tuple[str, str], list[Mapping[str, Any]]](list)
        for scan in evidence:
            if scan["is_proven"]:
                proven[scan["shop_id"], scan["resource"]].append(scan)
        ages = freshness.as_of(evidence, now)
        shops = [
            _shop(one, ledger, budget, proven, doubts, compared, ages.get(one.name))
            for one in settings.shops
        ]
        runs, set_aside = ledger.last_runs(_RUNS), ledger.set_aside
    was_syncing = was_syncing or is_syncing(home.path)
    jobs = next_runs(home.path)
    incidents = _incidents(home.path, jobs, runs)
    queue, changes = _queue(home.path)
    found = Status(shops, runs, queue, jobs, incidents, compared.told, compared.others)
    found.found = severity.folded(
        [
            *([Problem(Kind.UNREAD, set_aside)] if set_aside else ()),
            *(p for shop in shops for p in _of_shop(shop, doubts, now)),
            # One machine, one clock: told once, not for each shop.
            *(
                Problem(Kind.CLOCK, one)
                for one in dict.fromkeys(shop.clock for shop in shops)
                if one
            ),
            *_refusals(shops),
            *_runs_and_jobs(found, was_syncing, settings.one_zone),
            *changes,
            *_publishing(found),
            *compared.problems,
        ]
    )
    return found


# -- one shop -------------------------------------------------------------------------------------


def _shop(
    shop: ShopSettings,
    ledger: Ledger,
    budget: Budget,
    proven: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]],
    doubts: Sequence[Problem],
    compared: _Books,
    as_of: datetime | None,
) -> ShopStatus:
    rows = dict(ledger.select("live_counts", shop=shop.name))
    resources: list[dict[str, Any]] = [
        {
            "resource": resource,
            "rows": rows.get(resource, 0),
            "whole": ledger.is_whole(shop.name, resource),
            **_proven(proven.get((shop.name, resource), ())),
        }
        for endpoint in ENDPOINTS.values()
        for resource in endpoint.resources
    ]
    missing = [one["resource"] for one in resources if not one["whole"]]
    found = compared.shops.get(shop.name, Books())
    told = [str(problem) for problem in doubts if problem.shop == shop.name]
    return ShopStatus(
        shop.name,
        not missing and not told and not found.differing,
        as_of.isoformat() if as_of else None,
        missing,
        told,
        resources,
        _budget(budget, shop),
        [
            {name: str(row[name]) for name in ("report", "period", "ours", "theirs", "difference")}
            for row in compared.differing
            if row["shop"] == shop.name
        ],
        found.compared,
        clock_words(budget.key(shop).skew),
    )


def _proven(scans: Sequence[Mapping[str, Any]]) -> dict[str, str | None]:
    """As of when a list is proven, and by what."""
    now = datetime.now(UTC)
    # What a clock that was wrong dated in the future would look fresh until then.
    moments = [
        scan["checked_at"]
        for scan in scans
        if scan["checked_at"] and datetime.fromisoformat(scan["checked_at"]) <= now
    ]
    return {
        "fresh_as_of": max(moments, default=None),
        "proof": scans[-1]["proof"] if scans else None,
    }


def _budget(budget: Budget, shop: ShopSettings) -> dict[str, Any]:
    state = budget.key(shop).state()
    named = ("limit", "used", "left", "cooldown_seconds", "strikes", "refused_until", "reason")
    return {name: getattr(state, name) for name in named} | {
        "cooldown_seconds": round(state.cooldown_seconds, 1),
        "refused_until": state.refused_until and state.refused_until.isoformat(),
    }


# -- everything else ------------------------------------------------------------------------------


def _warehouse(home: Home, settings: Settings, now: datetime) -> _Books:
    """When it was published, what a build found in it, and how its reports compare."""
    told: dict[str, Any] = {"published_at": None}
    if home.warehouse.exists():
        file = home.warehouse.stat()
        told["published_at"] = datetime.fromtimestamp(file.st_mtime, UTC).isoformat()
        told["bytes"] = file.st_size
    names = [shop.name for shop in settings.shops]
    today = max(now.astimezone(shop.zone).date() for shop in settings.shops)
    try:
        server = read_from()
        told["models"] = way(load_warehouse().project)
        if server:
            told["read_from"] = server
        elif not home.warehouse.exists():
            return _Books(told)
        with published(home.path) as warehouse:
            told["findings"] = read_findings(warehouse.connection)
            compared = books(warehouse, names, today)
            found = _Books(told, compared, differing(warehouse, names))
            if warehouse.server:
                _add_others(found, warehouse, names, now, today)
            return found
    except (NothingPublished, duckdb.Error) as error:
        told["problem"] = f"The warehouse cannot be read: {str(error).splitlines()[0]}"
        return _Books(told)


def _add_others(
    found: _Books, warehouse: Published, own: Sequence[str], now: datetime, today: date
) -> None:
    """What the server says of the shops that other homes load, and how old its reports are."""
    given = freshness.given(warehouse)
    found.told["given_at"] = given and given.isoformat()
    known = [row["shop_id"] for row in warehouse.rows("select shop_id from ops.shops order by 1")]
    names = [name for name in known if name not in own]
    found.problems += freshness.behind(warehouse, own)
    compared = books(warehouse, names, today)
    evidence = freshness.evidence(warehouse, names, now, compared)
    evidence = replace(evidence, runs=[problem for problem in evidence.runs if problem.shop])
    for name in names:
        problems = [replace(problem, shop=name) for problem in evidence.problems([name])]
        theirs = compared.get(name, Books())
        if theirs.differing:
            text = f"{theirs.differing} of {theirs.compared} periods do not agree"
            problems.append(Problem(Kind.DIFFERS, text, name))
        as_of = evidence.as_of([name])
        found.problems += problems
        found.others.append(
            {
                "shop": name,
                "as_of": as_of and as_of.isoformat(),
                "problems": [str(problem) for problem in problems],
                "compared": theirs.compared,
                "differing": theirs.differing,
            }
        )


def _queue(home: Path) -> tuple[dict[str, int], list[Problem]]:
    """Changes by state; and what of them a person has to look at."""
    from pipelines.outbox.mirrored import problems

    counts, told = problems(home)
    none = dict.fromkeys(map(str, STATES), 0)
    return none | counts, [Problem(Kind.CHANGE, text) for text in told]


def _incidents(
    home: Path, jobs: list[dict[str, Any]], runs: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Jobs that fail and have not recovered. A run by hand that went well since is told, too."""
    ended = {job["job"]: job["last_ended_at"] for job in jobs}
    told: list[dict[str, Any]] = []
    for incident in Incidents(home).open():
        last = ended.get(incident.subject)
        went_well = last is not None and any(
            run["command"] == incident.subject.partition(":")[0]
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


# -- what is wrong --------------------------------------------------------------------------------


def _of_shop(shop: ShopStatus, doubts: Sequence[Problem], now: datetime) -> Iterator[Problem]:
    if shop.missing:
        yield Problem(Kind.UNREAD, f"{len(shop.missing)} list(s) were never read whole", shop.shop)
    yield from (problem for problem in doubts if problem.shop == shop.shop)
    if not shop.missing:
        as_of = None if shop.as_of is None else datetime.fromisoformat(shop.as_of)
        yield from health.age(as_of, now, shop.shop)
    if shop.differences:
        yield Problem(
            Kind.DIFFERS,
            f"{len(shop.differences)} of {shop.compared} periods do not agree: "
            "'shopmirror reconcile' explains where",
            shop.shop,
        )


def _refusals(shops: Sequence[ShopStatus]) -> Iterator[Problem]:
    """A block shuts every key of an address: one line for all shops that it holds up."""
    refused: dict[str, list[str]] = {}
    for shop in shops:
        if shop.budget["refused_until"]:
            refused.setdefault(str(shop.budget["reason"]), []).append(shop.shop)
    for reason, names in refused.items():
        yield Problem(Kind.REFUSED, reason, ", ".join(names))


def _runs_and_jobs(found: Status, is_syncing: bool, zone: tzinfo | None) -> Iterator[Problem]:
    failing = [one for one in found.incidents if not one["went_well_since"]]
    yield from health.runs(found.runs, is_running=is_syncing)
    for incident in failing:
        since = datetime.fromisoformat(incident["since"]).astimezone(zone)
        yield Problem(
            Kind.JOB,
            f"The job {incident['job']} fails since {since:%Y-%m-%d %H:%M %Z} ({incident['runs']} "
            f"run(s), exit code {incident['exit_code']}): {incident['message'].rstrip('.')}; "
            f"'shopmirror schedule --run {incident['job']}' runs it at once",
        )


def _publishing(found: Status) -> Iterator[Problem]:
    if found.warehouse.get("problem"):
        yield Problem(Kind.UNPUBLISHED, found.warehouse["problem"])
    if found.warehouse["published_at"] is None and any(run["ended_at"] for run in found.runs):
        yield Problem(
            Kind.UNPUBLISHED, "There is no published warehouse: 'shopmirror sync' publishes it"
        )
