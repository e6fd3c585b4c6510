"""A PostgreSQL that ``[warehouse] read`` names, opened so that readers find it as the file.

Data flow: DuckDB in memory, the PostgreSQL attached to it by DuckDB's own extension (a package of
the extra ``engines``; nothing is downloaded) -> the same SQL finds ``marts``, ``ops``, ``staging``,
``raw`` and ``history`` there. All questions of one opening see one moment: they are asked in one
transaction of the server, which takes no changes. Filters are handed to the server, what is asked
of the rows is computed here.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import duckdb

from pipelines.language import Text
from pipelines.masking import mask
from pipelines.publish.errors import NothingPublished
from pipelines.settings import read_section
from sources.repair_shop.errors import first_line

_FILE = "postgres_scanner.duckdb_extension"
_IN_SECRET = {"host": "host", "port": "port", "user": "user", "password": "password",
              "dbname": "database"}  # fmt: skip
"""What is kept where no error and no question shows it: libpq's names -> those of a secret."""
_DLT = {"username": "user", "database": "dbname"}
"""dlt's names of what libpq calls otherwise."""
_NOT_LIBPQ = ("drivername", "session_timezone")
_PATIENCE = "10"
"""Seconds that a server is waited for, unless its address says otherwise."""


@contextmanager
def attached(name: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """The PostgreSQL called ``name``, for reading; closed at the end, whatever happens.

    Raises :class:`~pipelines.publish.errors.NothingPublished`, with nothing secret in it, when
    it cannot be reached, is none, or stops answering.
    """
    connection = _with_extension(name)
    try:
        _attach(connection, _parameters(name))
        yield connection
    except duckdb.Error as error:
        # Before libpq's own words, DuckDB's have the address.
        reason = first_line(Exception(re.sub(r'^[^"]* at "[^"]*": ', "", str(error))))
        raise NothingPublished(
            Text(
                "PostgreSQL '{name}' ([warehouse] read) cannot be read: {reason}",
                name=name,
                reason=mask(reason),
            )
        ) from None
    finally:
        connection.close()


def _with_extension(name: str) -> duckdb.DuckDBPyConnection:
    package = find_spec("duckdb_extension_postgres_scanner")
    places = (package and package.submodule_search_locations) or ()
    found = [Path(p).joinpath("extensions", f"v{duckdb.__version__}", _FILE) for p in places]
    if not (found and found[0].exists() and find_spec("psycopg2")):
        raise NothingPublished(
            Text(
                "To read PostgreSQL '{name}', as [warehouse] says, the packages of the extra "
                "'engines' are needed.",
                name=name,
            )
        )
    connection = duckdb.connect(
        config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    )
    connection.execute(f"load {_quoted(str(found[0]))}")
    connection.execute("set TimeZone = 'UTC'")
    return connection


def _quoted(text: str) -> str:
    """A text in SQL, where no parameter may stand."""
    return "'" + text.replace("'", "''") + "'"


def _attach(connection: duckdb.DuckDBPyConnection, parameters: Mapping[str, str]) -> None:
    from psycopg2.extensions import make_dsn

    secret = ", ".join(
        f"{_IN_SECRET[key]} {_quoted(value)}"
        for key, value in parameters.items()
        if key in _IN_SECRET
    )
    open_ones = {key: value for key, value in parameters.items() if key not in _IN_SECRET}
    address = make_dsn(**{"connect_timeout": _PATIENCE, **open_ones})
    connection.execute(f"create or replace temporary secret there (type postgres, {secret})")
    connection.execute(
        f"attach {_quoted(address)} as warehouse (type postgres, read_only, secret there)"
    )
    connection.execute("use warehouse")
    connection.execute("begin transaction read only")


def _parameters(name: str) -> dict[str, str]:
    """The credentials of ``[destination.<name>]`` by libpq's names."""
    section = read_section("destination", name)
    kind = str(section.get("destination_type", name)).rpartition(".")[2]
    given: Any = section.get("credentials")
    place = f"[destination.{name}.credentials]"
    if kind != "postgres":
        raise NothingPublished(
            Text("[warehouse] read: '{name}' is no PostgreSQL but a {kind}.", name=name, kind=kind)
        )
    if not given:
        raise NothingPublished(Text("There is nothing under {place}.", place=place))
    try:
        found = _of_address(given) if isinstance(given, str) else _of_fields(given)
    except Exception:  # noqa: BLE001 - psycopg2's words have the whole address in them
        found = {}
    if not found:
        raise NothingPublished(Text("{place} is no address of a PostgreSQL.", place=place))
    return found


def _of_address(address: str) -> dict[str, str]:
    from psycopg2.extensions import parse_dsn

    found: dict[str, str] = parse_dsn(address)
    return found


def _of_fields(fields: Mapping[str, Any]) -> dict[str, str]:
    from psycopg2.extensions import make_dsn

    named = {_DLT.get(key, key): value for key, value in fields.items() if key not in _NOT_LIBPQ}
    return _of_address(make_dsn(**{**named, **named.pop("query", {})}))
