"""The tables of the service's specification, read out of its Markdown."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PLACE = Path("shared/service/specification.md")
PATH = next((up / _PLACE for up in ROOT.parents if (up / _PLACE).is_file()), None)
"""The document beside the repository, or beside a folder above it; None where there is none."""
_FORMAT = re.compile(r"dd-mmm-yyyy(?: hh:mm(?::ss)?)?", re.IGNORECASE)


def tables(text):
    """Every table: the nearest heading, the paragraph before it, and its rows as dictionaries."""
    heading, before, found, head = "", "", [], None
    for line in text.splitlines():
        if line.startswith("#"):
            heading, before, head = line.strip("# "), "", None
        elif not line.startswith("|"):
            before, head = (line or before), None
        else:
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if head is None:
                head = cells
                found.append((heading, before, []))
            elif set(line) - set("|- "):
                found[-1][2].append(dict(zip(head, cells, strict=True)))
    return found


def bodies(text):
    """Heading of a body -> its rows, of tables and of the prose that stands for some."""
    found = {}
    for heading, before, rows in tables(text):
        if rows and "Field" in rows[0]:
            title = before if before.startswith("Ticket item line") else heading
            found[title.partition(" (")[0]] = {row["Field"]: row for row in rows}
    serial = re.search(r"PUT /serials/\{serialId\} fields: (.*)\.", text)[1]
    found["Serial"] = _prose(serial)
    found["Payment line"] = _prose(re.search(r"Payment line: (.*)\.", text)[1])
    elements = found["Stock adjustment"]["products"]["Notes"].removeprefix("elements: ")
    found["products"] = {name: {"Notes": note} for name, note in _names(elements)}
    for name, listed in re.findall(r"^- (\w+): elements (.*)\.$", text, re.MULTILINE):
        found[name] = {one: {"Notes": ""} for one, _ in _names(listed)}
        found["Stock adjustment"][name] = {"Type": "array", "Notes": ""}
    return found


def _names(text):
    return re.findall(r"(\w+)(?: \(([^)]*)\))?(?:, |$)", text)


def _prose(text):
    parts = re.findall(r"(\w+) \((\w+),? ?([^)]*)\)", text)
    return {name: {"Type": kind, "Notes": note} for name, kind, note in parts}


def facts(row):
    """What a row says of its field, as :class:`specification.Field` has it."""
    notes = row.get("Notes", "")
    said = {
        "required": "required" in (row.get("Create"), notes.partition(";")[0])
        or row.get("Required") == "yes"
        or notes.startswith(("required on create", "required,")),
        "only": "create" if "create only" in notes else None,
        "format": tuple(
            dict.fromkeys(one.lower().replace("hh", "HH") for one in _FORMAT.findall(notes))
        ),
        "most": _number(r"max (\d+) characters", notes),
        "above": _number(r"greater than (\d+)", notes),
        "below": _number(r"less than (\d+)", notes),
        "at_least": 0 if "zero or positive" in notes else None,
        "default": _default(notes),
    }
    return said | ({"type": row["Type"]} if "Type" in row else {})


def _number(pattern, notes):
    found = re.search(pattern, notes)
    return int(found[1]) if found else None


def _default(notes):
    found = re.search(r"[Dd]efault (\w+)", notes)
    words = {"empty": "", "false": False, "true": True}
    if found is None:
        return None
    return int(found[1]) if found[1].isdecimal() else words.get(found[1], found[1])


def operations(text):
    """(method, path) -> the cell of its parameters."""
    found = {}
    for _, _, rows in tables(text):
        for row in rows if rows and "Method" in rows[0] else ():
            for path in re.findall(r"/[^, ]+", row["Path"]):
                for method in row["Method"].split(", "):
                    found[method, path] = row["Parameters / body"]
    return found


_COMMON = ("page", "sort", "searchKeyword", "createdDateFrom", "createdDateTo")
_NOT_NAMED = re.compile(r"^(GET filters|GET|list filters|parameters)?:? ?|^common parameters plus ")


def parameters(cell):
    """The parameters that a cell names; without any, the common ones of every list."""
    cell = re.sub(r"^type is .*?; ", "", re.split(r"; (?:POST|category)", cell)[0])
    plain = re.sub(r" \([^)]*\)", "", cell)
    if re.match(r"(POST|PUT|returns|one |also )", plain) or not plain:
        return set(_COMMON)
    named = {_NOT_NAMED.sub("", one.strip()) for one in plain.split(",")}
    found = set(_COMMON) if plain.startswith("list filters") or "common" in plain else set()
    found |= set(_COMMON) if plain.startswith("GET filters") else set()
    for one in named - {"common parameters", "common parameters for the list", ""}:
        base = one.removeprefix("common parameters plus ")
        pair = base.removesuffix("/To")
        found |= {base} if pair == base else {pair, pair.removesuffix("From") + "To"}
    return found
