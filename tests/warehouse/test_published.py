"""Questions to the published warehouse: values arrive as they are."""

import subprocess
import sys
from datetime import UTC, date, datetime

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.destinations import read as attached
from pipelines.monitor import evidence
from pipelines.publish.errors import NothingPublished
from pipelines.publish.published import Published, published, published_here

VALUES = st.one_of(
    st.none(),
    st.integers(-(2**31), 2**31),
    st.dates(),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    path = tmp_path_factory.mktemp("home")
    duckdb.connect(str(path / "warehouse.duckdb")).close()
    return path


def test_a_value_comes_back_as_it_went_in(home):
    with published(home) as warehouse:

        @given(VALUES)
        def one(value):
            assert warehouse.row("select $value as value", {"value": value})["value"] == value

        @given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))))
        def several(values):
            asked = {"values": values, "other": "$values"}
            row = warehouse.row("select $values as several, $other as other", asked)
            assert row == {"several": values, "other": "$values"}

        one()
        several()
        with pytest.raises(KeyError):
            warehouse.rows("select $day", {"date": date(2026, 1, 1)})


def test_a_file_that_this_process_writes_is_to_be_closed_not_published_anew(tmp_path):
    with (
        duckdb.connect(str(tmp_path / "warehouse.duckdb")),
        pytest.raises(NothingPublished, match="open for writing"),
        published(tmp_path),
    ):
        pass


WRITES = """
import sys, duckdb
with duckdb.connect("warehouse.duckdb") as theirs:
    print("open", flush=True)
    sys.stdin.readline()
    theirs.execute("insert into x values (777)")
    print("written", flush=True)
    sys.stdin.readline()
"""


def test_what_somebody_writes_to_an_older_file_is_not_read_as_published(tmp_path):
    """His log lies beside the newer one, under its name."""
    for name, rows in (("warehouse.duckdb", 10), ("newer", 20)):
        with duckdb.connect(str(tmp_path / name)) as made:
            made.execute(f"create table x as from range({rows})")
    command, pipe = [sys.executable, "-c", WRITES], subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stdin=pipe, stdout=pipe, text=True) as other:
        assert other.stdout is not None
        other.stdout.readline()
        (tmp_path / "newer").replace(tmp_path / "warehouse.duckdb")
        assert other.stdin is not None
        print("go on", file=other.stdin, flush=True)
        other.stdout.readline()
        with pytest.raises(NothingPublished, match="open for writing"), published(tmp_path):
            pass
        other.communicate("done\n")
    with published(tmp_path) as warehouse:
        assert warehouse.row("select count(*) as rows from x") == {"rows": 20}


@pytest.mark.parametrize(
    ("look", "slow"),
    [
        ("from shopmirror.main import main; main(['status'])", ("pandas", "pyarrow", "dlt")),
        ("from shopmirror.main import main; main(['report'])", ("pandas", "altair", "dlt")),
        ("from shopmirror.main import main; main(['query', 'select 1'])", ("pandas", "dlt")),
        ("import shopmirror.commands.queue", ("pandas", "pyarrow", "dlt", "httpx")),
        ("import pipelines.sync.run, pipelines.load.loader", ("pandas",)),
    ],
)
def test_a_look_loads_nothing_that_takes_longer_than_looking(mirrored, monkeypatch, look, slow):
    monkeypatch.setenv("SHOPMIRROR_HOME", str(mirrored))
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__API_KEY", "k")
    code = f"import sys; {look}; print([n for n in {slow} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout


def test_a_server_is_read_only_where_the_settings_say_so(home, monkeypatch):
    def refused(match):
        with pytest.raises(NothingPublished, match=match), published(home):
            pass

    monkeypatch.setenv("WAREHOUSE__READ", "company")
    refused("are wrong: read: 'company' is none of those that 'also' names")
    monkeypatch.setenv("WAREHOUSE__ALSO", "company")
    monkeypatch.setattr(attached, "find_spec", lambda _name: None)
    refused("packages of the extra 'engines'")
    # What must not wait for a server does not.
    with published_here(home) as warehouse:
        assert warehouse.row("select 1 as n") == {"n": 1}
    monkeypatch.setattr(attached, "_with_extension", lambda _name: duckdb.connect())
    monkeypatch.setenv("DESTINATION__COMPANY__DESTINATION_TYPE", "postgres")
    refused(r"nothing under \[destination.company.credentials\]")
    monkeypatch.setenv("DESTINATION__COMPANY__CREDENTIALS", "/lake.duckdb")
    monkeypatch.setenv("DESTINATION__COMPANY__DESTINATION_TYPE", "duckdb")
    refused("no PostgreSQL but a duckdb")


def test_a_server_tells_of_each_home_what_its_figures_lack(home):
    warehouse = Published(duckdb.connect(), home, server="company")
    warehouse.connection.execute(
        """
        create schema ops;
        create table ops.publication as select '2026-11-22 03:00:00.5+13' as at;
        create table ops.shop_owners as from (values
            ('a', 'one', 'x', 'x'), ('b', 'one', 'y', 'x'), ('c', 'two', null, null)
        ) as rows(shop_id, home_id, made_of, published_of);
        create table ops.runs as from (values
            ('one', 'sync', timestamptz '2026-11-21 02:00:00Z', 'failed', 1, 'no disk'),
            ('two', 'sync', timestamptz '2026-11-22 02:00:00Z', 'complete', 0, ''),
            ('gone', 'sync', timestamptz '2026-11-20 02:00:00Z', 'failed', 1, 'given up')
        ) as rows(home_id, command, started_at, outcome, exit_code, message);
        create table ops.completeness as
            select shop_id, resource, 'full' as kind, 'proven' as state, true as is_proven,
                '' as reason, 1 as rows, timestamptz '2026-11-21 01:00:00Z' as began_at
            from (values ('a'), ('b')) as shops(shop_id),
                (values ('tickets'), ('ticket_invoices'), ('pos_orders'), ('payments'))
                    as lists(resource)
        """
    )
    assert evidence.given(warehouse) == datetime(2026, 11, 21, 14, 0, 0, 500_000, tzinfo=UTC)
    now = datetime(2026, 11, 21, 3, tzinfo=UTC)
    told = evidence.published(warehouse, ["a", "b", "c"], now, {})
    assert told.as_of(["a"]) == datetime(2026, 11, 21, 1, tzinfo=UTC)
    # The evidence is of newer rows than the figures.
    assert told.as_of(["a", "b"]) is None
    assert [problem.shop for problem in evidence.behind(warehouse, ["a", "b", "c"])] == ["b", "c"]
    assert [(problem.shop, str(problem)) for problem in told.runs] == [
        ("a, b", "The last run (sync) ended failed: no disk")
    ]
    assert told.problems(["a"]) == told.runs
    assert told.runs[0] not in told.problems(["c"])
