"""Rows that a list may leave out unless they are asked for: inactive products, closed leads, ...

The specification says of two lists what they hide (tickets outside the pipeline, custom fields of
categories) and is silent on the others. So once a week each list with a filter of that kind is
asked for its newest page under the filter. Rows that the bare list showed prove that it hides none
of them; else the filtered list is read whole, and its rows are kept as such that exist and that
the bare list does not show (:mod:`~repair_shop.scan.known`). A filter is not asked for where the
bare list, read whole in this run, showed such rows among its old and its new ones.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from ..errors import BadAnswer
from ..ledger import Ledger
from ..schema.dates import day_in
from ..schema.names import snake_case
from .jobs import Job
from .known import KnownRows, look_up
from .outcome import Outcome, PagingBroken
from .proven import read_list
from .slices import MakeReader, Slice

_LOOKED_AT = 1_000
"""Rows of either end of a list that are looked at for a filter's kind."""


def _is_shown(ledger: Ledger, job: Job, pair: tuple[str, str], began: int) -> bool:
    """Whether a list was seen whole since answer ``began``, and a filter's kind stands in both the
    oldest and the newest third of its days: so it hides none for its kind, nor for its age. Rows of
    one day have no age.
    """
    known, of_it = KnownRows(ledger, job.shop, job.resource), (job.shop, job.resource)
    found = known.days()
    days = [day for day, _ in found if day is not None]
    if len(days) < max(2, len(found)) or ledger.live_ids(*of_it, listed=True, before_seq=began + 1):
        return False
    first, last = min(days), max(days)
    third = (last - first) / 3
    ends = (first, first + third), (last - third, last)
    return all(
        any(_is_of(row, *pair) for row in ledger.contents(*of_it, ids[:_LOOKED_AT]).values())
        for ids in (ledger.live_ids(*of_it, listed=True, first=one, last=end) for one, end in ends)
    )


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
    began: int,
) -> Outcome:
    """Ask a list for what it may hide. ``exists`` looks a row up by its own path; ``began``: number
    of the last answer before this run.

    Rows that were hidden and that no filter shows any longer are gone if they have no path either;
    where there is none, or it does not answer, at their second sighting.
    """
    known = KnownRows(ledger, job.shop, job.resource)
    hidden_before = set(known.unlisted())
    listed = known.all_ids() - hidden_before
    out, told, shown = Outcome(), [], set[str]()
    for number, (name, value) in enumerate(job.endpoint.hidden):
        words, of = f"{name} {value}", Slice(f"{number}:", {name: value})
        if not hidden_before and _is_shown(ledger, job, (name, value), began):
            told.append(f"{words}: shown by the list itself")
            continue
        found = _read_part(reader, of, listed, known.least_full, out)
        if isinstance(found, str):
            told.append(f"{words}: not answered ({found})")
            shown |= hidden_before  # nothing is known of them
            continue
        if found - hidden_before:  # a row that was made meanwhile is on the list's newest page
            newest = reader(f"{of.name}newest:").ask("newest:1", 1, "newest")
            out.take(newest)
            found -= set(newest.ids)
        shown |= found
        told.append(f"{words}: {len(found)} row(s) hidden" if found else f"{words}: none hidden")
    known.note_unlisted(shown)
    lost = sorted(hidden_before - shown)
    if exists is None:
        out.lost = frozenset(lost)
    elif not out.reason:
        answered, _ = look_up(exists, lost)
        out.gone = frozenset(row for row, lives in answered.items() if not lives)
        out.lost = frozenset(lost) - answered.keys()
    out.proof = "; ".join(told)
    return out


def _read_part(
    reader: MakeReader, of: Slice, listed: set[str], full: int, out: Outcome
) -> set[str] | str:
    """The rows of a slice that the bare list does not show, or why it is refused; none is asked
    for beyond a page of which all are listed."""
    said = ""
    for prefix in ("", "again:"):  # a refusal may come by chance, and would stand for a week
        try:
            page = reader(f"{of.name}{prefix}first:", None, of.params).ask("newest:1", 1, "newest")
            out.take(page)
            found = set(page.ids)
            if not found <= listed and page.size >= full:
                whole = read_list(reader(f"{of.name}{prefix}", None, of.params))
                out.add(whole)
                found |= whole.ids
        except (BadAnswer, PagingBroken) as error:
            if isinstance(error, BadAnswer) and error.transient:
                raise
            said = str(error)
        else:
            return found - listed
    return said
