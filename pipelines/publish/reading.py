"""Reading the published warehouse from notebooks and scripts: SQL in, pandas data frames out.

Data flow: ``$SHOPMIRROR_HOME/warehouse.duckdb`` -> a data frame. From a notebook::

    from pipelines.publish.reading import columns, query, tables
    tables("marts")                                  # what is there
    columns("marts.daily_sales")                     # what its columns mean
    query("select day, total from marts.daily_sales where day >= $since", since="2026-01-01")

Every call opens the file read-only, asks, and closes it again. So a notebook left open for days
never blocks a sync and holds on to no file that was replaced. It always sees what was published
last: two calls may see two nights, and what must agree with itself belongs into one query. Where
the settings name a PostgreSQL to be read, that is asked instead, except of a named ``home``.

Money stays what it is in the warehouse, exact: DECIMAL columns come as :class:`decimal.Decimal`, so
sums in pandas are right to the cent. Charts want floating point: :func:`floats`.
"""

import os
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa

from pipelines.language import current
from pipelines.publish.errors import NothingPublished, QueryFailed
from pipelines.publish.published import WAREHOUSE, Published, published, published_here, read_from
from pipelines.settings import home_folder

# Whole numbers and booleans with gaps stay what they are instead of turning into floats.
_PANDAS = {
    pa.int8(): pd.Int8Dtype(),
    pa.int16(): pd.Int16Dtype(),
    pa.int32(): pd.Int32Dtype(),
    pa.int64(): pd.Int64Dtype(),
    pa.bool_(): pd.BooleanDtype(),
}


def warehouse_file(home: Path | str | None = None) -> Path:
    """Where the published warehouse is.

    Without ``home`` it is ``$SHOPMIRROR_HOME`` (default ``data``); a relative one is looked for in
    the current folder and the folders above it, since a notebook runs in its own.
    Raises :class:`NothingPublished`.
    """
    wanted = Path(home) if home is not None else home_folder()
    here = Path.cwd()
    for folder in (here, *here.parents):
        found = folder / wanted / WAREHOUSE
        if found.is_file():
            return found
    raise NothingPublished(
        f"There is no '{wanted / WAREHOUSE}' in this folder or any above it. Run 'shopmirror sync' "
        "(or 'make demo') first, or set SHOPMIRROR_HOME to the folder that holds it."
    )


def query(sql: str, *, home: Path | str | None = None, **values: Any) -> pd.DataFrame:
    """The answer of one query, with ``$name`` in it taken from ``values``.

    Days come as timestamps without a zone, times in UTC, money as exact decimals.
    Raises :class:`NothingPublished` when the file is not there or cannot be opened, and
    :class:`QueryFailed` when the SQL is at fault.
    """
    table = _answer(sql, values, home)
    for place, field in enumerate(table.schema):
        # DuckDB's sums of whole numbers come as decimals without places.
        if pa.types.is_decimal(field.type) and field.type.scale == 0:
            table = table.set_column(place, field.name, table.column(place).cast(pa.int64()))
    frame: pd.DataFrame = table.to_pandas(types_mapper=_PANDAS.get, date_as_object=False)
    return frame


def value(sql: str, *, home: Path | str | None = None, **values: Any) -> Any:
    """The only value of a query with one row and one column; :class:`QueryFailed` otherwise."""
    table = _answer(sql, values, home)
    if table.num_rows != 1 or table.num_columns != 1:
        raise QueryFailed(
            f"One value was wanted, and {table.num_rows} row(s) of {table.num_columns} "
            "column(s) came."
        )
    only = table.column(0)[0].as_py()
    if isinstance(only, Decimal) and only.as_tuple().exponent == 0:
        return int(only)
    return only


def tables(schema: str = "marts", *, home: Path | str | None = None) -> pd.DataFrame:
    """The tables and views of a schema: ``table, columns, holds`` (one sentence on each)."""
    return query(
        "select table_name as table, count(*) as columns, "
        "regexp_extract(regexp_replace(coalesce(max(said), ''), '\\s+', ' ', 'g'), "
        "'^(.*?)(\\. .*|\\.?)$', 1) as holds "
        "from duckdb_columns() left join ("
        "  select schema_name, table_name, comment as said from duckdb_tables() "
        "  union all select schema_name, view_name, comment from duckdb_views()"
        ") using (schema_name, table_name) "
        "where schema_name = $schema and table_name not like '\\_%' escape '\\' "
        "group by 1 order by 1",
        home=home,
        schema=schema,
    )


def columns(table: str, *, home: Path | str | None = None) -> pd.DataFrame:
    """The columns of ``schema.table``: ``column, type, meaning``.

    Raises :class:`QueryFailed` when there is no such table.
    """
    schema, _, name = table.rpartition(".")
    found = query(
        "select column_name as column, lower(data_type) as type, "
        "trim(regexp_replace(coalesce(comment, ''), '\\s+', ' ', 'g')) as meaning "
        "from duckdb_columns() where schema_name = $schema and table_name = $name "
        "order by column_index",
        home=home,
        schema=schema or "marts",
        name=name,
    )
    if found.empty:
        raise QueryFailed(f"There is no table '{table}'; tables() lists those of the marts.")
    return found


def floats(frame: pd.DataFrame) -> pd.DataFrame:
    """A copy whose exact decimals are floating point: for charts and statistics, not for sums."""
    result = frame.copy()
    for name in _decimal_columns(frame):
        result[name] = frame[name].astype("float64")
    return result


def pretty(frame: pd.DataFrame) -> pd.DataFrame:
    """A copy to look at: money as ``1,234.50``, days without an hour, gaps left empty.

    Where the settings say how figures and days are written (``[display]``), they are written so.
    A column of decimals that are all whole, such as pieces, is shown without places; one of a
    currency of a thousand parts with three.
    """
    said = current()
    result = frame.copy()
    for name in frame.columns:
        column = frame[name]
        if pd.api.types.is_datetime64_any_dtype(column.dtype):
            whole_days = bool((column.dropna() == column.dropna().dt.normalize()).all())
            clock = "" if whole_days else " %H:%M"
            result[name] = [
                "" if pd.isna(moment) else said.day(moment) + moment.strftime(clock)
                for moment in column
            ]
        elif name in _decimal_columns(frame):
            present = column.dropna()
            fitting = (p for p in (0, 2, 3) if all(item == round(item, p) for item in present))
            places = next(fitting, 2)
            result[name] = ["" if pd.isna(item) else said.number(item, places) for item in column]
        else:
            result[name] = column.astype(object).where(column.notna(), "")
    return result


def _answer(sql: str, values: dict[str, Any], home: Path | str | None) -> pa.Table:
    with opened(home) as warehouse:
        connection = warehouse.connection
        try:
            # Never more of the machine than a sync beside it can spare.
            connection.execute(f"set threads = {max(1, (os.cpu_count() or 2) - 1)}")
            return connection.execute(sql, values or None).to_arrow_table()
        except duckdb.Error as error:
            raise QueryFailed(
                str(error).replace(str(warehouse.home / WAREHOUSE), WAREHOUSE)
            ) from error


def settings_folder() -> Path:
    """Where the settings lie: in this folder or one above it, as the home does."""
    here = Path.cwd()
    return next((f for f in (here, *here.parents) if (f / ".dlt").is_dir()), here)


@contextmanager
def opened(home: Path | str | None = None) -> Iterator[Published]:
    """What the settings say that is read, for as long as this lasts. See :func:`query`."""
    if home is None:
        with chdir(settings_folder()):
            if read_from():
                with published(home_folder()) as warehouse:
                    yield warehouse
                return
    with published_here(warehouse_file(home).parent) as warehouse:
        yield warehouse


def _decimal_columns(frame: pd.DataFrame) -> list[str]:
    return [
        str(name)
        for name in frame.columns
        if frame[name].dtype == object
        and any(isinstance(item, Decimal) for item in frame[name].dropna().head(1))
    ]
