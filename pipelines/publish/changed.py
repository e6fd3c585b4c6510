"""Builds of what changed at a PostgreSQL that homes load (:mod:`pipelines.transform.incremental`).

Data flow: statements that dbt made once -> rows replaced in ``marts__build`` and the like -> which
rows of a published table are other ones now. All of it in the caller's one transaction: whoever
dies in it, home or server, leaves the build before, whole. What the last build had stands at the
server, and counts the loads of all homes; a load that was cut off is news until another one has
brought its rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

from pipelines.transform import compiled, models
from pipelines.transform.compiled import NOW, Node
from pipelines.transform.findings import MEANINGS
from pipelines.transform.incremental import DIFFERS, LastBuild, contents

if TYPE_CHECKING:
    from dlt.destinations.sql_client import SqlClientBase

SUFFIX = "__build"
"""Ends the names of the schemas in which a build is made."""
VERSIONS = "_versions"
"""What the tables of ``history`` are made from; they grow only, and are the builds' own."""
Place = tuple[str, str]
"""Schema and name of a table."""
_OWNERS = (
    "SELECT shop_id, home_id, rows_of, CASE WHEN rows_of IS DISTINCT FROM home_id THEN "
    "clock_timestamp() END FROM ops.shop_owners ORDER BY shop_id"
)
"""What a home gives up goes without a load; while one takes a shop over, nothing stands."""
_TABLES = (
    "SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE "
    "c.relkind = 'r' AND n.nspname IN "
    "('marts__build', 'history__build', 'intermediate__build', 'ops__build') ORDER BY 1"
)
"""dbt makes each table anew, so a build by another version, or by hand, does not go unseen."""
_FINISHED = "load_id IN (SELECT load_id FROM raw._dlt_loads WHERE status = 0)"


class Rows(NamedTuple):
    """Which rows of a table, called ``kept``, are replaced: conditions on those that were there,
    and on those of the build."""

    gone: str
    come: str


def last_build(client: SqlClientBase[Any]) -> LastBuild:
    """What the server knows of its last build. Of however few lines: a whole one is dbt's, which
    takes ten to twenty times as long as the statements."""
    statements = compiled.fingerprint(models.PROJECT)
    more = (_OWNERS, _TABLES)
    return LastBuild(
        lambda sql: client.execute_sql(sql) or (), statements, more=more, loads=_FINISHED, least=0
    )


def kept_contents(client: SqlClientBase[Any], nodes: Sequence[Node]) -> Mapping[str, str]:
    """The tables that are kept, and what stands for all their rows."""
    digest = "sum(hashtextextended(kept::text, 0))"
    return contents(lambda sql: client.execute_sql(sql) or (), nodes, digest)


def note(client: SqlClientBase[Any], home_id: str, tables: int) -> None:
    """Let ``status`` tell that so many tables were not what a whole build has."""
    client.execute_sql(
        "INSERT INTO ops.findings (name, records, meaning, home_id, _dlt_load_id) "
        "VALUES (%s, %s, %s, %s, '')",
        *(DIFFERS, tables, MEANINGS[DIFFERS], home_id),
    )


def carry_out(
    client: SqlClientBase[Any], nodes: Sequence[Node], moment: str
) -> Mapping[Place, Rows]:
    """Build what changed, as of ``moment`` (UTC), in the caller's transaction, and test it.

    Of tables of which not all rows are new ones: which are. Raises what the server says of a
    statement, :class:`~pipelines.transform.models.ModelsFailed` when a test of the data fails.
    """
    project = yaml.safe_load((models.PROJECT / "dbt_project.yml").read_text(encoding="utf-8"))
    client.execute_sql(project["vars"]["postgres_plan"])
    changed: dict[Place, Rows] = {}
    for node in nodes:
        sql = node.sql.replace(NOW, moment)
        if node.kind == "test":
            ((found,),) = client.execute_sql(f"SELECT count(*) FROM ({sql}\n) AS found") or ((0,),)  # noqa: S608 - dbt's
            if found and not node.warns:
                raise models.ModelsFailed(f"Test {node.name} found {found} records")
        elif node.kind != "view":
            _replace(client, node, sql, changed)
        elif node.replaced_by:  # it reads tables that are kept; what readers get is a table
            changed[node.schema, node.table] = Rows(node.gone, node.gone)
    return changed


def _replace(client: SqlClientBase[Any], node: Node, sql: str, changed: dict[Place, Rows]) -> None:
    """Give one table its new rows."""
    place = f'{node.schema}."{node.table}"'
    if node.kind == "kept":
        changed[node.schema, node.table] = Rows(node.gone, node.gone)
        client.execute_sql(f"DELETE FROM {place} WHERE {node.gone}")  # noqa: S608 - dbt's
    client.execute_sql(f"CREATE TEMP TABLE made ON COMMIT DROP AS {sql}")
    columns = client.execute_sql(
        "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = 'made'::regclass "
        "AND attnum > 0"
    )
    names = ", ".join(name for (name,) in columns or ())
    if node.kind == "incremental":
        ((grows,),) = client.execute_sql("SELECT EXISTS (SELECT 1 FROM made)") or ((True,),)
        view = node.table.removesuffix(VERSIONS)
        changed[node.schema, view] = (
            _versions(node.schema, view) if grows else Rows("false", "false")
        )
    elif node.kind != "kept":
        client.execute_sql(f"TRUNCATE {place}")
    client.execute_sql(f"INSERT INTO {place} ({names}) SELECT {names} FROM made")  # noqa: S608 - as above
    client.execute_sql("DROP TABLE made")
    if node.kind == "table":
        client.execute_sql(f"ANALYZE {place}")


def _versions(schema: str, view: str) -> Rows:
    """Of a history: versions that came, and that ended."""
    now, held = f'{schema}."{view}"', f'{schema.removesuffix(SUFFIX)}."{view}"'
    return Rows(
        f"kept.dbt_valid_to IS NULL AND EXISTS (SELECT 1 FROM {now} AS now WHERE "  # noqa: S608 - ours
        "now.dbt_scd_id = kept.dbt_scd_id AND now.dbt_valid_to IS NOT NULL)",
        f"NOT EXISTS (SELECT 1 FROM {held} AS held WHERE held.dbt_scd_id = kept.dbt_scd_id)",  # noqa: S608 - ours
    )
