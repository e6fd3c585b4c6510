"""Reading every custom field of tickets, not only the default ones.

``GET /customFields/tickets`` answers with the default custom fields; others belong to a category
or a tab and show only when it is asked for by ``categoryId`` and ``tabId`` (specification, GET
/customFields/{type}). So with a scan of the whole list each category of the shop is asked too, and
the tabs that its answers name, or that follow on each other.
"""

from dataclasses import dataclass
from datetime import date

from ..ledger import Ledger, Scan
from ..threads import side_by_side
from . import Outcome, read_window
from .tickets import MakeReader

ASKED_AT_MOST = 60
"""Categories and tabs that one scan asks for; the others are the next weeks' turn."""
_ALIKE = 4
"""So many answers like the default one, and the service does not know the filter."""
_WIDTH = 4
"""Categories read at a time: often the last thing that a run asks, it must not wait for each."""
_TABS = ("tab_id", "tabId", "tab")


def read_custom_fields(
    ledger: Ledger, scan: Scan, reader: MakeReader, path: str, today: date
) -> Outcome:
    """The default fields, those of each category, and those of the tabs that show themselves.

    ``whole`` only if every category had its turn, so that no field of another is taken for gone.
    """
    categories = _in_turn(_categories(ledger, scan.shop), today)
    fields = _Fields(ledger, scan, reader, path, read_window(reader()))
    covered = side_by_side(fields.read_category, ("0", *categories), _WIDTH)
    return fields.outcome(sum(covered[1:]), len(categories))


@dataclass
class _Fields:
    """What one scan read so far."""

    ledger: Ledger
    scan: Scan
    reader: MakeReader
    path: str
    out: Outcome
    asked: int = 0
    alike: int = 0
    tabs: int = 0

    def __post_init__(self) -> None:
        self.defaults = frozenset(self.out.ids)
        self.shown = {"": self.defaults}

    @property
    def is_enough(self) -> bool:
        """Whether the scan's share of requests is used, or more would show nothing."""
        return self.asked >= ASKED_AT_MOST or self.alike >= _ALIKE

    def read_category(self, category: str) -> bool:
        """The fields of a category (``0``: of none) without a tab, and in each of its tabs.

        Its rows may name tabs; else the first is tried, and the one after each that has fields.
        Whether it had its turn.
        """
        if self.is_enough:
            return False
        if category != "0":
            self._ask(category, "0")
        waiting = {"1", *self._tabs_named(category)}
        done: set[str] = set()
        while (left := sorted(waiting - done)) and not self.is_enough:
            tab = left[0]
            done.add(tab)
            if self._ask(category, tab):
                self.tabs += 1
                waiting |= {str(int(tab) + 1)} if tab.isdecimal() else set()
        return True

    def _ask(self, category: str, tab: str) -> bool:
        """Whether a category and tab have fields of their own."""
        pairs = (("categoryId", category), ("tabId", tab))
        prefix = f"{category}:{tab}:"
        found = read_window(
            self.reader(prefix, None, {name: value for name, value in pairs if value != "0"})
        )
        self.shown[prefix] = frozenset(found.ids)
        own = bool(found.ids - self.defaults)
        self.alike = 0 if own or not found.ids else self.alike + 1
        self.asked += 1
        self.out.add(found)
        return own

    def _tabs_named(self, category: str) -> set[str]:
        """The tabs that the rows of a category's answers name."""
        prefix = "" if category == "0" else f"{category}:0:"
        tabs: set[str] = set()
        for row in self.ledger.contents(
            self.scan.shop, self.scan.list, self.shown[prefix]
        ).values():
            named = next((row[name] for name in _TABS if row.get(name)), None)
            named = named.get("id") if isinstance(named, dict) else named
            if isinstance(named, str | int) and not isinstance(named, bool):
                tabs.add(str(named))
        return tabs

    def outcome(self, covered: int, categories: int) -> Outcome:
        """The scan's outcome, with what it covered in words."""
        self.out.whole = self.out.whole and (covered == categories or self.alike >= _ALIKE)
        told = f"{covered} of {categories} categories, {self.tabs} tabs with fields"
        if self.alike >= _ALIKE:
            told = f"{self.asked} categories and tabs all show the default fields"
        elif covered < categories:
            told += ", the others in the weeks to come"
        self.out.proof = f"default fields: {self.out.proof}; {told}"
        return self.out


def _categories(ledger: Ledger, shop: str) -> list[str]:
    """Ids of the shop's categories that may be asked for: ``categoryId`` is numeric."""
    ids = ledger.live_ids(shop, "categories")
    return sorted((one for one in ids if one.isdecimal() and int(one)), key=int)


def _in_turn(categories: list[str], today: date) -> list[str]:
    """All categories, beginning each week where the week before may have ended."""
    if not categories:
        return []
    weeks = today.toordinal() // 7
    start = weeks * (ASKED_AT_MOST // 2) % len(categories) if len(categories) > 20 else 0
    return categories[start:] + categories[:start]
