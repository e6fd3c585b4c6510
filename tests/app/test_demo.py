"""The demo leaves a shop and settings with which every command at a glance runs."""

import os
import re
import shlex
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from pipelines.home import Home
from pipelines.transform.dictionary import tables
from sandbox.server import SandboxServer
from shopmirror import demo_shop
from shopmirror.main import main
from shopmirror.settings_files import SettingsFiles
from tests.app.command_line import home_of_its_own as home_of_its_own
from tests.app.test_guides import GUIDES, blocks
from tests.promises import promise

# One test goes on where the one before left off.
pytestmark = pytest.mark.xdist_group("demo")

ROOT = Path(__file__).parents[2]
GLANCE = (ROOT / "docs" / "reference" / "at-a-glance.md").read_text(encoding="utf-8")
COMMANDS = [shlex.split(row)[1:] for row in re.findall(r"^\| `(shopmirror [^`]+)`", GLANCE, re.M)]
ELSEWHERE = ("demo", "dictionary", "dashboard", "schedule", "sandbox")
"""The demo is run first of all; the dictionary by tests/engines/test_dbt.py, since dbt takes ten
seconds to write it; what serves by test_doors, test_schedule_command and tests/contract."""


@contextmanager
def served_again(said: str, folder: Path):
    """The demo's shop, served by the command that the demo told."""
    (line,) = [line.split()[1:] for line in said.splitlines() if "shopmirror sandbox" in line]
    program = [sys.executable, "-c", "from shopmirror.main import run; run()"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    address = ("127.0.0.1", int(line[line.index("--port") + 1]))
    with subprocess.Popen(
        [*program, *line], cwd=folder, env=env, stdout=subprocess.DEVNULL
    ) as process:
        while socket.socket().connect_ex(address):
            assert process.poll() is None
            time.sleep(0.05)
        try:
            yield process
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    """A folder in which the demo ran, and what it said."""
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name in [n for n in os.environ if n.startswith(("SOURCES__", "SHOPMIRROR_"))]:
            patch.delenv(name)
        patch.setenv("PATH", os.defpath)
        patch.setattr("shopmirror.demo_shop.SIZE", "tiny")
        patch.setitem(demo_shop.SHOP, "minute_seconds", 0.2)
        said = folder / "said"
        with said.open("w") as file, pytest.MonkeyPatch.context() as mouth:
            mouth.setattr(sys, "stdout", file)
            code = main(["demo"])
        assert code == 0, said.read_text()
        yield folder, said.read_text()


@pytest.fixture(scope="module")
def asked(tried):
    """That folder, with its shop served."""
    with served_again(tried[1], tried[0]):
        yield tried[0]


@pytest.fixture
def folder(tried, asked, monkeypatch):
    monkeypatch.chdir(tried[0])
    monkeypatch.delenv("SHOPMIRROR_HOME")
    return tried[0]


@promise("the demo shows a whole mirror offline")
def test_it_shows_a_whole_mirror_and_what_to_try_next(tried):
    folder, said = tried
    assert re.search(r"(\d+) of \1 months agree to the cent", said)
    assert re.search(r"(\d+) of \1 lists are proven complete", said)
    assert "raw.ticket_invoices" in said and "ours (GTQ)" in said
    assert "shopmirror status " in said and re.search(r"\. \S+/bin/activate +makes 'sho", said)
    (page,) = (folder / "data" / "reports").iterdir()
    assert page.name in said
    text = page.read_text(encoding="utf-8")
    assert "Books agree" in text and "GTQ" in text
    assert (folder / ".dlt" / "secrets.toml").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "words", [words for words in COMMANDS if words[0] not in ELSEWHERE], ids=" ".join
)
def test_each_command_at_a_glance_runs(folder, run, words):
    code, _, err = run(*words)
    # Nobody is at the terminal to answer what it asks, and no server of mail is set.
    assert code == (2 if words[0] in ("init", "test-mail") else 0), err


ATTACH = "attach 'data/warehouse.duckdb' as warehouse (read_only)"
TUTORIAL = [
    shlex.split(line)[1:]
    for _, block in blocks(ROOT / "docs" / "tutorials" / "first-mirror.md")
    for line in block.splitlines()
    if line.startswith("shopmirror ") and line != "shopmirror demo"
]
# What stands at a glance too is run there, and a whole sync is what the demo itself does.
TUTORIAL = [words for words in TUTORIAL if words not in (*COMMANDS, ["sync"])]


@pytest.mark.parametrize("words", TUTORIAL, ids=" ".join)
def test_each_command_of_the_tutorial_runs(folder, run, words):
    code, _, err = run(*words)
    assert code == 0, err


def test_sql_and_python_of_the_guides_run(folder, capsys, monkeypatch):
    queued: list[object] = []
    monkeypatch.setattr("pipelines.outbox.enqueue", lambda *a, **_: queued.append(a))
    frame = pd.DataFrame({"id": ["1"], "email": ["ana@example.com"]})
    for guide in GUIDES:
        for language, text in blocks(guide):
            if language == "python":
                exec(compile(text, str(guide), "exec"), {"frame": frame})
            elif language == "sql":
                with duckdb.connect() as warehouse:
                    if not text.startswith("attach"):
                        warehouse.execute(ATTACH)
                        warehouse.execute("use warehouse")
                    warehouse.execute(text)
    assert len(queued) == 1
    assert "total" in capsys.readouterr().out


def test_every_table_and_column_of_the_warehouse_is_explained(folder):
    explained = {(t.schema, t.name): set(t.columns) for t in tables()}
    with duckdb.connect("data/warehouse.duckdb", read_only=True) as warehouse:
        held = warehouse.execute(
            "select table_schema, table_name, column_name from information_schema.columns "
            "where table_schema in ('marts', 'history', 'ops') "
            "and not (table_schema = 'history' and table_name like '%versions')"
        ).fetchall()
    assert len(held) > 500
    lacking = [row for row in held if row[2] not in explained.get((row[0], row[1]), set())]
    assert lacking == []


@pytest.mark.parametrize("words", [["sync"], ["push"], ["doctor"]], ids=" ".join)
def test_a_command_that_asks_a_stopped_shop_names_what_serves_it(words, tried, run, monkeypatch):
    folder, _said = tried
    monkeypatch.chdir(folder)
    monkeypatch.delenv("SHOPMIRROR_HOME")
    marker = folder / "data" / demo_shop.MARKER
    address = demo_shop.address(folder / "data")
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = free.getsockname()[1]
    elsewhere = re.sub(r":\d+/", f":{nobody}/", address)
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__BASE_URL", elsewhere)
    before = marker.read_text()
    marker.write_text(before.replace(address, elsewhere))
    try:
        code, _, err = run(*words)
    finally:
        marker.write_text(before)
    assert code == 3
    assert f"shopmirror sandbox --db data/demo-shop.sqlite --port {nobody}" in err


def test_its_settings_are_its_own_after_make_clean(folder, tmp_path):
    assert not demo_shop.has_other_settings(tmp_path), "a home that holds no demo any more"


def test_a_real_shop_takes_its_folder_over(folder, run):
    Home(Path("data")).outbox.touch()  # a queue, if no test before has made one
    assert list(Path("data", "reports").iterdir())
    with SandboxServer() as server:
        key = folder / "key"
        key.write_text(server.keys["main"])
        options = ["--base-url", server.base_url, "--timezone", "UTC", "--key-file", str(key)]
        code, _, err = run("init", *options, "--no-test", "--no-sync")
        assert code == 0, err
        files = SettingsFiles()
        assert files.value(None, "base_url") == server.base_url
        assert files.value(None, "minute_seconds") is None
        code, out, err = run("status", "--check")
        assert "made room" in err and "never read whole" in out
    home = Home(Path("data"))
    assert not home.warehouse.exists() and not home.outbox.exists()
    left = [home.path / name for name in (demo_shop.MARKER, "reports", "incidents.json")]
    assert not [path for path in left if path.exists()], "a report of a made-up shop"
    assert (home.path / "demo-outbox.sqlite").exists()


def test_it_keeps_away_from_a_real_mirror(run, tmp_path):
    Home(tmp_path / "home").ledger.write_bytes(b"a real shop's")
    code, _, err = run("demo")
    assert code == 2
    assert "holds the mirror of a real shop" in err


def test_settings_of_another_shop_are_not_the_demos(tmp_path, monkeypatch):
    assert not demo_shop.has_other_settings(tmp_path)
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__BASE_URL", "https://shop.example.com/v1")
    assert demo_shop.has_other_settings(tmp_path)


def test_what_serves_the_shop_again_names_a_folder_with_blanks_as_one(tmp_path):
    home = tmp_path / "my shop's data"
    home.mkdir()
    (home / demo_shop.MARKER).write_text('{"base_url": "http://127.0.0.1:4321/v1"}')
    words = shlex.split(demo_shop.how_to_serve(home))
    assert Path(words[words.index("--db") + 1]).parent == home
    assert words[words.index("--port") + 1] == "4321"


def test_the_mirror_of_a_demo_whose_shop_is_gone_goes_too(tmp_path):
    home = Home(tmp_path / "home")
    home.ledger.write_bytes(b"of another made-up shop")
    demo_shop.forget_another(home)
    assert home.ledger.exists()  # nothing says that it is the demo's
    (home.path / demo_shop.MARKER).write_text("{}")
    demo_shop.forget_another(home)
    assert not home.ledger.exists()
