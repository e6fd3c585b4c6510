"""OpenMetrics: the state of the mirror as numbers, for Prometheus and its like.

Data flow: :func:`pipelines.monitor.status.status` and the schedule's state -> gauges. Made anew for
each request from files; asks the service nothing. Names end in their unit; times are Unix seconds.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.metadata import version
from typing import Any

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.openmetrics.exposition import generate_latest
from prometheus_client.registry import Collector

from pipelines.monitor.notify import Incidents
from pipelines.monitor.status import ShopStatus, Status, status
from pipelines.settings import Settings


class MetricsError(Exception):
    """The metrics cannot be served. Exit code 2."""

    exit_code = 2


def render(settings: Settings) -> str:
    """The metrics as OpenMetrics text."""
    text = generate_latest(_registry(settings))  # type: ignore[no-untyped-call]  # has no types
    return str(text.decode())


@contextmanager
def serving(settings: Settings, port: int) -> Iterator[int]:
    """Serve ``/metrics`` on loopback while the block lasts; the port (0 takes a free one)."""
    try:
        server, thread = start_http_server(port, addr="127.0.0.1", registry=_registry(settings))
    except OSError as error:
        raise MetricsError(
            f"The metrics cannot be served on port {port} ({error.strerror}). "
            "Set another metrics_port under [schedule], or 0 for none."
        ) from error
    try:
        yield int(server.server_port)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _registry(settings: Settings) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(_Mirror(settings))
    return registry


class _Mirror(Collector):
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._one_at_a_time = threading.Lock()

    def describe(self) -> list[Metric]:
        """Nothing is worked out when the collector is registered."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Every metric, from the files as they are now."""
        with self._one_at_a_time:
            found = status(self._settings)
            incidents = Incidents(self._settings.home).open()
        yield InfoMetricFamily(
            "shopmirror", "What runs here.", value={"version": version("shopmirror")}
        )
        yield GaugeMetricFamily("shopmirror_problems", "Things that status would name.",
                                len(found.problems))  # fmt: skip
        yield GaugeMetricFamily("shopmirror_incidents", "Runs that fail and have not recovered.",
                                len(incidents))  # fmt: skip
        yield from _warehouse(found)
        yield from _shops(found)
        yield from _runs(found)
        yield from _queue_and_jobs(found)


def _warehouse(found: Status) -> Iterator[Metric]:
    published = _seconds(found.warehouse["published_at"])
    if published is not None:
        yield GaugeMetricFamily("shopmirror_warehouse_published_timestamp_seconds",
                                "When readers last got a new warehouse.", published)  # fmt: skip
        yield GaugeMetricFamily("shopmirror_warehouse_size_bytes",
                                "Size of the published warehouse.",
                                found.warehouse.get("bytes", 0))  # fmt: skip


def _shops(found: Status) -> Iterator[Metric]:
    tables: list[tuple[str, str, Callable[[ShopStatus], float | None]]] = [
        ("shopmirror_complete", "1 when every list is read whole and proven.",
         lambda s: float(s.complete)),
        ("shopmirror_as_of_timestamp_seconds", "The mirror is proven as of this moment.",
         lambda s: _seconds(s.as_of)),
        ("shopmirror_missing_lists", "Lists never read whole.", lambda s: len(s.missing)),
        ("shopmirror_doubts", "Scans that are not proven.", lambda s: len(s.doubts)),
        ("shopmirror_periods_differing", "Report periods that do not agree.",
         lambda s: len(s.differences)),
        ("shopmirror_periods_compared", "Report periods compared.", lambda s: s.compared),
        ("shopmirror_budget_left_requests", "Requests left this minute.",
         lambda s: s.budget["left"]),
        ("shopmirror_budget_strikes", "Rate errors counted against us.",
         lambda s: s.budget["strikes"]),
    ]  # fmt: skip
    for name, text, value in tables:
        yield _family(name, text, "shop", (((shop.shop,), value(shop)) for shop in found.shops))
    rows = (((shop.shop, one["resource"]), one["rows"])
            for shop in found.shops for one in shop.resources)  # fmt: skip
    yield _family("shopmirror_rows", "Rows that exist at the service.", "shop resource", rows)


def _runs(found: Status) -> Iterator[Metric]:
    newest: dict[str, dict[str, Any]] = {}
    for run in found.runs:
        if run["ended_at"]:
            newest.setdefault(str(run["command"]), run)
    tables: list[tuple[str, str, Callable[[dict[str, Any]], float | None]]] = [
        ("shopmirror_last_run_timestamp_seconds", "When the last run ended.",
         lambda r: _seconds(r["ended_at"])),
        ("shopmirror_last_run_exit_code", "Its exit code.", lambda r: r["exit_code"]),
        ("shopmirror_last_run_requests", "Requests it made.", lambda r: r["requests"]),
        ("shopmirror_last_run_rows", "Rows it loaded.", lambda r: r["rows"]),
    ]  # fmt: skip
    for name, text, value in tables:
        yield _family(name, text, "command", (((c,), value(run)) for c, run in newest.items()))


def _queue_and_jobs(found: Status) -> Iterator[Metric]:
    queue = (((state,), count) for state, count in found.queue.items())
    yield _family("shopmirror_changes", "Changes in the queue.", "state", queue)
    due = (((job["job"],), _seconds(job["next_at"])) for job in found.next_runs)
    yield _family("shopmirror_job_next_timestamp_seconds", "When a job runs next.", "job", due)
    codes = (((job["job"],), job["exit_code"]) for job in found.next_runs)
    yield _family("shopmirror_job_exit_code", "How its last run ended.", "job", codes)


def _family(
    name: str, text: str, labels: str, values: Iterable[tuple[tuple[str, ...], float | None]]
) -> GaugeMetricFamily:
    """A gauge of several things; what is not known of one is left out."""
    family = GaugeMetricFamily(name, text, labels=labels.split())
    for told, number in values:
        if number is not None:
            family.add_metric(told, number)
    return family


def _seconds(moment: str | None) -> float | None:
    return datetime.fromisoformat(moment).timestamp() if moment else None
