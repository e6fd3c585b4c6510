"""Rows that a list may leave out unless they are asked for: inactive products, closed leads, ...

The specification says of two lists what they hide (tickets outside the pipeline, custom fields of
categories) and is silent on the others. So once a week each list with a filter of that kind is
asked for its newest page under the filter. Rows that the bare list showed prove that it hides none
of them; else the filtered list is read whole, and its rows are kept as such that exist and that
the bare list does not show (:mod:`~repair_shop.scan.known`). A filter is not asked for where the
bare list, read whole in this run, showed such rows among its old and its new ones (:class:`Shown`).
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any

from ..errors import BadAnswer
from ..ledger import Ledger, Page
from ..schema.dates import day_in
from ..schema.endpoints import Endpoint
from ..schema.names import snake_case
from .jobs import Job
from .known import KnownRows
from .outcome import Outcome, PagingBroken
from .proven import read_list
from .tickets import MakeReader


class Shown:
    """What the lists of a run showed: of the rows that bare ones may hide, and how many on a page
    (``longest``, of those asked for by number)."""

    def __init__(self) -> None:
        self.longest = 0
        # Table -> days of its rows, by id, as a page may be read twice.
        self._days: dict[str, dict[str, date]] = defaultdict(dict)
        # Table and filter -> first and last day of the rows that the filter is for.
        self._spans: dict[tuple[str, ...], tuple[date, date]] = {}

    def note(self, endpoint: Endpoint, rows: Sequence[Mapping[str, Any]], page: Page) -> None:
        """Take in a page that was asked for without any filter."""
        if not endpoint.hidden:
            return
        for row, identity, day in zip(rows, page.ids, page.days, strict=True):
            if day is None:
                continue
            self._days[endpoint.table][identity] = day
            for pair in endpoint.hidden:
                first, last = self._spans.get((endpoint.table, *pair), (date.max, date.min))
                if not first <= day <= last and _is_of(row, *pair):
                    self._spans[endpoint.table, *pair] = min(first, day), max(last, day)

    def throughout(self, table: str, pair: tuple[str, str], listed: int) -> bool:
        """Whether a list of so many rows was seen whole, with rows of a filter's kind in both the
        oldest and the newest third of its days: so it hides none for its kind, nor for its age.
        Rows of one day have no age.
        """
        days, span = self._days[table].values(), self._spans.get((table, *pair))
        if span is None or len(days) < listed:
            return False
        first, last = min(days), max(days)
        third = (last - first) / 3
        return first < last and span[0] <= first + third and span[1] >= last - third


def _is_of(row: Mapping[str, Any], name: str, value: str) -> bool:
    """Whether a row says of itself that a filter is for it."""
    if name == "filter":  # a payment embeds what it is for
        key = _field(value, tuple(row))
        return key is not None and bool(row[key])
    key = _field(name.removesuffix("From"), tuple(row))
    said = row[key] if key is not None else None
    if name.endswith("From"):  # of rows since a day, those of long past days may be left out
        day = day_in(said, UTC)
        return day is not None and day < datetime.now(UTC).date() - timedelta(days=2)
    if isinstance(said, Mapping):
        said = said.get("label") or said.get("name")
    text, wanted = (str(part).casefold().replace(" ", "") for part in (said, value))
    return text in (wanted, wanted + "s")


@lru_cache(maxsize=1000)
def _field(name: str, fields: tuple[str, ...]) -> str | None:
    """A row's field of that name, in whatever spelling."""
    return next((key for key in fields if snake_case(key) == snake_case(name)), None)


def read_hidden(
    ledger: Ledger,
    job: Job,
    reader: MakeReader,
    exists: Callable[[str], bool] | None,
    seen: Shown,
) -> Outcome:
    """Ask a list for what it may hide. ``exists`` looks a row up by its own path.

    Rows that were hidden and that no filter shows any longer are gone if they have no path either;
    in a list whose rows have none, at their second sighting.
    """
    known = KnownRows(ledger, job.shop, job.resource)
    hidden_before = set(known.unlisted())
    listed = known.all_ids() - hidden_before
    out, told, shown = Outcome(), [], set[str]()
    for number, (name, value) in enumerate(job.endpoint.hidden):
        words = f"{name} {value}"
        is_shown = seen.throughout(job.endpoint.table, (name, value), len(listed))
        if is_shown and not hidden_before:
            told.append(f"{words}: shown by the list itself")
            continue
        found = _read_part(reader, number, {name: value}, listed, known.least_full, out)
        if isinstance(found, str):
            told.append(f"{words}: not answered ({found})")
            shown |= hidden_before  # nothing is known of them
            continue
        shown |= found
        told.append(f"{words}: {len(found)} row(s) hidden" if found else f"{words}: none hidden")
    lost = sorted(hidden_before - shown)
    if exists is None:
        out.lost = frozenset(lost)
    elif not out.reason:
        out.gone = frozenset(row for row in lost if not exists(row))
    known.note_unlisted(shown)
    out.proof = "; ".join(told)
    return out


def _read_part(
    reader: MakeReader,
    number: int,
    params: dict[str, str],
    listed: set[str],
    full: int,
    out: Outcome,
) -> set[str] | str:
    """The rows under a filter that the bare list does not show, or why it is refused; none is asked
    for beyond a page of which all are listed."""
    said = ""
    for prefix in ("", "again:"):  # a refusal may come by chance, and would stand for a week
        try:
            page = reader(f"{number}:{prefix}first:", None, params).ask("newest:1", 1, "newest")
            out.take(page)
            found = set(page.ids)
            if not found <= listed and page.size >= full:
                whole = read_list(reader(f"{number}:{prefix}", None, params))
                out.add(whole)
                found |= whole.ids
        except (BadAnswer, PagingBroken) as error:
            if isinstance(error, BadAnswer) and error.transient:
                raise
            said = str(error)
        else:
            return found - listed
    return said
