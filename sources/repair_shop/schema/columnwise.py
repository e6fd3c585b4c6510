"""Rows of one level -> columns of values, by a plan for each shape of row.

Where a field goes depends on the names and kinds of all fields of its row, not on what they say. So
it is worked out once for each shape, by taking a specimen apart with
:class:`~repair_shop.schema.clean.Split`, and done for all rows of that shape together. A row that
no plan fits is taken apart by itself, by the same class.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ..schema.clean import DEEPEST, Split, is_rows
from ..schema.names import snake_case
from ..schema.shapes import Shape
from ..schema.values import EMPTY

Row = Mapping[Any, Any]
_Kinds = tuple[tuple[int, Any], ...]
"""(number of a field, kind of its value) of fields whose kind decides where values go."""
_Cell = tuple[int, ...]
"""Number of a field; of a field in an object first that of the object."""

_SCALAR, _NOTHING, _ONE_ROW, _ROWS = range(4)


@dataclass
class Columns:
    """Rows taken apart, in the order of ``order``."""

    order: list[int] = field(default_factory=list)
    """The row's place among the rows given, for each place here."""
    flat: dict[str, list[Any]] = field(default_factory=dict)
    """Column -> values as the service said them, None where a row has none."""
    nested: dict[str, list[tuple[int, Any]]] = field(default_factory=dict)
    """Nested list -> (place, the list as the service said it)."""
    beyond: dict[int, dict[str, str]] = field(default_factory=dict)
    """Place -> fields that become no column."""

    def _column(self, name: str) -> list[Any]:
        column = self.flat.setdefault(name, [])
        column.extend([None] * (len(self.order) - len(column)))
        return column

    def add(
        self,
        places: Sequence[int],
        flat: Mapping[str, Sequence[Any]],
        nested: Mapping[str, Sequence[Any]],
    ) -> None:
        """Add rows: column -> their values, nested list -> theirs."""
        for name, values in flat.items():
            self._column(name).extend(values)
        for name, values in nested.items():
            self.nested.setdefault(name, []).extend(enumerate(values, len(self.order)))
        self.order.extend(places)

    def add_alone(self, place: int, split: Split) -> None:
        """Add one row that was taken apart by itself."""
        if split.beyond:
            self.beyond[len(self.order)] = split.beyond
        self.add(
            (place,),
            {name: (value,) for name, value in split.flat.items()},
            {name: (value,) for name, value in split.nested.items()},
        )

    def end(self) -> None:
        """Fill all columns up to the last row."""
        for name in self.flat:
            self._column(name)


def take_apart(rows: Sequence[Row], shape: Shape, lists_left: int) -> Columns:
    """Columns of rows of any shapes; ``lists_left`` as :class:`~repair_shop.schema.clean.Split`."""
    found = Columns()
    by_fields: dict[tuple[str, ...], list[int]] = {}
    for place, row in enumerate(rows):
        by_fields.setdefault(tuple(row), []).append(place)
    for fields, places in by_fields.items():
        columns = list(zip(*(rows[place].values() for place in places), strict=True))
        for kinds, members in _by_kinds(_roles(shape, fields), columns, len(places)):
            plan = _plan(shape, lists_left, fields, kinds)
            alone = members if plan is None else _add(found, plan, columns, places, members)
            for member in alone:
                place = places[member]
                found.add_alone(place, Split(rows[place], shape, lists_left))
    found.end()
    return found


def _add(
    found: Columns,
    plan: "_Plan",
    columns: Sequence[Sequence[Any]],
    places: Sequence[int],
    members: Sequence[int],
) -> Sequence[int]:
    """Add the members that the plan fits; the others are given back."""
    if len(members) < len(places):
        columns = [[column[m] for m in members] for column in columns]
    cells = plan.cells(columns)
    misfits = plan.misfits(cells)
    kept = [m for m in range(len(members)) if m not in misfits]
    if misfits:
        cells = {cell: [values[m] for m in kept] for cell, values in cells.items()}
    found.add(
        [places[members[m]] for m in kept],
        {name: cells[cell] for name, cell in plan.flat.items()},
        {name: cells[cell] for name, cell in plan.nested.items()},
    )
    return [members[m] for m in sorted(misfits)]


# -- shapes of rows -----------------------------------------------------------------------------


@lru_cache(maxsize=1000)
def _roles(shape: Shape, fields: tuple[str, ...]) -> tuple[str, ...]:
    """For each field: ``child`` (any value will do), ``reference`` or ``other``."""
    names = [snake_case(name) for name in fields]
    return tuple(
        "child" if n in shape.children else "reference" if n in shape.references else "other"
        for n in names
    )


def _by_kinds(
    roles: Sequence[str], columns: Sequence[Sequence[Any]], count: int
) -> Iterator[tuple[_Kinds, Sequence[int]]]:
    """Rows of equal fields by the kinds of their values: (kinds, members)."""
    deciding: list[int] = []
    kinds: list[list[Any]] = []
    for number, column in enumerate(columns):
        role = roles[number]
        if role == "reference":
            kinds.append([_fields(v) if type(v) is dict else _kind_of_reference(v) for v in column])
        elif role == "other" and not {dict, list}.isdisjoint(map(type, column)):
            kinds.append([_fields(v) if type(v) is dict else _kind(v) for v in column])
        else:
            continue
        deciding.append(number)
    if not deciding:
        yield (), range(count)
        return
    groups: dict[tuple[Any, ...], list[int]] = {}
    for member, of_row in enumerate(zip(*kinds, strict=True)):
        groups.setdefault(of_row, []).append(member)
    for of_rows, members in groups.items():
        yield tuple(zip(deciding, of_rows, strict=True)), members


def _fields(value: Row, left: int = DEEPEST) -> tuple[Any, ...]:
    """What decides where an object's values go: its names, with the names of objects in it."""
    if not left or dict not in map(type, value.values()):
        return tuple(value)
    return tuple((k, _fields(v, left - 1)) if type(v) is dict else k for k, v in value.items())


def _kind_of_reference(value: Any) -> Any:
    if type(value) is list and value:
        return _kind(value)
    return _NOTHING if value in EMPTY else _SCALAR


def _kind(value: Any) -> int:
    """What decides where a value goes that is no object; of an object that is its fields."""
    if type(value) is not list or not is_rows(value):
        return _SCALAR
    return _ROWS if len(value) > 1 else _ONE_ROW


# -- plans --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Plan:
    """Where the values of rows of one shape go."""

    flat: Mapping[str, _Cell]
    nested: Mapping[str, _Cell]
    objects: tuple[_Cell, ...]
    """Fields that are objects, whose fields are cells of their own; outer ones first."""
    guards: tuple[tuple[_Cell, tuple[_Cell, ...]], ...]
    """A column and its aliases: a row where the first says nothing and another does, is another."""

    def cells(self, columns: Sequence[Sequence[Any]]) -> dict[_Cell, Sequence[Any]]:
        """The values of each cell."""
        found: dict[_Cell, Sequence[Any]] = {(n,): c for n, c in enumerate(columns)}
        for cell in self.objects:
            inner = zip(*(value.values() for value in found[cell]), strict=True)
            found |= {(*cell, place): values for place, values in enumerate(inner)}
        for cell in set(self.flat.values()):
            if list in set(map(type, found[cell])):
                found[cell] = [None if value == [] else value for value in found[cell]]
        return found

    def misfits(self, cells: Mapping[_Cell, Sequence[Any]]) -> set[int]:
        """The rows that only look alike: columns empty beside an alias."""
        found: set[int] = set()
        for first, others in self.guards:
            if None in cells[first] or "" in cells[first]:
                found |= {
                    m
                    for m, value in enumerate(cells[first])
                    if value in EMPTY and any(cells[other][m] not in EMPTY for other in others)
                }
        return found


class _Leaf:
    """Stands for any value that says something and is no object and no list of objects."""


def _specimen(kind: Any) -> Any:
    if isinstance(kind, tuple):
        inner = (name if isinstance(name, tuple) else (name, _SCALAR) for name in kind)
        return {name: _specimen(of_name) for name, of_name in inner}
    made: dict[int, Any] = {_NOTHING: None, _ONE_ROW: [{}], _ROWS: [{}, {}]}
    return made[kind] if kind in made else _Leaf()


@lru_cache(maxsize=2000)
def _plan(shape: Shape, lists_left: int, fields: tuple[str, ...], kinds: _Kinds) -> _Plan | None:
    """The plan for rows of these fields and kinds; None where each goes its own way."""
    roles = _roles(shape, fields)
    of_field = dict(kinds)
    names = [snake_case(name) for name in fields]
    spelled = [shape.children[name].name for name in names if name in shape.children]
    unwrapped = any(kind == _ONE_ROW and roles[n] == "reference" for n, kind in kinds)
    if len(set(spelled)) < len(spelled) or unwrapped:
        return None
    row = {name: _specimen(of_field.get(n, _SCALAR)) for n, name in enumerate(fields)}
    cells = dict(_cells(row, ()))
    cell_of = {id(value): cell for cell, value in cells.items()}
    split = Split(row, shape, lists_left, aliases=False)
    said = dict(split.flat)
    split.take_aliases()
    values = (*said.values(), *split.nested.values())
    if split.beyond or any(id(value) not in cell_of for value in values):
        return None
    guards = []
    for name, others in shape.aliases.items():
        present = [cell_of[id(said[n])] for n in (name, *others) if n in said]
        if len(present) > 1:
            guards.append((present[0], tuple(present[1:])))
    return _Plan(
        {name: cell_of[id(value)] for name, value in split.flat.items()},
        {name: cell_of[id(value)] for name, value in split.nested.items()},
        tuple(cell for cell, value in cells.items() if isinstance(value, dict) and value),
        tuple(guards),
    )


def _cells(fields: Row, above: _Cell) -> Iterator[tuple[_Cell, Any]]:
    for place, value in enumerate(fields.values()):
        yield (*above, place), value
        if isinstance(value, dict):
            yield from _cells(value, (*above, place))
