"""How a sync ended: complete with the evidence, or incomplete with what is missing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pipelines.reconcile.differences import Difference
from sources.repair_shop.errors import ConfigurationError, ShopError, Stopped
from sources.repair_shop.extract import JobResult
from sources.repair_shop.mirror import doubts_of


@dataclass
class ShopResult:
    """How a sync went for one shop."""

    shop: str
    results: list[JobResult] = field(default_factory=list)
    error: ShopError | None = None
    differences: list[Difference] = field(default_factory=list)
    matching: int = 0
    """Periods of the service's reports that agree with ours."""
    hint: str = ""
    requests: int = 0
    aside: list[str] = field(default_factory=list)
    """Answers that could not be loaded, in words."""

    @property
    def doubts(self) -> list[str]:
        """What is not proven, in words."""
        return doubts_of(self.results, self.error) + self.aside


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
    new_columns: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The report for ``--json``."""
        return {
            "exit_code": self.exit_code,
            "outcome": self.outcome,
            "message": self.message,
            "requests": self.requests,
            "rows": self.rows,
            "seconds": round(self.seconds, 2),
            "details": self.details,
            "new_columns": self.new_columns,
            "shops": [
                {
                    "shop": s.shop,
                    "requests": s.requests,
                    "complete": not s.doubts,
                    "periods_matching": s.matching,
                    "periods_differing": len(s.differences),
                }
                for s in self.shops
            ],
        }


def _sentence(error: Exception) -> str:
    text = str(error)
    return text if text.endswith((".", ".)")) else f"{text}."


def verdict(shops: list[ShopResult], *, everything: bool = True) -> SyncReport:
    """The exit code and the words for what happened in all shops.

    ``everything``: all lists were asked for, so what is proven is the whole mirror.
    """
    what = "The mirror is complete" if everything else "What was asked for is complete"
    details = [f"{s.shop}: {doubt}" for s in shops for doubt in s.doubts]
    details += [f"{s.shop}: {difference}" for s in shops for difference in s.differences]
    details += [f"{s.shop}: {s.hint}" for s in shops if s.hint]
    errors = [s.error for s in shops if s.error is not None]
    stopped = any(isinstance(e, Stopped) for e in errors)
    failed = [e for e in errors if not isinstance(e, Stopped)]
    failed += [r.error for s in shops for r in s.results if r.error and s.error is None]
    if (
        failed
        and len(failed) >= len(shops)
        and all(isinstance(e, ConfigurationError) for e in failed)
    ):
        return SyncReport(2, "failed", str(failed[0]), shops=shops, details=details)
    if failed:
        names = ", ".join(sorted({s.shop for s in shops if s.doubts}))
        return SyncReport(
            3,
            "incomplete",
            f"Incomplete ({names}): {_sentence(failed[0])} What was fetched is kept; the next run "
            "goes on from there.",
            shops=shops,
            details=details,
        )
    if stopped:
        return SyncReport(
            4,
            "stopped",
            "Stopped early. What was fetched is kept; the next run goes on from there.",
            shops=shops,
            details=details,
        )
    if any(s.doubts for s in shops):
        return SyncReport(
            1,
            "incomplete",
            "Not everything is proven complete; the next run looks again.",
            shops=shops,
            details=details,
        )
    if any(s.differences for s in shops):
        return SyncReport(
            1,
            "differs",
            f"{what}, but our reports and the service's differ.",
            shops=shops,
            details=details,
        )
    agree = " and the reports agree" if any(s.matching for s in shops) else ""
    return SyncReport(0, "complete", f"{what}{agree}.", shops=shops, details=details)
