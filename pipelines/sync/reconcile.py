"""``reconcile``: our reports against the service's own, and why they differ where they do.

Every month of every year that has documents is compared; a month that differs is split into days,
a day into documents. ``repair`` reads the documents of those days again; ``calibrate`` finds out
what this service counts as a sale and as a purchase, which the specification does not say.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from pipelines.reconcile import calibrate as definitions
from pipelines.reconcile.differences import Compared, compare
from pipelines.reconcile.explain import Finding, explain
from pipelines.service_reports import contradiction, fetch_days
from pipelines.service_reports.kept import report_totals, store_report
from pipelines.settings import Settings, SettingsError, ShopSettings
from pipelines.sync.repair import (
    definition_hint,
    fetch_monthly_reports,
    is_definition,
    months_of,
    not_compared,
    repair_shops,
    split_months,
)
from pipelines.sync.session import Session, open_session
from pipelines.sync.verdict import ShopResult, SyncReport, verdict
from sources.repair_shop.errors import ShopError
from sources.repair_shop.http.client import Client
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.observer import Observer
from sources.repair_shop.schema.dates import month_end

_MONTHS_SPLIT = 24
"""Months that differ which one run splits into days, at most."""
_EXPLAINED = 12
"""Periods explained document by document, at most."""


@dataclass
class ReconcileReport:
    """What agrees and what does not. ``exit_code`` 1 when anything does not."""

    exit_code: int = 0
    periods: list[Compared] = field(default_factory=list)
    findings: dict[str, list[Finding]] = field(default_factory=dict)
    """Difference in words -> the documents that may account for it."""
    verdicts: dict[str, list[definitions.Verdict]] = field(default_factory=dict)
    """Shop -> what calibration found (with ``calibrate``)."""
    problems: list[str] = field(default_factory=list)
    requests: int = 0

    @property
    def differing(self) -> list[Compared]:
        """The periods that do not agree."""
        return [period for period in self.periods if not period.matches]

    @property
    def agrees(self) -> bool | None:
        """Whether all agrees; None where nothing but zeros was compared, which agree on nothing."""
        if self.differing or self.problems:
            return False
        return any(period.ours or period.theirs for period in self.periods) or None

    def as_json(self) -> dict[str, Any]:
        """The report for ``--json``, where amounts become text, so no digit is lost."""
        return {
            "exit_code": self.exit_code,
            "agrees": self.agrees,
            "compared": len(self.periods),
            "differing": len(self.differing),
            "periods": [asdict(p) | {"difference": p.difference} for p in self.periods],
            "findings": {name: list(map(asdict, found)) for name, found in self.findings.items()},
            "calibration": {
                shop: [
                    {
                        "report": v.report,
                        "certainty": v.certainty,
                        "message": v.message,
                        "chosen": v.chosen.definition if v.chosen else None,
                        "closest": v.closest.definition if v.closest else None,
                    }
                    for v in verdicts
                ]
                for shop, verdicts in self.verdicts.items()
            },
            "problems": self.problems,
            "requests": self.requests,
        }


def reconcile(
    settings: Settings,
    *,
    shop: str | None = None,
    year: int | None = None,
    repair: bool = False,
    calibrate: bool = False,
    observer: Observer | None = None,
    stop: threading.Event | None = None,
) -> ReconcileReport:
    """Compare, and with ``repair`` or ``calibrate`` mend what can be mended; then publish.

    ``SettingsError`` (exit code 2) when nothing was mirrored yet or ``year`` makes no sense.
    """
    if year is not None and not 1990 <= year <= 2100:
        raise SettingsError(f"--year {year} is no year with reports; give one as yyyy.")
    shops = settings.chosen(shop)
    report, results = ReconcileReport(), {one.name: ShopResult(one.name) for one in shops}
    with open_session(settings, observer=observer, stop=stop) as session:
        _check_mirrored(session, shops)
        with session.run("reconcile") as ending:
            for one in shops:
                with _noting(results[one.name]):
                    fetch_monthly_reports(session.client(one), session.ledger, year)
                lacking = not_compared(session.ledger, one.name)
                report.problems += [f"{one.name}: {problem}" for problem in lacking]
            session.build()
            if calibrate:
                for one in shops:
                    report.verdicts[one.name] = _calibrate(session, one)
                    if results[one.name].error is None:
                        with _noting(results[one.name]):
                            found = contradictions(session.client(one), session.ledger)
                            report.problems += [f"{one.name}: {problem}" for problem in found]
                session.build()
            for one in shops:
                results[one.name].compared(compare(session.home, one.name, year))
            if repair:
                repair_shops(session, shops, results, ending.run_id)
            else:
                asked = [_split(session, one, results[one.name]) for one in shops]
                if any(asked):
                    session.build()  # takes in what the reports said
            _gather(session, year, report, results)
            report.requests = session.requests()
            ended = _ended(report, list(results.values()))
            report.exit_code = ending.exit_code = ended.exit_code
            ending.outcome, ending.message = ended.outcome, ended.message
            ending.detail = {"problems": report.problems}
            session.publish(ending)
    return report


def _check_mirrored(session: Session, shops: tuple[ShopSettings, ...]) -> None:
    for shop in shops:
        if not session.ledger.is_whole(shop.name, "ticket_invoices"):
            raise SettingsError(
                f"The invoices of shop '{shop.name}' were not read whole yet, so there is nothing "
                "to compare. Run 'shopmirror sync' until it ends complete."
            )


@contextmanager
def _noting(result: ShopResult) -> Iterator[None]:
    """What keeps the service's answer from us is in the shop's result, and stops no other shop."""
    try:
        yield
    except ShopError as error:
        result.error = error


def contradictions(client: Client, ledger: Ledger) -> list[str]:
    """Ask the days of the newest month that is over and has figures, for sales and for purchases.

    A sentence for each report whose days do not add up to its month. One request a report; raises
    :class:`~sources.repair_shop.errors.ShopError`.
    """
    shop, this_month = client.shop.name, client.today().replace(day=1)
    found: list[str] = []
    for kind in ("sales", "purchases"):
        months = report_totals(ledger, shop, f"monthly_{kind}")
        for newest in [row for row in months if row.period < this_month and row.total][-1:]:
            last = month_end(newest.period)
            days = fetch_days(client, f"daily_{kind}", newest.period, last, newest.total)
            store_report(ledger, shop, f"daily_{kind}", days)
            found += filter(None, [contradiction(kind, days, newest.total)])
    return found


def _split(session: Session, shop: ShopSettings, result: ShopResult) -> bool:
    """Ask the days of the months that differ; False where there is nothing to ask."""
    if not result.differences or result.error is not None:
        return False
    if is_definition(result.differences, result.matching):
        result.hint = definition_hint(result.differences)
        return False
    months = months_of(result.differences)[:_MONTHS_SPLIT]
    with _noting(result):
        missed = split_months(session.client(shop), session.ledger, months)
        result.error = missed[0] if missed else None
    return True


def _calibrate(session: Session, shop: ShopSettings) -> list[definitions.Verdict]:
    with session.home.open_build() as database:
        reports: tuple[definitions.Report, ...] = ("sales", "purchases")
        verdicts = [
            definitions.judge(definitions.calibrate(database, shop.name, report), report)
            for report in reports
        ]
        for verdict in verdicts:
            if verdict.chosen is not None:
                definitions.store(database, shop.name, verdict.chosen)
    return verdicts


def _gather(
    session: Session, year: int | None, report: ReconcileReport, results: dict[str, ShopResult]
) -> None:
    with session.home.open_build(read_only=True) as database:
        for shop, result in results.items():
            periods = compare(session.home, shop, year)
            report.periods += periods
            differing = {period.report for period in periods if not period.matches}
            hint = definitions.counted_otherwise(database, shop, differing) or result.hint
            told = [*result.doubts, *filter(None, [hint])]
            report.problems += [f"{shop}: {problem}" for problem in told]
            if not periods and result.error is None:
                report.problems.append(f"{shop}: there is no report of the service to compare")
            worst = sorted((p for p in periods if not p.matches), key=lambda p: -abs(p.difference))
            for period in worst[:_EXPLAINED]:
                report.findings[f"{shop}: {period}"] = explain(
                    database, shop, period.report, period.period
                )


def _ended(report: ReconcileReport, results: list[ShopResult]) -> SyncReport:
    """As a sync does, if anything kept an answer from us; else by what agrees."""
    if any(result.error for result in results):
        return verdict(results)
    if report.problems or report.differing:
        return SyncReport(1, "differs", "something does not agree")
    return SyncReport(0, "complete", "all periods agree")
