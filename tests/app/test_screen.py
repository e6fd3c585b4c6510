"""What people see while a command works, and how signals reach it."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from rich.console import Console

from shopmirror import main
from shopmirror.consoles import Screen, duration, fault, print_json, say, table
from shopmirror.progress import watching
from shopmirror.signals import stopping
from sources.repair_shop.observer import Observer
from tests.app.command_line import home_of_its_own as home_of_its_own

ROOT = Path(__file__).parents[2]


def feed(observer: Observer) -> None:
    """A small run as a pipeline would tell it."""
    observer.plan("main", "customers", 3)
    observer.plan("norte", "tickets", None)
    observer.budget("main", 12, 0.0)
    for _ in range(6):
        observer.page("main", "customers", 50)
    observer.page("norte", "tickets", 20)
    observer.budget("main", 3, 5.0)
    observer.done("main", "customers", True, 300, "both ends met")
    observer.done("norte", "tickets", False, 20, "page 2 is [empty]")
    observer.page("main", "brands", 1)
    observer.say("Building the reports ... [now]")


def text(*, terminal: bool) -> tuple[Console, io.StringIO]:
    buffer = io.StringIO()
    return Console(file=buffer, force_terminal=terminal, width=120, highlight=False), buffer


def test_plain_lines_say_each_result_once():
    console, buffer = text(terminal=False)
    with watching(console) as observer:
        feed(observer)
    lines = buffer.getvalue().splitlines()
    assert lines == [
        "customers: 300 rows, complete (both ends met)",
        "norte tickets: 20 rows, NOT PROVEN (page 2 is [empty])",
        "Building the reports ... [now]",
    ]


def test_plain_lines_speak_now_and_then(monkeypatch):
    monkeypatch.setattr("shopmirror.progress._PLAIN_EVERY", 0.0)
    console, buffer = text(terminal=False)
    with watching(console) as observer:
        feed(observer)
    assert (
        "customers: 50 rows so far; 1 requests, 50 rows · 12 left this minute · 2 to go"
        in buffer.getvalue()
    )
    with watching(console) as observer:
        for shop in range(200):
            observer.budget(f"shop{shop}", shop % 26 + 4, 0)
        observer.page("shop7", "customers", 50)
    assert "· each of 200 shops has 4 to 29 left this minute" in buffer.getvalue()


def test_live_bars_show_each_resource_and_what_is_left():
    console, buffer = text(terminal=True)
    with watching(console) as bars:
        bars.plan("main", "customers", 3)
        bars.page("main", "customers", 50)
        bars.live.refresh()
        feed(bars)
    shown = buffer.getvalue()
    assert "1/3" in shown
    assert "50 rows" in shown
    assert "left this minute" in shown
    assert "NOT PROVEN (page 2 is [empty])" in shown
    assert "Building the reports ... [now]" in shown


def test_the_first_signal_asks_to_stop():
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with stopping() as stop:
        signal.raise_signal(signal.SIGINT)
        assert stop.is_set()
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_ctrl_c_is_answered_in_words(monkeypatch, capsys):
    app = typer.Typer()
    app.command()(lambda: signal.raise_signal(signal.SIGINT))
    monkeypatch.setattr(main, "app", app)
    assert main.main([]) == 4
    assert "Stopped.\n" in capsys.readouterr().err  # beside what a thread of the test before said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_modules_load_leaves_no_traceback(tmp_path, number):
    (tmp_path / "typer.py").write_text(f"import signal\nsignal.raise_signal({number:d})\n")
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", "shopmirror", "status"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (4, "", "")


def test_the_second_signal_ends_at_once():
    script = (
        "import signal\n"
        "from shopmirror.signals import stopping\n"
        "with stopping() as stop:\n"
        "    signal.raise_signal(signal.SIGTERM)\n"
        "    assert stop.is_set()\n"
        "    print('asked', flush=True)\n"
        "    signal.raise_signal(signal.SIGTERM)\n"
        "    print('never', flush=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == -signal.SIGTERM
    assert done.stdout == "asked\n"


LEFT_ALONE = """
import os, signal, sys
from shopmirror.consoles import err, print_json, say
from shopmirror.signals import interruptible, outlive_readers
outlive_readers()
interruptible()
sys.stdin.readline()
try:
    for n in range(3):
        err().print("a list is done")
        say("a result")
        print_json({})
    signal.raise_signal(signal.SIGTERM)
finally:
    os.write(3, b"cleared away")
"""


@pytest.mark.parametrize("closed", ["", " >&- 2>&-", " | true", " 2>&1 | true"])
def test_a_run_outlives_whoever_read_what_it_says(closed, tmp_path):
    """A scheduler that was killed, a terminal that hung up, ``| head``: a sync goes on."""
    (tmp_path / "run.py").write_text(LEFT_ALONE)
    command = f"(sleep 0.3; echo) | {{ {sys.executable} run.py 3> ended; echo $? > code; }}{closed}"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True)
    assert (tmp_path / "ended").read_text() == "cleared away"
    assert (tmp_path / "code").read_text().strip() == "130"  # of Ctrl-C


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("say('Cobán')", b"Cob\\xe1n\n"),
        ("print_json('Cobán')", '"Cobán"\n'.encode()),
        ("_write_csv(Answer(['Cobán'], iter([])))", "Cobán\r\n".encode()),
    ],
)
def test_letters_that_a_terminal_lacks_are_escaped_and_none_that_programs_read(said, written):
    script = (
        "from pipelines.publish.asking import Answer\n"
        "from shopmirror.commands.query import _write_csv\n"
        "from shopmirror.consoles import print_json, say\n"
        "from shopmirror.signals import outlive_readers\n"
        f"outlive_readers(); {said}"
    )
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, env=environment
    )
    assert (done.returncode, done.stdout) == (0, written), done.stderr


def test_a_result_that_the_disk_has_no_room_for_is_an_error():
    command = f"{sys.executable} -m shopmirror --version > /dev/full"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2 and "the disk is full" in done.stderr


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0 s"), (89, "89 s"), (90, "2 min"), (3600, "60 min"), (12000, "3 h 20 min")],
)
def test_durations_read_well(seconds, said):
    assert duration(seconds) == said


HOSTILE = (
    "\x1b[31mred\x1b[0m \x1b]8;;http://evil.example\x07click\x1b]8;;\x07 "
    "\x9b2J \x85 \r\x08\x00\x7f "
    "\u202elair\u2066 \u2028 \ud83d [link=http://evil.example]x[/link] :boom: [/nope]"
)
OBEYED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""What a terminal obeys; a colour of ours is ESC [ ... m and is taken out before."""


def _obeyed(shown: str) -> list[str]:
    return OBEYED.findall(re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown).replace("\r", ""))


@pytest.mark.parametrize("terminal", [True, False])
def test_no_text_of_a_customer_speaks_to_the_terminal(terminal):
    buffer = io.StringIO()
    console = Screen(file=buffer, force_terminal=terminal, width=400, color_system="standard")
    console.print(table(HOSTILE, (HOSTILE, "#n"), [(HOSTILE + "\nAll is well.", 1)]))
    console.print(HOSTILE, markup=False)
    with watching(console) as observer:
        observer.plan("main", HOSTILE, 2)
        observer.page("main", HOSTILE, 2)
        observer.done("main", HOSTILE, False, 2, HOSTILE)
        observer.say(HOSTILE)
    shown = buffer.getvalue()
    assert "\x1b]8" not in shown
    assert "\x1b[31mred" not in shown
    assert not _obeyed(shown)
    assert "\u241b[31mred" in shown and ":boom:" in shown and "[/nope]" in shown
    assert not any(line.startswith("All is well") for line in shown.splitlines())


def test_errors_results_and_json_are_shown_not_obeyed(capsys):
    fault(HOSTILE)
    say(f"first\n{HOSTILE}")
    print_json({"name": HOSTILE})
    out, err = capsys.readouterr()
    assert not _obeyed(out) and not _obeyed(err)
    line, _, document = out.partition("\n")
    assert line.startswith("first\u240a\u241b[31mred")
    assert json.loads(document) == {"name": HOSTILE}
