"""A home that an older version left is opened in place, as ``docs/how-to/upgrade.md`` says.

``old_home.tar.xz`` holds what tree 363a4a4 wrote for a shop of a few rows, and the shop's records
as they were then: two syncs, one edited ticket, three changes pushed, one whose answer was lost,
four that wait. Machine, folder and address in it are none; the fixture makes them those of here.
"""

import hashlib
import io
import json
import lzma
import shutil
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from pipelines.outbox.origin import MACHINE_IDS
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from sources.repair_shop.budget.clock import SystemClock
from tests.app.command_line import point_at
from tests.few_models import build_few

FILE = Path(__file__).parent / "old_home.tar.xz"
ANA, BERTA, CARLA = (f"0000000{n}-0000-4000-8000-00000000000{n}" for n in (1, 2, 3))
BATTERY = "00000001-0000-4000-8000-000000000011"


@pytest.fixture
def shop(tmp_path, monkeypatch):
    """The served shop; its old home is ``data`` of the current folder."""
    with tarfile.open(fileobj=io.BytesIO(lzma.decompress(FILE.read_bytes()))) as packed:
        packed.extractall(tmp_path, filter="data")
    records = json.loads((tmp_path / "service.json").read_text())
    pairs = [(table, row) for table, rows in records.items() for row in rows]
    spec = ShopSpec(timezone="America/Guatemala", limit=None, records=pairs)
    monkeypatch.chdir(tmp_path)
    with SandboxServer([spec], minute_seconds=0.5) as server:
        _as_if_made_here(tmp_path / "data", server)
        point_at(server, monkeypatch, tmp_path / "data", MINUTE_SECONDS=0.5)
        yield server


def _as_if_made_here(home: Path, server: SandboxServer) -> None:
    found = (home / "outbox.watermark").stat()
    with closing(sqlite3.connect(home / "outbox.sqlite", isolation_level=None)) as queue:
        [(salt,)] = queue.execute("SELECT queue FROM identity").fetchall()
        queue.execute(
            "UPDATE identity SET machine = ?, path = ?, boot = ?, watermark = ?",
            (
                _machine(),
                str((home / "outbox.sqlite").resolve()),
                SystemClock().boot(),
                f"{found.st_ino} {found.st_ctime_ns} {found.st_mtime_ns}",
            ),
        )
        queue.execute(
            "UPDATE services SET address = ?, address_hash = ?, key_hash = ?",
            (
                server.base_url,
                hashlib.sha256(server.base_url.encode()).hexdigest()[:32],
                hashlib.scrypt(
                    server.keys["main"].encode(), salt=salt.encode(), n=2**12, r=8, p=1, dklen=16
                ).hex(),
            ),
        )


def _machine() -> str:
    """As the older version told its machine by."""
    for path in map(Path, MACHINE_IDS[:2]):
        if path.exists() and (said := path.read_bytes().strip()):
            return hashlib.sha256(b"shopmirror outbox " + said).hexdigest()[:16]
    return ""


def states(say):
    """Number -> state and id of each change."""
    changes = json.loads(say("queue", "list", "--json")[1])
    return {one["number"]: (one["state"], one["id"]) for one in changes}


def asked(file, sql):
    """Rows of the published warehouse."""
    with duckdb.connect(str(file), read_only=True) as warehouse:
        return warehouse.execute(sql).fetchall()


def writes(server):
    """What was sent that may change something, by path, since this was looked at last."""
    sent = sorted(f"{one.method} {one.path}" for one in server.requests() if one.method != "GET")
    server.forget_requests()
    return sent


def test_a_home_of_before_keeps_its_queue_and_its_history(shop, say, tmp_path, monkeypatch):
    home, file = tmp_path / "data", tmp_path / "data" / "warehouse.duckdb"
    before = asked(file, "SELECT * FROM marts.daily_sales ORDER BY ALL")
    versions = "SELECT short_info, dbt_valid_from FROM history.tickets WHERE id = '" + BATTERY + "'"
    old_versions = sorted(asked(file, versions))
    assert [text for text, _ in old_versions] == ["Battery", "Battery, and the back"]

    # As the page says: a backup, then status, and nothing of it asks the service.
    assert say("backup", "--to", "kept.backup")[0] == 0
    code, told = say("status")
    assert code == 0 and "4 queued, 3 done, 1 in_doubt" in told.replace("in doubt", "in_doubt")
    assert "read again" in told and "mirror.before-0.1.sqlite" in told
    waiting = states(say)
    assert {n: state for n, (state, _) in waiting.items()} == {
        **dict.fromkeys((1, 2, 3), "done"),
        4: "in_doubt",
        **dict.fromkeys((5, 6, 7, 8), "queued"),
    }
    assert shop.requests() == []

    shop.store().delete("customers", ANA)
    code, told = say("sync")
    assert code == 0 and "set aside" in told, told
    assert (home / "mirror.before-0.1.sqlite").exists()
    assert asked(file, "SELECT * FROM marts.daily_sales ORDER BY ALL") == before
    assert sorted(asked(file, versions)) == old_versions
    gone = asked(file, "SELECT id FROM raw.customers WHERE _deleted_at IS NOT NULL")
    assert gone == [(ANA,)], "also what went before the first sync"
    assert asked(file, "SELECT count(*) FROM marts.reconciliation WHERE NOT matches") == [(0,)]
    assert writes(shop) == []
    assert states(say) == waiting
    code, told = say("status")
    assert code == 0 and "before-0.1" not in told.split("Last runs")[0]

    assert say("report", "--day", "2026-10-05", "--out", "day.html")[0] == 0
    assert say("push")[0] == 1  # one conflict
    assert writes(shop) == ["POST /customers", "POST /payments", f"PUT /customers/{CARLA}"]
    now = states(say)
    assert [now[n][0] for n in range(1, 9)] == ["done"] * 4 + ["conflict"] + ["done"] * 3
    names = [one["name"] for one in shop.store().all("customers")]
    assert sorted(names) == ["Berta", "Carla", "Dora", "Elsa", "Flor"]
    assert [float(one["amount"]) for one in shop.store().all("payments")] == [20.5, 30]
    assert shop.store().get("customers", BERTA)["phone"] == "5559999"
    say("push")
    assert writes(shop) == []
    build_few(monkeypatch)
    assert say("sync")[0] == 0
    kept = asked(file, "SELECT number, state FROM ops.changes ORDER BY number")
    assert kept == [(n, now[n][0]) for n in range(1, 9)]


def test_a_push_before_the_first_sync_sends_nothing_twice(shop, say):
    assert say("push")[0] == 1
    assert writes(shop) == ["POST /customers", "POST /payments", f"PUT /customers/{CARLA}"]
    assert states(say)[4][0] == "done"


def test_a_copy_of_an_old_home_sends_nothing(shop, say, tmp_path, monkeypatch):
    shutil.copytree(tmp_path / "data", tmp_path / "elsewhere")
    monkeypatch.setenv("SHOPMIRROR_HOME", str(tmp_path / "elsewhere"))
    code, told = say("push")
    assert code == 2 and "queue adopt" in told
    assert writes(shop) == []
