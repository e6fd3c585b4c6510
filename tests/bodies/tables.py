"""The field tables of the specification, copied down by hand into ``tables.txt``, for tests.

One line a field: name, type, marks. Types: s text, id an id, n number, b boolean, d/m/t a date
(day, minute, second), dt day or second, when any of them, any id or label, list a list.
Marks: ``!`` required on create, ``+`` create only, ``<N`` at most N characters, ``>=0``,
``(a|b)`` one of.
"""

import re
from pathlib import Path

TABLES = {
    name: lines.split("\n")[1:]
    for name, lines in re.findall(
        r"(?m)^(\w+):((?:\n  .+)+)", Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    )
}
LISTS = {
    "tickets": [{"productCode": "A", "quantity": 1}],
    "payments": [{"amount": 10, "paymentMethod": "3"}],
    "adjustments": [{"product_id": "9", "quantity": 1, "type": "Addition"}],
}
DATES = {
    "d": "05-Jan-2026",
    "m": "05-Jan-2026 14:05",
    "t": "05-Jan-2026 14:05:09",
    "dt": "05-Jan-2026",
    "when": "05-Jan-2026",
}


class Row:
    """One line of a table."""

    def __init__(self, resource, line):
        self.resource = resource
        self.field, self.type, *rest = line.split()
        self.required = "!" in rest
        self.create_only = "+" in rest
        self.most = next((int(mark[1:]) for mark in rest if mark.startswith("<")), None)
        self.least = next((mark for mark in rest if mark in (">=0", ">0")), None)
        choices = next((mark[1:-1].split("|") for mark in rest if mark.startswith("(")), [])
        self.choices = [choice.replace("_", " ") for choice in choices]

    def __repr__(self):
        return f"{self.resource}.{self.field}"

    def good(self):
        if self.choices:
            first = self.choices[0]
            return int(first) if self.type == "n" else first
        if self.type == "list":
            return LISTS[self.resource]
        return DATES.get(self.type) or {"n": 5, "b": True}.get(self.type, "text")

    def bad(self):
        """Values that break a rule of the row."""
        if self.type == "list":
            return ["x", {}, None, 1]
        found = [None, [], {}]
        if self.type == "n":
            found += ["x", True]
        if self.type == "b":
            found += ["perhaps", 2, "Y"]
        if self.type in DATES:
            found += ["2026-01-05T00:00:00+99:99", "31-Feb-2026", "5-Jan-2026", "05-Foo-2026", "x"]
        if self.most:
            found.append("x" * (self.most + 1))
        if self.least:
            found += [-1] if self.least == ">=0" else [0, -1]
        if self.choices and self.field != "countryCode":
            found.append("neither" if self.type != "n" else 4.5)
        if self.field == "countryCode":
            found += ["GBR", "1"]
        return found


ROWS = [Row(resource, line) for resource, lines in TABLES.items() for line in lines]


def minimal(resource, op="create"):
    """A body with what is required and no more (an update: one field)."""
    rows = [row for row in ROWS if row.resource == resource]
    if op == "create":
        return {row.field: row.good() for row in rows if row.required}
    first = next(row for row in rows if not row.create_only and row.field != "mobile")
    return {first.field: first.good()}
