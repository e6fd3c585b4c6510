"""``status``: is the mirror complete and as of when, what is in doubt, what is left of the budget.

Reads files only, also while a sync runs; makes no request.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

import duckdb

from pipelines.home import Home
from pipelines.load.evidence import completeness
from pipelines.monitor import evidence, severity
from pipelines.monitor.evidence import Evidence
from pipelines.monitor.notify import Incidents
from pipelines.monitor.schedule_state import next_runs
from pipelines.monitor.severity import Kind, Problem
from pipelines.outbox.change import STATES
from pipelines.outbox.mirrored import problems as outbox_problems
from pipelines.publish.errors import NothingPublished
from pipelines.publish.published import Published, published, read_from
from pipelines.reconcile.books import Books, books, differing
from pipelines.settings import Settings, ShopSettings, WarehouseSettings
from pipelines.transform.findings import read_findings
from pipelines.transform.models import way
from sources.repair_shop.budget import Budget
from sources.repair_shop.http.service_clock import clock_words
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.schema.endpoints import ENDPOINTS


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
class _Warehouse:
    """What the published warehouse says."""

    told: dict[str, Any]
    books: dict[str, Books] = field(default_factory=dict)
    differing: list[dict[str, Any]] = field(default_factory=list)
    others: list[dict[str, Any]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    """Of the other shops."""
    uncounted: list[Problem] = field(default_factory=list)
    ages: dict[str, datetime | None] | None = None
    """Shop -> as of when its published figures are; None where a server is read, or nothing."""


def status(settings: Settings) -> Status:
    """Gather the state of the home folder."""
    home, now = Home(settings.home), datetime.now(UTC)
    with (
        home.guard("Nothing was changed"),
        closing(Ledger(home.ledger)) as ledger,
        closing(Budget(home.budget)) as budget,
    ):
        rows = completeness(ledger)
        warehouse = _warehouse(home, settings, now)
        doubts = [*evidence.doubts(rows), *evidence.outdated(warehouse.books), *warehouse.uncounted]
        ages = evidence.as_of(rows, now)
        if warehouse.ages is not None:
            late = [name for name in ages if ages[name] != warehouse.ages.get(name)]
            doubts += map(evidence.not_given, late)
            ages |= {name: warehouse.ages.get(name) for name in late}
        own = Evidence(now, ages, doubts, ())
        proven = defaultdict[tuple[str, str], list[Mapping[str, Any]]](list)
        for scan in rows:
            if scan["is_proven"]:
                proven[scan["shop_id"], scan["resource"]].append(scan)
        shops = [_shop(shop, ledger, budget, proven, own, warehouse) for shop in settings.shops]
        runs, set_aside = evidence.newest_runs(home.path, ledger), ledger.set_aside
    jobs = next_runs(home.path)
    counts, changes = outbox_problems(home.path, settings.shops)
    queue = dict.fromkeys(map(str, STATES), 0) | counts
    incidents = _incidents(home.path, jobs, runs)
    found = Status(shops, runs, queue, jobs, incidents, warehouse.told, warehouse.others)
    found.found = severity.folded(
        [
            *([Problem(Kind.UNREAD, set_aside)] if set_aside else ()),
            *(p for shop in shops for p in _of_shop(shop, own)),
            # One machine, one clock: told once, not for each shop.
            *(Problem(Kind.CLOCK, text) for text in dict.fromkeys(s.clock for s in shops) if text),
            *_refusals(shops),
            *evidence.no_room(home.path),
            *evidence.failures(runs),
            *_failing(incidents, settings.one_zone),
            *(Problem(Kind.CHANGE, text) for text in changes),
            *_publishing(found),
            *warehouse.problems,
        ]
    )
    return found


# -- one shop -------------------------------------------------------------------------------------


def _shop(
    shop: ShopSettings,
    ledger: Ledger,
    budget: Budget,
    proven: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]],
    own: Evidence,
    warehouse: _Warehouse,
) -> ShopStatus:
    doubts = [str(problem) for problem in own.doubts if problem.shop == shop.name]
    as_of = own.ages.get(shop.name)
    rows = dict(ledger.select("live_counts", shop=shop.name))
    resources: list[dict[str, Any]] = []
    for resource in (name for endpoint in ENDPOINTS.values() for name in endpoint.resources):
        scans = proven.get((shop.name, resource), ())
        # What a clock that was wrong dated in the future would look fresh until then.
        moments = [
            scan["checked_at"]
            for scan in scans
            if datetime.fromisoformat(scan["checked_at"]) <= own.now
        ]
        resources.append(
            {
                "resource": resource,
                "rows": rows.get(resource, 0),
                "whole": ledger.is_whole(shop.name, resource),
                "fresh_as_of": max(moments, default=None),
                "proof": scans[-1]["proof"] if scans else None,
            }
        )
    missing = [one["resource"] for one in resources if not one["whole"]]
    compared = warehouse.books.get(shop.name, Books())
    key = budget.key(shop)
    state = key.state()
    named = ("limit", "used", "left", "strikes", "reason")
    return ShopStatus(
        shop.name,
        not missing and not doubts and not compared.differing,
        as_of.isoformat() if as_of else None,
        missing,
        doubts,
        resources,
        {
            **{name: getattr(state, name) for name in named},
            "cooldown_seconds": round(state.cooldown_seconds, 1),
            "refused_until": state.refused_until and state.refused_until.isoformat(),
        },
        [
            {name: str(row[name]) for name in ("report", "period", "ours", "theirs", "difference")}
            for row in warehouse.differing
            if row["shop"] == shop.name
        ],
        compared.compared,
        clock_words(key.skew),
    )


# -- everything else ------------------------------------------------------------------------------


def _warehouse(home: Home, settings: Settings, now: datetime) -> _Warehouse:
    """When it was published, what a build found in it, and how its reports compare."""
    found = _Warehouse({"published_at": None})
    if home.warehouse.exists():
        file = home.warehouse.stat()
        found.told["published_at"] = datetime.fromtimestamp(file.st_mtime, UTC).isoformat()
        found.told["bytes"] = file.st_size
    names = [shop.name for shop in settings.shops]
    try:
        server = read_from()
        found.told["models"] = way(WarehouseSettings.load().project)
        if server:
            found.told["read_from"] = server
        elif not home.warehouse.exists():
            return found
        with published(home.path) as warehouse:
            found.told["findings"] = read_findings(warehouse.connection)
            found.uncounted = evidence.uncounted(warehouse, names)
            if not warehouse.server:
                rows = warehouse.rows("select * from ops.completeness")
                found.ages = evidence.as_of(rows, now)
            found.books = books(warehouse, names)
            found.differing = differing(warehouse, names)
            known = warehouse.rows("select shop_id from ops.shops order by 1")
            others = [row["shop_id"] for row in known if row["shop_id"] not in names]
            if not warehouse.server:
                found.told["no_longer_set_up"] = others
            else:
                _add_others(found, warehouse, names, others, now)
    except (NothingPublished, duckdb.Error) as error:
        problem = f"The warehouse cannot be read: {str(error).splitlines()[0]}"
        return _Warehouse({**found.told, "problem": problem})
    return found


def _add_others(
    found: _Warehouse, warehouse: Published, own: Sequence[str], names: Sequence[str], now: datetime
) -> None:
    """What the server says of the shops that other homes load, and how old its reports are."""
    given = evidence.given(warehouse)
    found.told["given_at"] = given and given.isoformat()
    found.problems += evidence.behind(warehouse, own)
    compared = books(warehouse, names)
    there = evidence.published(warehouse, names, now, compared)
    there = replace(there, runs=[problem for problem in there.runs if problem.shop])
    for name in names:
        problems = [replace(problem, shop=name) for problem in there.problems([name])]
        theirs, as_of = compared.get(name, Books()), there.as_of([name])
        if theirs.differing:
            text = f"{theirs.differing} of {theirs.compared} periods do not agree"
            problems.append(Problem(Kind.DIFFERS, text, name))
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
        fields = {"exit_code", "message", "since", "runs", "told_at"}
        said = incident.model_dump(mode="json", include=fields)
        told.append({"job": incident.subject, **said, "went_well_since": went_well})
    return told


# -- what is wrong --------------------------------------------------------------------------------


def _of_shop(shop: ShopStatus, own: Evidence) -> Iterator[Problem]:
    if shop.missing:
        yield Problem(Kind.UNREAD, f"{len(shop.missing)} list(s) were never read whole", shop.shop)
    yield from (problem for problem in own.doubts if problem.shop == shop.shop)
    if not shop.missing:
        yield from evidence.age(own.ages.get(shop.shop), own.now, shop.shop)
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


def _failing(incidents: Sequence[Mapping[str, Any]], zone: tzinfo | None) -> Iterator[Problem]:
    for incident in incidents:
        if incident["went_well_since"]:
            continue
        since = datetime.fromisoformat(incident["since"]).astimezone(zone)
        yield Problem(
            Kind.JOB,
            f"The job {incident['job']} has failed since {since:%Y-%m-%d %H:%M %Z} "
            f"({incident['runs']} run(s), exit code {incident['exit_code']}): "
            f"{incident['message'].rstrip('.')}; "
            f"'shopmirror schedule --run {incident['job']}' runs it at once",
        )


def _publishing(found: Status) -> Iterator[Problem]:
    if found.warehouse.get("problem"):
        yield Problem(Kind.UNPUBLISHED, found.warehouse["problem"])
    if found.warehouse["published_at"] is None and any(run["ended_at"] for run in found.runs):
        yield Problem(
            Kind.UNPUBLISHED, "There is no published warehouse: 'shopmirror sync' publishes it"
        )
