"""One run: its children, their end, what is noted and who is told."""

import signal
import sys
import threading
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pipelines.monitor.notify import Incidents
from pipelines.monitor.schedule_state import ScheduleState
from schedules.children import Ended, run_child
from schedules.jobs import Command
from schedules.runner import JobRunning, worst
from tests.schedules.conftest import job

ENDLESS = """
import signal, sys, time, pathlib
signal.signal(signal.SIGTERM, lambda *_: (pathlib.Path("kept").write_text("yes"), sys.exit(4)))
print("begun", file=sys.stderr, flush=True)
while True: time.sleep(0.05)
"""
DEAF = """
import os, signal, subprocess, sys, time, pathlib
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path("pids").write_text(f"{os.getpid()} {child.pid}")
print("begun", file=sys.stderr, flush=True)
while True: time.sleep(0.05)
"""


def _run(script: str, *, limit: float = 60, grace: float = 5, stop: threading.Event | None = None,
         tell=lambda line: None, **environment: str):  # fmt: skip
    return run_child(
        Command(("sync", "--json"), environment),
        limit_seconds=limit,
        grace_seconds=grace,
        stop=stop or threading.Event(),
        tell=tell,
        program=(sys.executable, "-c", script),
    )


def _gone(pid: int) -> bool:
    """Whether a process has ended (a zombie nobody has reaped yet has, too)."""
    try:
        return " Z " in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return True


def test_a_child_says_how_it_went():
    ended = _run("import json; print(json.dumps({'message': 'All there.'})); raise SystemExit(1)")
    assert (ended.exit_code, ended.outcome, ended.message) == (1, "ended", "All there.")


def test_without_a_document_its_last_line_counts():
    lines: list[str] = []
    script = "import sys; sys.stderr.write('one\\ntwo\\n'); sys.exit(3)"
    ended = _run(script, tell=lines.append)
    assert (ended.exit_code, ended.message, lines) == (3, "two", ["one", "two"])


def test_a_flood_of_output_neither_blocks_nor_stays():
    ended = _run("import sys; [print('x' * 1000) for _ in range(20_000)]; sys.exit(0)")
    assert ended.exit_code == 0


def test_arguments_and_environment_reach_the_child():
    script = "import os, sys; print(sys.argv[1:], os.environ['EXTRA'], file=sys.stderr)"
    ended = _run(script, EXTRA="600")
    assert ended.message == "['sync', '--json'] 600"


def test_a_child_asked_to_stop_keeps_what_it_has(plain_environment):
    stop = threading.Event()
    ended = _run(ENDLESS, stop=stop, tell=lambda line: stop.set())
    assert (ended.exit_code, ended.outcome) == (4, "stopped")
    assert (plain_environment / "kept").read_text() == "yes"


def test_a_child_that_hangs_is_ended_with_its_own_children(plain_environment):
    ended = _run(DEAF, limit=2, grace=0.3)
    assert (ended.exit_code, ended.outcome) == (3, "overdue")
    assert "minutes" in ended.message
    pids = [int(pid) for pid in (plain_environment / "pids").read_text().split()]
    until = time.monotonic() + 20
    while not all(map(_gone, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    assert all(map(_gone, pids))


def test_a_child_killed_from_outside_is_a_failure():
    ended = _run("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert (ended.exit_code, ended.outcome) == (1, "killed")
    assert signal.SIGKILL.name in ended.message


def test_a_run_leaves_its_trace(bench, clock):
    ended = bench.runner("raise SystemExit(0)").run(job(), clock())
    state = ScheduleState(bench.home).job("sync")
    assert ended.exit_code == 0
    assert (state.exit_code, state.outcome, state.attempts) == (0, "ended", 1)
    assert state.ended_at == clock()
    assert Incidents(bench.home).open() == []


def test_the_worst_of_several_commands_counts(bench, clock):
    script = "import sys; sys.exit(int(sys.argv[1]))"
    commands = [Command((code,)) for code in ("0", "3", "1", "0")]
    assert bench.runner(script).run(job(commands=commands), clock()).exit_code == 3
    assert worst([0, 4, 1]) == 1
    assert worst([]) == 0


def test_after_a_stop_no_further_command_begins(bench, clock):
    runner = bench.runner(ENDLESS)

    def tell(line):
        bench.told.append(line)
        if "begun" in line:
            bench.stop.set()

    runner.tell = tell
    ended = runner.run(job(commands=[Command(("a",)), Command(("b",))]), clock())
    assert ended.outcome == "stopped" and runner.cut_off
    assert sum("begun" in line for line in bench.told) == 1
    assert ScheduleState(bench.home).job("sync").outcome == "stopped"


def test_one_job_never_runs_twice_at_once(bench, clock):
    first, second = bench.runner(ENDLESS), bench.runner("raise SystemExit(0)")
    begun = threading.Event()
    first.tell = lambda line: begun.set() if "begun" in line else None
    thread = threading.Thread(target=first.run, args=(job(), clock()))
    thread.start()
    try:
        assert begun.wait(60)
        with pytest.raises(JobRunning, match="sync"):
            second.run(job(), clock())
        assert second.run(job("push", lane="push"), clock()).exit_code == 0
    finally:
        bench.stop.set()
        thread.join()


def test_a_sync_waits_for_one_started_by_hand(bench, clock):
    script = """
import pathlib, sys
tries = pathlib.Path("tries"); n = int(tries.read_text()) if tries.exists() else 0
tries.write_text(str(n + 1)); sys.exit(0 if n == 2 else 4)
"""
    ended = bench.runner(script, turn_seconds=0.01).run(job(), clock())
    assert ended.exit_code == 0


def test_a_push_does_not_wait(bench, clock):
    runner = bench.runner("raise SystemExit(4)", turn_seconds=3600)
    ended = runner.run(job("push", lane="push"), clock())
    assert (ended.exit_code, ended.outcome) == (4, "ended")
    assert Incidents(bench.home).open() == []


def test_a_failure_is_an_incident_until_it_is_over(bench, clock):
    bench.runner("raise SystemExit(3)").run(job(), clock())
    clock.forward(days=1)
    bench.runner("raise SystemExit(4)").run(job("sync", lane="push"), clock())
    (incident,) = Incidents(bench.home).open()
    assert (incident.subject, incident.exit_code, incident.runs) == ("sync", 3, 1)
    clock.forward(days=1)
    bench.runner("raise SystemExit(0)").run(job(), clock())
    assert Incidents(bench.home).open() == []


def test_a_program_that_cannot_be_started_is_told(bench, clock):
    runner = bench.runner()
    runner._program = ("./no-such-program",)
    ended = runner.run(job(), clock())
    assert ended.exit_code == 3 and "could not be started" in ended.message


def test_the_limit_is_for_all_commands_together(bench, clock):
    # Each command moves our clock by four minutes through the script's own end.
    runner = bench.runner("raise SystemExit(0)")
    seen: list[float] = []

    def child(one, command, seconds):
        seen.append(seconds)
        clock.forward(minutes=4)
        return Ended(0, "ended", "")

    runner._child = child
    commands = [Command(("a",)), Command(("b",))]
    runner.run(job(commands=commands, limit=timedelta(minutes=5)), clock())
    assert seen == [300, 60]


def test_what_another_job_tells_is_not_told_twice(bench, clock):
    report = replace(job("report", lane="report"), quiet=frozenset({1}))
    bench.runner("raise SystemExit(1)").run(report, clock())
    assert Incidents(bench.home).open() == []
    assert ScheduleState(bench.home).job("report").exit_code == 1
    clock.forward(days=1)
    bench.runner("raise SystemExit(2)").run(report, clock())
    assert [incident.exit_code for incident in Incidents(bench.home).open()] == [2]


def test_results_count_as_words_when_there_are_no_others():
    assert _run("print('Written: closing.html')").message == "Written: closing.html"


def test_a_step_of_progress_is_no_result():
    script = "import sys; print('{}'); print('Building ...', file=sys.stderr); sys.exit(%d)"
    assert _run(script % 0).message == ""
    assert _run(script % 3).message == "Building ..."
