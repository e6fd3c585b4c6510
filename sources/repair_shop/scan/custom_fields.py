"""Reading custom fields: those of a type, and of tickets those of each category and tab.

``GET /customFields/tickets`` answers with the default custom fields; others belong to a category or
a tab and show only when it is asked for by ``categoryId`` and ``tabId`` (specification, GET
/customFields/{type}). Nothing says whose categories these are, nor lists them. So a weekly scan
asks for those that the settings name, then for the categories of products. Where none of these has
fields of its own, it asks for preset categories and small numbers. Tabs are those that the settings
name, or that follow on each other.

All types may stand in one list, which a service cuts into pages before it leaves the others out.
Then a short page is no end, nor is an empty one: pages are read as far as all types' fields reach.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

from ..errors import BadAnswer, NotAllowed
from ..ledger import Ledger
from ..schema.endpoints import ENDPOINTS
from ..threads import side_by_side
from .known import KnownRows
from .outcome import PAGE_ROWS, Outcome
from .reading import Reading
from .service_pages import ServicePages
from .upwards import read_window

ASKED_AT_MOST = 60
"""Categories and tabs that one scan asks for; the others are the next weeks' turn."""
GUESSED_AT_MOST = 30
"""Categories and tabs asked for besides where none of a known category has fields."""
_NUMBERS = range(1, 11)
"""The numbers tried as categories then, after the preset categories."""
_WIDTH = 4
"""Categories read at a time: often the last thing that a run asks, it must not wait for each."""
_CUT_KEY = "custom fields are cut first"
"""Ledger key of a shop whose pages are cut before other types' fields are left out."""


def read_fields(reading: Reading, *, in_categories: bool) -> Outcome:
    """All fields of a type; with ``in_categories`` those of categories and tabs too.

    ``whole`` only if every category had its turn, so that no field of another is taken for gone.
    """
    # Where nothing is known yet, other types' fields may fill the first page.
    out = _read_pages(reading, reading.pages(), max(2, reach(reading.ledger, reading.shop)))
    return _Categories(reading, out).read() if in_categories else out


def read_new_fields(reading: Reading, known: Iterable[str]) -> Outcome:
    """What a night asks for: the first page, if it shows all ``known`` rows and none can be behind.

    Else the whole list. Costs one request while all types' fields fit on a page.
    """
    first = reading.pages().ask("up:1", 1, None)
    pages = reach(reading.ledger, reading.shop)
    size = KnownRows(reading.ledger, reading.shop, "").least_full
    if pages == 1 and 0 < first.size < size and {*first.ids}.issuperset(known):
        out = Outcome(proof="the whole list", whole=True)
        out.take(first)
        return out
    return _read_pages(reading, reading.pages(), pages)


def reach(ledger: Ledger, shop: str) -> int:
    """Pages into which the service may cut the fields of all types, as far as they are known.

    Where it grew in a run, lists read before that may lack the rows of the new pages.
    """
    lists = ENDPOINTS["custom_fields"].resources
    size = KnownRows(ledger, shop, "").least_full
    return sum(ledger.live_count(shop, one) for one in lists) // size + 1


def _read_pages(reading: Reading, reader: ServicePages, pages: int) -> Outcome:
    """A list up to its empty page, and beyond it as far as ``pages``."""
    out = read_window(reader)
    if out.page_rows < PAGE_ROWS:
        out.page_rows = 0  # its pages are short for the rows of other types
    number, behind = 1, list[int]()
    while (number := number + 1) <= max(pages, (behind or [0])[-1] + 1):
        page = reader.ask(f"up:{number}", number, None)  # those read above come from the ledger
        if not out.ids.issuperset(page.ids):
            out.take(page)
            behind.append(number)
    for number in reversed(behind):
        out.take(reader.ask(f"behind:{number}", number, None))
    if behind:
        reading.ledger.set_value(reading.shop, _CUT_KEY, "yes")
        out.proof += f", and rows on page(s) {', '.join(map(str, behind))} behind it"
    return out


@dataclass
class _Categories:
    """What one scan of tickets' fields read so far; ``out``: the default ones."""

    reading: Reading
    out: Outcome
    most: int = ASKED_AT_MOST
    asked: int = 0
    with_fields: set[str] = field(default_factory=set)
    tabs: int = 0

    def __post_init__(self) -> None:
        self.defaults = frozenset(self.out.ids)
        ledger, shop = self.reading.ledger, self.reading.client.shop
        self.named = shop.categories_of_fields
        self.pages = reach(ledger, shop.name) if ledger.value(shop.name, _CUT_KEY) else 1

    def read(self) -> Outcome:
        """The categories in turn, and others where none of them has fields of its own."""
        listed = _in_turn(self._ids_of("categories"), self.reading.client.today())
        first = list(dict.fromkeys(("0", *self.named, *listed)))
        covered = sum(side_by_side(self._read_category, first, _WIDTH))
        told = f"{covered - 1} of {len(first) - 1} categories"
        if self.with_fields <= {"0"}:
            numbers = (*self._ids_of("preset_categories"), *map(str, _NUMBERS))
            guessed = [one for one in dict.fromkeys(numbers) if one not in first]
            self.most += GUESSED_AT_MOST
            tried = sum(side_by_side(self._read_category, guessed, _WIDTH))
            told += f", {tried} other number(s) tried"
        elif covered < len(first):
            told += ", the others in the weeks to come"
        self.out.whole = self.out.whole and covered == len(first)
        self.out.proof = f"default fields: {self.out.proof}; {told}, {self.tabs} tabs with fields"
        return self.out

    def _ids_of(self, table: str) -> list[str]:
        """Ids of a list that may be asked for: ``categoryId`` is numeric."""
        ids = self.reading.ledger.live_ids(self.reading.shop, table)
        return sorted((one for one in ids if one.isdecimal() and int(one)), key=int)

    def _read_category(self, category: str) -> bool:
        """The fields of a category (``0``: of none) without a tab, and in each of its tabs.

        The settings may name tabs; else the first is tried, and the one after each that has fields.
        Whether it had its turn.
        """
        if self.asked >= self.most:
            return False
        if category != "0" and self._ask(category, "0") is None:
            return True
        waiting = {"1", *self.named.get(category, ())}
        done: set[str] = set()
        while (left := sorted(waiting - done)) and self.asked < self.most:
            tab = left[0]
            done.add(tab)
            if self._ask(category, tab):
                self.tabs += 1
                waiting.add(str(int(tab) + 1))
        return waiting <= done

    def _ask(self, category: str, tab: str) -> bool | None:
        """Whether a category and tab have fields of their own; None if the service refuses them."""
        self.asked += 1
        params = {n: v for n, v in (("categoryId", category), ("tabId", tab)) if v != "0"}
        prefix = f"{category}:{tab}:"
        for again in ("", "again:"):  # a refusal may come by chance, and would stand for a week
            try:
                found = self._fields_of(f"{prefix}{again}", params)
                break
            except BadAnswer as error:
                if error.transient or isinstance(error, NotAllowed):
                    raise
        else:
            return None
        self.out.add(found)
        if found.ids <= self.defaults:
            return False
        self.with_fields.add(category)
        return True

    def _fields_of(self, prefix: str, params: dict[str, str]) -> Outcome:
        reader = self.reading.pages(prefix, None, params)
        first = reader.ask("up:1", 1, None)
        if first.size < PAGE_ROWS and self.pages == 1 and self.defaults.issuperset(first.ids):
            found = Outcome()
            found.take(first)  # the default ones, or none: nothing else is behind them
            return found
        return _read_pages(self.reading, reader, self.pages)


def _in_turn(categories: list[str], today: date) -> list[str]:
    """All categories, beginning each week where the week before may have ended."""
    if not categories:
        return []
    weeks = today.toordinal() // 7
    start = weeks * (ASKED_AT_MOST // 2) % len(categories) if len(categories) > 20 else 0
    return categories[start:] + categories[:start]
