"""Deaths at every step: the service holds each change once and the queue says done for those."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bench.pushes import tried
from pipelines.outbox import Outbox, enqueue, push
from tests.outbox import crash
from tests.outbox.conftest import settings_for, states
from tests.promises import promise

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("step", ["checked", "intent", "answered", "outcome"])
@pytest.mark.parametrize(
    ("resource", "op"),
    [
        ("customers", "create"),
        ("payments", "create"),
        ("products", "update"),
        ("tickets", "delete"),
    ],
)
def test_a_death_at_a_step(service, tmp_path, resource, op, step):
    outcome = crash.run(service, tmp_path, resource, op, [(step, 1)], [])
    assert crash.holds(outcome, resource, op)
    doubtful = resource == "payments" and step == "intent"
    assert outcome.state == ("in_doubt" if doubtful else "done")


@pytest.mark.parametrize("step", crash.UPLOAD_STEPS)
def test_a_death_in_an_upload(service, tmp_path, step):
    outcome = crash.run(service, tmp_path, "tickets", "upload", [(step, 1)], ["ok", "after"])
    assert (outcome.state, outcome.applied) == ("done", 1)


@promise("each change is sent once, a payment never twice")
@pytest.mark.seeds(25)
def test_random_deaths_and_faults(service, tmp_path, seed):
    resource, op, crashes, faults, outcome = crash.random_run(service, tmp_path / "home", seed)
    assert crash.holds(outcome, resource, op), (resource, op, crashes, faults, outcome)


@pytest.mark.seeds(2)
def test_random_queues_at_services_that_answer_oddly(seed):
    assert tried(seed) == []


CHILD = """
import sys, time
from pathlib import Path
from pipelines.outbox import push
from tests.outbox.conftest import settings_for
settings = settings_for(Path(sys.argv[1]), sys.argv[2], minute_seconds=0.02)
def tell(step, number):
    if step == sys.argv[3]:
        print("reached", flush=True)
        time.sleep(60)
push(settings, hook=tell)
"""


@promise("each change is sent once, a payment never twice")
@pytest.mark.parametrize(
    ("resource", "step"),
    [("customers", "answered"), ("payments", "answered"), ("payments", "intent")],
)
def test_kill_dash_nine(service, tmp_path, resource, step):
    settings = settings_for(tmp_path, service.base_url, minute_seconds=0.02)
    crash._queue(service, settings, resource, "create", tmp_path)
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(tmp_path), service.base_url, step],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert child.stdout.readline() == b"reached\n"
    child.send_signal(signal.SIGKILL)
    child.wait(10)
    child.stdout.close()
    assert states(settings) == ["sending"]
    push(settings)
    ended = (states(settings), service.count("create", resource))
    assert ended == ((["in_doubt"], 0) if step == "intent" else (["done"], 1))


def test_queueing_while_another_process_is_killed_in_the_middle(service, tmp_path):
    settings = settings_for(tmp_path, service.base_url, minute_seconds=0.02)
    rows = [{"name": f"brand {number}"} for number in range(2000)]
    script = (
        "import sys\nfrom pathlib import Path\nfrom pipelines.outbox import enqueue\n"
        "from tests.outbox.conftest import settings_for\n"
        "settings = settings_for(Path(sys.argv[1]), sys.argv[2])\n"
        "print('ready', flush=True)\n"
        "while True: enqueue('brands', 'create', [{'name': str(n)} for n in range(50)],"
        " settings=settings)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path), service.base_url],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    child.stdout.readline()
    numbers = enqueue("brands", "create", rows, settings=settings)
    time.sleep(0.05)
    child.kill()
    child.wait(10)
    child.stdout.close()
    assert numbers == list(range(numbers[0], numbers[0] + 2000))
    with Outbox(tmp_path) as outbox:
        assert (len(outbox.changes()) - 2000) % 50 == 0, "a file is queued whole or not at all"


def test_a_death_while_the_file_is_made(tmp_path, monkeypatch):
    """Others who open it before it has an identity, and those who come after, give it one."""
    settings = settings_for(tmp_path, "http://127.0.0.1:9/v1")
    monkeypatch.setattr(Outbox, "_establish", lambda self: sys.exit("killed"))
    with pytest.raises(SystemExit):
        Outbox(tmp_path)
    monkeypatch.undo()
    assert enqueue("brands", "create", {"name": "B"}, settings=settings) == [1]
