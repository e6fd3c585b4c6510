"""The shape of a table: columns, references, nested lists; what the columns are written in.

Kinds of a column: ``text``; ``amount`` DECIMAL(28,4), money and prices; ``number`` DECIMAL(28,4),
quantities and percentages; ``flag`` BOOLEAN; ``moment`` ISO 8601 text as the
service said it, in one spelling (an offset only if the service gave one; staging makes it a time).
A reference such as ``customer`` is flattened to ``customer__id``, ``customer__name`` ...
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, cast

Kind = Literal["text", "amount", "number", "flag", "moment"]

LISTS = Path(__file__).with_name("lists")
COMMON: Mapping[str, Any] = tomllib.loads((LISTS / "common.toml").read_text(encoding="utf-8"))
"""What several lists have in common."""
COMMON_ALIASES: Mapping[str, tuple[str, ...]] = {
    name: tuple(others.split()) for name, others in COMMON["aliases"].items()
}
"""Names under which a column of that name is also looked for, in every table."""


@dataclass(frozen=True)
class Reference:
    """An object that names another record, e.g. ``customer {id, name}``.

    A service that answers plain text where the object belongs says it in ``scalar``, or its ``id``
    where that is what it is. ``is_word``: that a bare number is its word, too (a model 11).
    """

    name: str
    fields: tuple[str, ...]
    scalar: str = "label"
    aliases: tuple[str, ...] = ()
    called: str = ""
    """In words, where the name does not say it: ``member of staff``."""
    is_word: bool = False


@dataclass(frozen=True)
class Child:
    """A nested list, loaded as the child table ``<parent>__<name>``."""

    name: str
    table: "Table"
    aliases: tuple[str, ...] = ()


class Table:
    """The declared shape of one raw table (or of one nested list), prepared for looking fields up.

    ``declared``: the columns, each as ``name:kind|other name|other name``: text where no kind is
    said, with the names of :data:`COMMON_ALIASES` where none is, or besides others after a ``+``.
    ``words``: what the views of ``staging`` are made of (``bench/staging.py``).
    """

    def __init__(
        self,
        declared: str = "",
        references: tuple[Reference, ...] = (),
        children: tuple[Child, ...] = (),
        words: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        self.references, self.children, self.words = references, children, words
        self.kinds: dict[str, Kind] = {}
        """Column name in the warehouse -> kind, references flattened."""
        self.aliases: dict[str, tuple[str, ...]] = {}
        for word in declared.split():
            first, *others = word.split("|")
            name, _, kind = first.partition(":")
            common = COMMON_ALIASES.get(name, ())
            if others and others[0].startswith("+"):
                others = [*common, others[0][1:], *others[1:]]
            self.kinds[name] = cast("Kind", kind or "text")
            self.aliases[name] = tuple(others) or common
        self.reference_of = {
            name: reference
            for reference in references
            for name in (reference.name, *reference.aliases)
        }
        self.objects = {*self.reference_of}
        """Fields of which each part is a column."""
        # A service may say customer_id and customer_name where others nest an object.
        for reference in references:
            for part in reference.fields:
                name = f"{reference.name}__{part}"
                self.kinds[name] = "text"
                others = [
                    part if part.startswith(f"{named}_") else f"{named}_{part}"
                    for named in (reference.name, *reference.aliases)
                ]
                self.aliases[name] = (*COMMON_ALIASES.get(name, ()), *others)
        # A declared column is never taken for another one's alias.
        self.aliases = {
            name: kept
            for name, others in self.aliases.items()
            if (kept := tuple(other for other in others if other not in self.kinds))
        }
        columns = {*self.kinds, *(other for others in self.aliases.values() for other in others)}
        self.objects |= {name.partition("__")[0] for name in columns if "__" in name}
        self.spelled = frozenset(columns)
        """The columns, and their other names."""
        self.fields = frozenset({*columns, *self.objects, *(child.name for child in children)})
        """Fields that rows are known to have: columns, references, nested lists."""
