"""Marts and lists of the published warehouse -> files that other programs open, a file a table.

CSV and Excel are for people: a text that a spreadsheet would take for a formula is a text there.
Parquet is for programs, and holds each value as it is. Every file is written beside its place and
put there by a rename; only its owner can read it.
"""

import csv
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipelines.publish.published import Published, published
from pipelines.report import figures
from pipelines.report.closing import chosen_shops
from pipelines.report.figures import ReportError
from pipelines.report.formats import cell
from pipelines.report.workbook import Tab, write_workbook
from sources.repair_shop.schema.names import snake_case

_FORMS = ("csv", "parquet", "xlsx")
_AT_ONCE = 10_000


@dataclass(frozen=True)
class Exported:
    """A file that was written, and how many rows it holds."""

    path: Path
    rows: int


def export(
    home: Path,
    folder: Path,
    *,
    form: str = "csv",
    tables: Sequence[str] = (),
    lists: bool = False,
    shop: str | None = None,
) -> list[Exported]:
    """Write tables to ``folder`` (made if it is not there) as ``<table>.<form>``.

    ``tables`` are marts (``payments``), lists as the service names them (``ticketInvoices``), or
    ``schema.table``; none means every mart, and with ``lists`` every list too (as ``staging``
    holds them: typed, rows deleted at the service included and marked by ``deleted_at``). ``form``
    is ``csv``, ``parquet`` or ``xlsx``. Raises :class:`~pipelines.report.figures.ReportError` for
    a table or shop that is not there and for what the disk says.
    """
    if form not in _FORMS:
        raise ReportError(f"There is no form '{form}'; choose one of: {', '.join(_FORMS)}.")
    with published(Path(home)) as warehouse:
        held = warehouse.columns
        if shop is not None:
            (shop,) = chosen_shops(figures.shops(warehouse), shop)
        chosen = _chosen(held, tables, lists)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".export-", dir=folder) as draft:
                return [
                    _written(
                        warehouse, name, shop if "shop_id" in held[name] else None, Path(draft),
                        folder, form,
                    )
                    for name in chosen
                ]  # fmt: skip
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ReportError(f"Nothing can be written to {folder}: {reason}.") from error


def _chosen(held: Collection[str], tables: Sequence[str], lists: bool) -> list[str]:
    chosen = [_found(held, name) for name in tables]
    if not tables:
        chosen = [name for name in held if name.startswith("marts.")]
    if lists:
        chosen += [name for name in held if name.startswith("staging.")]
    if not chosen:
        raise ReportError("The warehouse has no marts yet: run 'shopmirror sync' first.")
    return list(dict.fromkeys(chosen))


def _found(held: Collection[str], name: str) -> str:
    plain = snake_case(name)
    for candidate in (name, f"marts.{plain}", f"staging.{plain}"):
        if candidate in held:
            return candidate
    marts = ", ".join(table.removeprefix("marts.") for table in held if table.startswith("marts."))
    raise ReportError(
        f"There is no table '{name}'. Marts: {marts}. Lists by their own names (ticketInvoices)."
    )


def _written(
    warehouse: Published, name: str, shop: str | None, draft: Path, folder: Path, form: str
) -> Exported:
    schema, table = name.split(".", 1)
    sql, values = f'select * from {schema}."{table}"', dict[str, str]()  # noqa: S608 - a name that the warehouse told
    if shop is not None:
        sql, values = f"{sql} where shop_id = $shop", {"shop": shop}
    # Marts have the plain names; what else is exported says which layer it is of.
    path = draft / f"{table if schema == 'marts' else f'{schema}-{table}'}.{form}"
    path.touch(mode=0o600)
    if form == "parquet":
        told = {**values, "file": str(path)}
        warehouse.connection.execute(f"copy ({sql}) to $file (format parquet)", told)
    else:
        cursor = warehouse.connection.execute(sql, values)
        columns = [column[0] for column in cursor.description or ()]
        if form == "xlsx":
            write_workbook(path, [Tab(table, columns, cursor.fetchall())])
        else:
            # With a mark at the beginning, without which Excel takes UTF-8 for something else.
            with path.open("w", newline="", encoding="utf-8-sig") as file:
                writer = csv.writer(file)
                writer.writerow(columns)
                while part := cursor.fetchmany(_AT_ONCE):
                    writer.writerows(map(cell, row) for row in part)
    path.chmod(0o600)
    rows = int(warehouse.row(f"select count(*) as n from ({sql})", values)["n"])  # noqa: S608 - as above
    return Exported(path.replace(folder / path.name), rows)
