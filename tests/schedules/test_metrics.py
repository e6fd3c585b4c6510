"""OpenMetrics: read back by the library's own parser, from files alone."""

import json
import urllib.request
from datetime import UTC, datetime

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from pipelines.monitor.metrics import MetricsError, render, serving
from pipelines.monitor.notify import Incidents
from pipelines.monitor.status import status
from pipelines.settings import Settings, ShopSettings
from schedules.scheduler import Agenda
from shopmirror.main import main
from tests.schedules.conftest import job

KEY = "k-0123456789abcdef"


@pytest.fixture
def settings(home):
    shops = tuple(
        ShopSettings(name=name, base_url="http://127.0.0.1:9/v1", api_key=f"{KEY}-{name}")
        for name in ("main", "north")
    )
    return Settings(home=home, shops=shops)


def _samples(text: str) -> dict[tuple[str, str], float]:
    return {
        (sample.name, ",".join(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_an_empty_home_has_numbers_too(settings):
    text = render(settings)
    found = _samples(text)
    assert found["shopmirror_complete", "main"] == 0
    assert found["shopmirror_budget_left_requests", "north"] == 30
    assert found["shopmirror_changes", "in_doubt"] == 0
    assert KEY not in text


def test_runs_jobs_and_incidents_are_told(settings, bench):
    from sources.repair_shop.ledger import Ledger

    ledger = Ledger(settings.home / "mirror.sqlite")
    run = ledger.begin_run("sync")
    ledger.end_run(run, outcome="incomplete", exit_code=3, requests=87, rows=12, message="no",
                   detail={})  # fmt: skip
    ledger.close()
    Agenda([job()], bench.runner()).note()
    Incidents(settings.home).failed("sync", 3, "refused")
    # A failing job is one of its own: it does not say why the run failed.
    assert "The last run (sync) ended incomplete: no" in status(settings).problems
    found = _samples(render(settings))
    assert found["shopmirror_last_run_exit_code", "sync"] == 3
    assert found["shopmirror_last_run_requests", "sync"] == 87
    assert found["shopmirror_incidents", ""] == 1
    due = datetime.fromtimestamp(found["shopmirror_job_next_timestamp_seconds", "sync"], UTC)
    assert due == datetime(2026, 11, 20, 13, 0, tzinfo=UTC)


def test_they_are_served_on_loopback(settings):
    with serving(settings, 0) as port:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            text = answer.read().decode()
        with pytest.raises(MetricsError, match=str(port)), serving(settings, port):
            pass
    assert "shopmirror_complete" in text


def test_the_command_prints_them(home, monkeypatch, capsys):
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__API_KEY", KEY)
    assert main(["schedule", "--metrics"]) == 0
    text = capsys.readouterr().out
    assert _samples(text)["shopmirror_complete", "main"] == 0
    assert text.endswith("# EOF\n")
    assert json.dumps(text)
