"""Files of changes: JSON Lines and CSV -> rows and the name of each row for messages.

JSON Lines: one object a line. CSV: a header of field names, UTF-8 (with or without the mark that
spreadsheets write, or their line ``sep=;``), cells apart by comma, semicolon (spreadsheets of
countries with a decimal comma) or tab; empty cells are "not given", and so are blank columns at the
end; nested lists as JSON text in their cell.
"""

import csv
import io
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

from pipelines.bodies import BODIES, UPLOADS
from pipelines.outbox.errors import InputRefused

MOST_ROWS = 100_000
"""At 30 requests a minute that is four days of pushing; more is a mistake in the file."""
_SHORTENED = re.compile(r"\d[.,]\d+E\+\d\d")
"""What spreadsheets make of long telephone numbers and codes."""
_OWN = {"id", "_resource", "_op", "_based_on"}


def read_rows(path: Path, resource: str, op: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows of a file and their names ("line 7"); :class:`InputRefused` names what is wrong."""
    text = _text(path)
    kind = path.suffix.lower()
    if kind not in (".csv", ".jsonl", ".ndjson"):
        raise InputRefused([f"{path}: must be a .jsonl or .csv file"])
    rows = _csv(path, text, resource, op) if kind == ".csv" else _json_lines(path, text)
    if len(rows) > MOST_ROWS:
        raise InputRefused([f"{path}: has more than {MOST_ROWS} rows; split it"])
    return list(rows.values()), list(rows)


def read_object(text: str) -> dict[str, Any]:
    """The object of ``--json``."""
    try:
        return _object(text)
    except (ValueError, RecursionError) as error:
        raise InputRefused([f"--json is no JSON object: {error}"]) from None


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


def _csv(path: Path, text: str, resource: str, op: str) -> dict[str, dict[str, Any]]:
    """The name of a row -> its cells."""
    if "\x00" in text:
        raise InputRefused([f"{path}: holds zero bytes, so it is no CSV text"])
    first, _, rest = text.partition("\n")
    separated = re.fullmatch(r"sep=([,;\t])\r?", first)
    # No name of a field holds any of them, so the header tells, where the file does not say it.
    delimiter = separated[1] if separated else max(",;\t", key=first.count)
    reader = csv.reader(
        io.StringIO(rest if separated else text, newline=""), delimiter=delimiter, strict=True
    )
    above = 1 if separated else 0
    rows: dict[str, dict[str, Any]] = {}
    faults: list[str] = []
    try:
        header = _without_blank_end([name.strip() for name in next(reader, [])])
        _check_header(path, header, resource, op)
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            line = f"line {reader.line_num + above}"
            if len(cells) > len(header):
                cells = _without_blank_end(cells, len(header))
            if len(cells) != len(header):
                faults.append(f"{line}: has {len(cells)} cells, not {len(header)}")
                continue
            if short := next(filter(_SHORTENED.fullmatch, cells), None):
                faults.append(f"{line}: {short} is a number that a spreadsheet cut short")
                continue
            rows[line] = {name: cell for name, cell in zip(header, cells, strict=True) if cell}
    except csv.Error as error:
        faults.append(f"line {reader.line_num + above}: {error}")
    if faults:
        raise InputRefused([f"{path}: {fault}" for fault in faults])
    return rows


def _without_blank_end(cells: list[str], least: int = 0) -> list[str]:
    """Cells without the blank ones that spreadsheets write after the last column."""
    end = len(cells)
    while end > least and not cells[end - 1].strip():
        end -= 1
    return cells[:end]


def _check_header(path: Path, header: list[str], resource: str, op: str) -> None:
    if not any(header):
        raise InputRefused([f"{path}: has no header"])
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise InputRefused([f"{path}: header names {', '.join(twice)} more than once"])
    model = UPLOADS.get(resource) if op == "upload" else BODIES.get((resource, op))
    fields = set(model.model_fields) if model is not None else set()
    unknown = [name for name in header if name not in fields | _OWN | {"file"}]
    # With other resources or operations in the rows the header is a mixture; the rows tell.
    if unknown and not {"_resource", "_op"} & set(header):
        known = ", ".join(sorted(fields | {"id"}))
        raise InputRefused(
            [
                f"{path}: header: {resource} {op} has no field {', '.join(map(repr, unknown))}. "
                f"It has: {known}"
            ]
        )


def _json_lines(path: Path, text: str) -> dict[str, dict[str, Any]]:
    rows: dict[str, dict[str, Any]] = {}
    faults: list[str] = []
    # Only line feeds end a line: JSON text may hold the other separators that splitlines knows.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            rows[f"line {number}"] = _object(line)
        except (ValueError, RecursionError) as error:
            faults.append(f"{path}: line {number}: no JSON object: {error}")
    if faults:
        raise InputRefused(faults)
    return rows


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
