"""Files of changes: JSON Lines and CSV -> rows, the name of each row for messages, and faults.

A file is about what the command says: one resource, one operation. JSON Lines: one object a line.
CSV: a header of field names, in UTF-8, with or without the mark that spreadsheets write. Cells are
apart by comma, tab or semicolon (spreadsheets of countries with a decimal comma, which numbers may
have there). Empty cells are "not given", and so are blank columns at the end. Nested lists are JSON
text.
"""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from pipelines.bodies import NO_FIELD, numeric_fields, taken, unknown_field
from pipelines.outbox.errors import InputRefused

MOST_ROWS = 100_000
"""At 30 requests a minute that is four days of pushing; more is a mistake in the file."""
_MADE = re.compile(
    r'\d([.,]\d+)?[eE]\+\d+|="[^"]*"|Err:\d+'
    r"|#(N/[AD]|NV|#+|[¡¿]?[A-ZÁÉÍÓÚÄÖÜ0/]+[!?]|Loading\.\.\.)"
)
"""What spreadsheets make of long telephone numbers, of texts, and of formulas with a fault."""
_DIGITS = {"mobile", "telephone", "code", "imei", "serial"}
_WORTH = {"creditlimit", "latitude", "longitude"}
"""Fields of numbers that the specification has as texts."""
_FLOAT = re.compile(r"\d+\.0")
"""What data frames make of such ``_DIGITS`` where a cell is empty."""
_COMMA = re.compile(r"-?(\d+|\d{1,3}(\.\d{3})+),\d+")
_POINT = re.compile(r"-?\d+\.\d+")
_THOUSANDS = re.compile(r"-?[1-9]\d{0,2}((\.\d{3})+|(,\d{3})+)")
_OWN = {"id", "file"}


@dataclass
class FileRows:
    """Rows of a file, the name of each ("line 7"), and what is wrong with the others."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    where: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def read_rows(path: Path, resource: str, op: str, key: str | None = None) -> FileRows:
    """Rows of a file for one operation; ``key`` may name a column more.
    :class:`InputRefused` if nothing of it can be read."""
    text, kind, found = _text(path), path.suffix.lower(), FileRows()
    if kind not in (".csv", ".jsonl"):
        told = "must be a .jsonl or .csv file; a spreadsheet saves a sheet as CSV (UTF-8)"
        raise InputRefused([f"{path}: {told}"])
    is_csv = kind == ".csv"
    for line, row in _csv(path, text, resource, op, key) if is_csv else _json_lines(text):
        if isinstance(row, dict):
            found.rows.append(row)
            found.where.append(f"line {line}")
        else:
            found.faults.append(f"line {line}: {row}")
    if len(found.rows) > MOST_ROWS:
        raise InputRefused([f"{path}: has more than {MOST_ROWS} rows; split it"])
    if is_csv:
        _read_commas(found, resource, "." if _delimiter(text)[0] == "," else "")
    folder = path.resolve().parent
    for where, row in zip(found.where, found.rows, strict=True):
        if name := row.get("file"):
            # Who made the sheet may not choose among all files of who queues it.
            file = (folder / str(name)).resolve()
            row["file"] = str(file)
            if not file.is_relative_to(folder):
                found.faults.append(f"{where}: file {name} does not lie below {folder}")
    found.faults = [f"{path}: {fault}" for fault in found.faults]
    return found


def read_object(text: str, option: str = "--json") -> dict[str, Any]:
    """The object of an option."""
    try:
        return _object(text)
    except (ValueError, RecursionError) as error:
        raise InputRefused([f"{option} is no JSON object: {error}"]) from None


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputRefused([f"{path}: cannot be read ({error.strerror})"]) from None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputRefused(
            [f"{path}: line {line} is not UTF-8 text (byte {error.start}). Save it as UTF-8."]
        ) from None


def fields_of(resource: str, op: str) -> set[str]:
    """What a row may hold for an operation."""
    return _OWN | set(taken(resource, op))


Lines = Iterator[tuple[int, dict[str, Any] | str]]
"""The number of each line, and its row, or what is wrong with it."""


def _csv(path: Path, text: str, resource: str, op: str, key: str | None) -> Lines:
    if "\x00" in text:
        raise InputRefused([f"{path}: holds zero bytes, so it is no CSV text"])
    mark, above = _delimiter(text)
    file = io.StringIO(text.partition("\n")[2] if above else text, newline="")
    reader = csv.reader(file, delimiter=mark, strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        while header and not header[-1]:
            header.pop()
        if faults := _faults_of(header, resource, op, key):
            raise InputRefused([f"{path}: {fault}" for fault in faults])
        for cells in reader:
            line = reader.line_num + above
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) < len(header) or "".join(cells[len(header) :]).strip():
                yield line, f"has {len(cells)} cells, not {len(header)}"
                continue
            # Blank columns may follow.
            row = {name: cell for name, cell in zip(header, cells, strict=False) if cell.strip()}
            made = [cell for name, cell in row.items() if _is_made(name, cell.strip())]
            told = f"{made[0]} is what a program made of a value: write the value" if made else ""
            yield line, told or row
    except csv.Error as error:
        yield reader.line_num + above, str(error)


def _delimiter(text: str) -> tuple[str, int]:
    """What parts the cells, and how many lines above the header say so. No name of a field holds
    any of them, so the header tells, where the file does not say it."""
    first = text.partition("\n")[0]
    said = re.fullmatch(r"sep=([,;\t])\r?", first)
    return (said[1], 1) if said else (max(",;\t", key=first.count), 0)


def _is_made(name: str, cell: str) -> bool:
    return bool(_MADE.fullmatch(cell) or (name in _DIGITS and _FLOAT.fullmatch(cell)))


def _faults_of(header: list[str], resource: str, op: str, key: str | None) -> list[str]:
    known = fields_of(resource, op) | ({key} if key else set())
    twice = sorted({name for name in header if header.count(name) > 1})
    if not header:
        return ["has no header"]
    if "" in header:
        return [f"header: column {header.index('') + 1} has no name"]
    if twice:
        return [f"header names {', '.join(twice)} more than once"]
    if key is not None and key not in header:
        return [f"header: there is no column {key!r}, which --key names"]
    told = {name: unknown_field(resource, op, name) for name in header if name not in known}
    faults = [f"header: {name!r}: {words}" for name, words in told.items()]
    strange = [name for name, words in told.items() if words == NO_FIELD]
    if strange and not key:
        faults.append(f"If {strange[0]!r} makes a row unique, add --key {strange[0]}.")
    if strange:
        has = known - _OWN - {key} | ({"file"} if op == "upload" else set())
        has |= {"id"} if op != "create" else set()
        faults.append(f"{resource} {op} has: {', '.join(sorted(has))}")
    return faults


def _read_commas(found: FileRows, resource: str, sign: str) -> None:
    """Numbers with a decimal comma, of the whole file. Where a point or a comma may part thousands,
    another number of the file tells, or the ``sign`` of files whose cells a comma parts."""
    numeric = numeric_fields(resource) | _WORTH
    cells = [
        (where, row, name, row[name].strip())
        for where, row in zip(found.where, found.rows, strict=True)
        for name in row.keys() & numeric
    ]
    plain = [text for *_, text in cells if not _THOUSANDS.fullmatch(text)]
    if any(map(_COMMA.fullmatch, plain)):
        sign = ","
    elif any(map(_POINT.fullmatch, plain)):
        sign = "."
    for where, row, name, text in cells:
        if _THOUSANDS.fullmatch(text) and (sign or " ") not in text:
            whole = re.sub("[.,]", "", text)
            found.faults.append(f"{where}: {name}: {text} may be {whole} or a part of it")
        elif _COMMA.fullmatch(text):
            row[name] = text.replace(".", "").replace(",", ".")


def _json_lines(text: str) -> Lines:
    # Only line feeds end a line: JSON text may hold the other separators that splitlines knows.
    for number, line in enumerate(text.split("\n"), 1):
        try:
            if line.strip():
                yield number, _object(line)
        except (ValueError, RecursionError) as error:
            yield number, f"no JSON object: {error}"


def _object(text: str) -> dict[str, Any]:
    """An object of fields and values; numbers keep their digits."""
    found = json.loads(text, parse_float=Decimal, object_pairs_hook=_no_twice)
    if not isinstance(found, dict):
        raise ValueError("must be an object of field names and values")
    return found


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a field is named twice")
    return found
