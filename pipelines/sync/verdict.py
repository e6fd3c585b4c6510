"""How a sync ended: complete with the evidence, or incomplete with what is missing.

Which of several troubles decides, and with which exit code, is in the table of
:mod:`pipelines.monitor.severity`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipelines.language import Text
from pipelines.monitor.severity import Kind, Problem, deciding, folded
from pipelines.reconcile.differences import Compared
from sources.repair_shop.errors import ConfigurationError, ShopError, Stopped
from sources.repair_shop.extract import JobResult


@dataclass
class ShopResult:
    """How a sync went for one shop."""

    shop: str
    results: list[JobResult] = field(default_factory=list)
    error: ShopError | None = None
    differences: list[Compared] = field(default_factory=list)
    matching: int = 0
    """Periods of the service's reports that agree with ours; zeros agree about nothing."""
    hint: str = ""
    notes: list[str] = field(default_factory=list)
    """What a reader should know, and what is no fault of the mirror."""
    requests: int = 0
    standing: list[Problem] = field(default_factory=list)
    """What the evidence of this and earlier runs leaves in doubt."""

    def compared(self, periods: Sequence[Compared]) -> None:
        """Take note of what a comparison of the reports has found."""
        self.differences = [period for period in periods if not period.matches]
        self.matching = sum(p.matches and bool(p.ours or p.theirs) for p in periods)

    @property
    def problems(self) -> list[Problem]:
        """Everything that is wrong, each thing once."""
        is_told = self.error is None or any(r.error is self.error for r in self.results)
        found = [
            *([] if is_told else [Problem(_kind(self.error), str(self.error))]),
            *(problem for result in self.results for problem in _of_a_list(result)),
            *self.standing,
            *(Problem(Kind.DIFFERS, str(difference)) for difference in self.differences),
        ]
        # A doubt of this run stands in the evidence too.
        return list({str(problem): problem for problem in reversed(found)}.values())[::-1]

    @property
    def is_complete(self) -> bool:
        """Whether the mirror is whole, and what it says is right."""
        return not any(problem.kind.spoils for problem in self.problems)

    @property
    def doubts(self) -> list[str]:
        """What is not proven, in words."""
        return [str(problem) for problem in self.problems if problem.kind is not Kind.DIFFERS]

    @property
    def errors(self) -> list[ShopError]:
        """The error that ended everything, or, also after a stop, those that each ended a list."""
        if self.error is not None and not isinstance(self.error, Stopped):
            return [self.error]
        return [result.error for result in self.results if result.error is not None]


def _of_a_list(result: JobResult) -> Iterator[Problem]:
    if not result.doubt:
        return
    kind = Kind.UNPROVEN
    if result.error is not None:
        kind = _kind(result.error)
    elif result.outcome is not None and result.outcome.proven:
        kind = Kind.VANISHED
    yield Problem(kind, result.doubt, resource=result.job.resource)


def _kind(error: ShopError | None) -> Kind:
    return Kind.STOPPED if isinstance(error, Stopped) else Kind.UNREACHED


@dataclass
class SyncReport:
    """How a sync ended. ``message`` is one line; ``details`` say what is missing or differs."""

    exit_code: int
    outcome: str
    message: str
    requests: int = 0
    rows: int = 0
    seconds: float = 0.0
    shops: list[ShopResult] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    """Kinds of what is wrong, by shop: a person hears once of each."""
    new_columns: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The report for ``--json``."""
        shops = [
            {
                "shop": s.shop,
                "requests": s.requests,
                "complete": s.is_complete,
                "periods_matching": s.matching,
                "periods_differing": len(s.differences),
            }
            for s in self.shops
        ]
        return vars(self) | {"seconds": round(self.seconds, 2), "shops": shops}


def verdict(
    shops: list[ShopResult], *, everything: bool = True, stopped: bool = False
) -> SyncReport:
    """The exit code and the words for what happened in all shops.

    ``everything``: all lists of all shops were asked for, so what is proven is the whole mirror.
    ``stopped``: a signal came before it was published, so readers have nothing of it however well
    all was read.
    """
    problems = {shop.shop: shop.problems for shop in shops}
    kinds = [problem.kind for found in problems.values() for problem in found]
    kind = deciding([*kinds, Kind.STOPPED] if stopped else kinds)
    failed = [(one.shop, e) for one in shops for e in one.errors if not isinstance(e, Stopped)]
    if _is_misconfigured(failed, shops):
        kind = Kind.MISCONFIGURED
    hints = [f"{shop.shop}: {shop.hint}" for shop in shops if shop.hint]
    details = [f"{shop}: {p}" for shop, found in problems.items() for p in folded(found)]
    if kind is None:
        message, code, outcome = _complete(shops, everything=everything), 0, "complete"
    else:
        message = _message(kind, failed, [name for name, found in problems.items() if found])
        code, outcome = kind.exit_code, kind.outcome
    if kind is Kind.DIFFERS:
        message = " ".join([message, *hints])
    else:
        details = [*hints, *details]
    details += [f"{shop.shop}: {note}" for shop in shops for note in shop.notes]
    troubles = sorted({f"{shop}: {p.kind}" for shop, found in problems.items() for p in found})
    return SyncReport(code, outcome, message, shops=shops, details=details, troubles=troubles)


def _is_misconfigured(failed: Sequence[tuple[str, ShopError]], shops: Sequence[ShopResult]) -> bool:
    """Whether no shop was reached for want of right settings; one alone stops no other."""
    ours = [isinstance(error, ConfigurationError) for _, error in failed]
    return len(ours) >= len(shops) > 0 and all(ours)


def _message(kind: Kind, failed: Sequence[tuple[str, ShopError]], names: Sequence[str]) -> str:
    if kind is Kind.MISCONFIGURED:
        return str(failed[0][1])
    if kind is Kind.UNREACHED:
        shop, error = failed[0]
        whose = f"{shop}: " if len(names) > 1 else ""
        return (
            f"Incomplete ({', '.join(sorted(names))}): {whose}{_sentence(error)} What was fetched "
            "is kept; the next run goes on from there."
        )
    return _MESSAGES.get(kind, _NOT_PROVEN)


_NOT_PROVEN = Text("Not everything is proven complete; the next run looks again.")
_MESSAGES = {
    Kind.STOPPED: Text("Stopped early. What was fetched is kept; the next run goes on from there."),
    Kind.DIFFERS: Text("Every list is proven, but our reports and the service's differ."),
    Kind.UNCOUNTED: Text(
        "Every list is proven, but rows lack a field that figures need: 'shopmirror doctor' "
        "says which fields they have."
    ),
    Kind.CHANGE: Text(
        "Every list is proven, but a change that was pushed does not show at the service: "
        "'shopmirror queue list' names it."
    ),
    Kind.VANISHED: Text(
        "Every list is proven, but the mirror keeps rows that the service no longer shows: "
        "'shopmirror status' names them and what to do."
    ),
}


def _complete(shops: Sequence[ShopResult], *, everything: bool) -> str:
    what = "The mirror is complete" if everything else "What was asked for is complete"
    return f"{what} and the reports agree." if any(s.matching for s in shops) else f"{what}."


def _sentence(error: Exception) -> str:
    text = str(error)
    return text if text.endswith((".", ".)")) else f"{text}."
