"""The models at a PostgreSQL that ``[warehouse] also`` names, published to its readers at once.

Data flow there: ``raw`` and ``ops`` -> ``staging__build``, ``marts__build`` and the like, built by
dbt, whole -> ``staging``, ``marts``, ``history`` and ``ops.unreadable``. Rows are exchanged in one
transaction, so a reader sees the build before or this one, and is never blocked. Rights, views and
indexes that the company has put on the tables stay. ``raw`` alone is what the lists are loaded
into, one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa

from pipelines.destinations.lease import refuse_strangers
from pipelines.destinations.load import FIGURES, Destination, Figures
from pipelines.home import Home
from pipelines.load.loader import LoadError
from pipelines.transform import compiled, dbt, models

if TYPE_CHECKING:
    from dlt.destinations.sql_client import SqlClientBase

Place = tuple[str, str]
"""Schema and table."""
SUFFIX = "__build"
"""Ends the schemas of a build until it is published."""
VERSIONS = "_versions"
"""Ends the tables of which history is read; readers get what is read of them."""
_TLS = ("sslmode", "sslrootcert", "sslcert", "sslkey")
_OLDEST = 160000
_SERVER = (
    "SELECT to_regclass('ops.publication') IS NOT NULL, "
    "current_setting('server_version_num')::int, current_setting('server_encoding')"
)
_BUILT = {f"{schema}{SUFFIX}" for schema in ("staging", "marts", "history", "ops")}
"""What readers get, as it is built."""
_EXACT = {"numeric": "numeric(28,4)"}
"""PostgreSQL forgets the places of an amount that was computed with. As in the file there are four;
without places DuckDB and others would read floating point."""
_VIEWS = (
    "SELECT 1 FROM pg_depend WHERE refobjid = %s::regclass AND classid = 'pg_rewrite'::regclass "
    "LIMIT 1"
)
_FIGURES = " UNION ALL ".join(
    f"SELECT shop_id, '{table}' AS figure, CAST({period} AS VARCHAR) AS period, "  # noqa: S608 - our own words
    f"round({amount}, 2) AS amount FROM marts{{0}}.{table}"
    for table, period, amount in (
        ("monthly_sales", "month", "total"),
        ("monthly_purchases", "month", "total"),
        ("reconciliation", "report || ' ' || period", "ours"),
    )
)
_LOADED = (
    "SELECT string_agg(quote_ident(schemaname) || '.' || quote_ident(tablename), ', ') "
    "FROM pg_tables WHERE schemaname IN ('raw', 'ops')"
)
"""A plan is as good as what is known of the tables; autovacuum may not have come since the load."""
_TOLD = (
    f"SELECT shop_id, figure, period, amount FROM ops.{FIGURES} f "  # noqa: S608 - as above
    "JOIN ops.shop_owners o USING (shop_id, home_id) WHERE o.made_of IS NOT NULL AND models = %s"
)
"""Of shops whose rows are all there, as their home's own build by the same models has them."""


def own_figures(home: Home, project: Path | None = None) -> Figures | None:
    """Those of the home's file, against which a build there is held; None before a build."""
    with home.open_build(read_only=True) as connection:
        sql = "SELECT CAST(max(built_at) AS VARCHAR) FROM intermediate.int_shops"
        try:
            ((built_at,),) = connection.execute(sql).fetchall()
            rows = connection.execute(_FIGURES.format("")).to_arrow_table()
        except duckdb.CatalogException:
            return None
    by = pa.array([compiled.fingerprint(project or models.PROJECT)] * len(rows), pa.string())
    return Figures(rows.append_column("models", by), built_at or "")


def build_there(there: Destination, project: Path | None = None) -> bool:
    """Build the models over all homes' rows and publish them; False when nothing was new, or
    another home that had waited has built meanwhile. ``project`` is a folder of somebody's own.

    :class:`~pipelines.load.loader.LoadError` when the figures of a shop are not those of its home's
    own warehouse, :class:`~pipelines.transform.models.ModelsFailed` when a model fails; readers
    then keep what they had.
    """
    client, lease = there.client, there.lease
    if there.kind != "postgres" or client is None or lease is None:
        return False
    _begin(client)
    if not (lease.is_published() and _has_all(client)):
        lease.let_others()
    if lease.is_published() and _has_all(client):
        return False
    if not dbt.is_there("postgres"):
        raise LoadError(
            "its rows are there, but its models need the packages of the extra 'engines' (or set "
            "also_models = false)."
        )
    ((loaded,),) = client.execute_sql(_LOADED) or [("",)]
    client.execute_sql(f"ANALYZE {loaded}")
    # What is dated by a build (today, since when a version holds) is dated by the newest file's.
    environment = _profile(client.credentials) | {"SHOPMIRROR_BUILT_AT": lease.built_at()}
    models.build_at("postgres", environment, home=there.home.path, suffix=SUFFIX, project=project)
    with client.begin_transaction():
        _check(client, project)
        _exchange(client)
        client.execute_sql("DELETE FROM ops.publication")
        client.execute_sql("INSERT INTO ops.publication (at) VALUES (clock_timestamp())")
        lease.published()
    return True


def _begin(client: SqlClientBase[Any]) -> None:
    """Before the first build there: :class:`LoadError` where it cannot be, or would harm others."""
    ((is_begun, version, encoding),) = client.execute_sql(_SERVER) or ((True, 0, ""),)
    if version < _OLDEST or encoding != "UTF8":
        raise LoadError(
            f"its rows are there, but its models need PostgreSQL {_OLDEST // 10000} or later and a "
            f"database in UTF8, where this is {version // 10000} and {encoding}: use another one "
            "(or set also_models = false)."
        )
    if not is_begun:
        nodes = compiled.read(models.PROJECT)
        refuse_strangers(client, {(n.schema, n.table) for n in nodes if n.schema != "intermediate"})
        client.execute_sql("CREATE TABLE ops.publication (at VARCHAR)")


def _check(client: SqlClientBase[Any], project: Path | None) -> None:
    """Raise :class:`LoadError` where figures of a build are not those of its homes' own."""
    told = set(client.execute_sql(_TOLD, compiled.fingerprint(project or models.PROJECT)) or ())
    shops = {row[0] for row in told}
    made = client.execute_sql(_FIGURES.format(SUFFIX)) or ()
    if differing := told ^ {tuple(row) for row in made if row[0] in shops}:
        shop, table, period, _ = min(differing, key=str)
        raise LoadError(
            f"{len(differing)} figures of its models are not those of the homes' own, the first of "
            f"them {table} of {shop} in {period}; its readers keep those of the build before. If "
            "this stays, somebody changed its rows: drop its schema raw, and all are loaded anew."
        )


def _profile(credentials: Any) -> dict[str, str]:
    """What dbt's profile takes from the environment, and the PostgreSQL library beneath it."""
    given = {
        "HOST": credentials.host,
        "PORT": credentials.port,
        "USER": credentials.username,
        "PASSWORD": credentials.password,
        "DATABASE": credentials.database,
    }
    profile = {f"SHOPMIRROR_POSTGRES_{name}": str(value) for name, value in given.items()}
    query = credentials.get_query()
    return profile | {f"PG{name.upper()}": str(query[name]) for name in _TLS if name in query}


def _exchange(client: SqlClientBase[Any]) -> None:
    """Give every published table the rows of its build."""
    held = _columns(client)
    for source, place in _published(held):
        columns = {column: _EXACT.get(kind, kind) for column, kind in held[source].items()}
        there = held.get(place)
        if there is None:
            client.execute_sql(f'CREATE SCHEMA IF NOT EXISTS "{place[0]}"')
            _do(client, "CREATE TABLE {} (LIKE {} INCLUDING COMMENTS)", place, source)
            there = held[source]
        for column in columns.keys() - there.keys():
            _do(client, f'ALTER TABLE {{}} ADD COLUMN "{column}" {columns[column]}', place)
        for column in there.keys() - columns.keys():  # another version made it
            _do(client, f'ALTER TABLE {{}} DROP COLUMN "{column}"', place)
        other = [name for name, kind in there.items() if columns.get(name, kind) != kind]
        if other and client.execute_sql(_VIEWS, '"{}"."{}"'.format(*place)):
            # Of what a view reads PostgreSQL changes no type.
            other = [name for name in other if there[name] not in _EXACT]
        for column in other:  # every row is given anew
            kind = f"{columns[column]} USING NULL"
            _do(client, f'ALTER TABLE {{}} ALTER "{column}" TYPE {kind}', place)
        # What the table holds, which is not copied with its columns.
        ((said,),) = client.execute_sql(
            "SELECT obj_description(%s::regclass)", '"{}"."{}"'.format(*source)
        ) or ((None,),)
        client.execute_sql(f'COMMENT ON TABLE "{place[0]}"."{place[1]}" IS %s', said)
        names = ", ".join(f'"{column}"' for column in columns)
        _do(client, "DELETE FROM {}", place)
        _do(client, f"INSERT INTO {{}} ({names}) SELECT {names} FROM {{}}", place, source)  # noqa: S608 - names of ours


def _published(held: Iterable[Place]) -> list[tuple[Place, Place]]:
    """Tables of a build, and those that readers have of them."""
    return [
        ((schema, table), (schema.removesuffix(SUFFIX), table))
        for schema, table in held
        if schema in _BUILT and not table.endswith(VERSIONS)
    ]


def _has_all(client: SqlClientBase[Any]) -> bool:
    """Whether nobody has dropped a table that readers had of the last build."""
    held = _columns(client)
    return all(place in held for _, place in _published(held))


def _columns(client: SqlClientBase[Any]) -> dict[tuple[str, str], dict[str, str]]:
    """(schema, table) -> column -> type, as PostgreSQL writes it."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for schema, table, column, kind in (
        client.execute_sql(
            "SELECT n.nspname, c.relname, a.attname, format_type(a.atttypid, a.atttypmod) "
            "FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
            "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE a.attnum > 0 AND "
            "NOT a.attisdropped AND c.relkind IN ('r', 'v') AND "
            "regexp_replace(n.nspname, %s || '$', '') IN ('staging', 'marts', 'history', 'ops') "
            "ORDER BY 1, 2, a.attnum",
            SUFFIX,
        )
        or ()
    ):
        found.setdefault((schema, table), {})[column] = kind
    return found


def _do(client: SqlClientBase[Any], sql: str, *tables: Place) -> Sequence[Sequence[Any]]:
    return (
        client.execute_sql(sql.format(*(f'"{schema}"."{table}"' for schema, table in tables))) or ()
    )
