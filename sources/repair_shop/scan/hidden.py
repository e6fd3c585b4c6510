"""Rows that a list may leave out unless they are asked for: inactive products, closed leads, ...

The specification says of two lists what they hide (tickets outside the pipeline, custom fields of
categories) and is silent on the others. So once a week each list with a filter of that kind is
asked for its newest page under the filter. Rows that the bare list showed prove that it hides none
of them; else the filtered list is read whole, and its rows are kept as such that exist and that
the bare list does not show (:mod:`~repair_shop.scan.known`). Then the other nights read it from its
newest page until all rows are known.

It is asked for its oldest page from a day on as well. Where that shows other rows, lists show
recent ones alone: from then on each is asked for from that day on, and read whole once more.
"""

from ..errors import BadAnswer
from ..ledger import Page
from ..schema.endpoints import ENDPOINTS
from .known import look_up
from .outcome import SINCE_EVER, WHOLE_PAGES, Outcome, PagingBroken, bounded
from .proven import read_list
from .reading import FROM_KEY, Reading, Slice
from .upwards import read_window

RECENT_ALONE = "it showed recent rows alone, so all lists are read once more"
_FEW = 5
"""Rows that a filter shows for the first time, up to which each is looked up."""


def read_hidden(reading: Reading) -> Outcome:
    """Ask a list for what it may hide.

    Rows that were hidden and that no filter shows any longer are gone if they have no path either;
    where there is none, or it does not answer, at their second sighting.
    """
    ledger, job, known, exists = reading.ledger, reading.job, reading.known, reading.exists
    hidden_before = set(known.unlisted())
    listed = known.all_ids() - hidden_before
    out, told, shown = Outcome(), [], set[str]()
    older = job.since is None and _shows_older(reading)
    if older is True:
        ledger.set_value(job.shop, FROM_KEY, "yes")
        ledger.ask_again(job.shop, [n for one in ENDPOINTS.values() for n in one.resources])
        return Outcome(reason=RECENT_ALONE)
    if isinstance(older, str):
        told.append(f"rows before the oldest: not answered ({older})")
    for number, (name, value) in enumerate(job.endpoint.hidden):
        words, of = f"{name} {value}", Slice(f"{number}:", {name: value})
        found = _read_part(reading, of, listed, hidden_before, out)
        if isinstance(found, str):
            told.append(f"{words}: not answered ({found})")
            shown |= hidden_before  # nothing is known of them
            continue
        if found - hidden_before:  # a row that was made meanwhile is on the list's newest page
            newest = reading.pages(f"{of.name}newest:").ask("newest:1", 1, "newest")
            out.take(newest)
            found -= set(newest.ids)
        if exists is not None and len(fresh := found - hidden_before) <= _FEW:  # one may have gone
            answered, _ = look_up(exists, sorted(fresh))
            found -= {row for row, lives in answered.items() if not lives}
        shown |= found
        told.append(f"{words}: {len(found)} row(s) hidden" if found else f"{words}: none hidden")
    if job.since is not None:
        shown |= hidden_before  # the older ones were not asked for
    known.note_unlisted(shown)
    lost = sorted(hidden_before - shown)
    if exists is None:
        out.lost = frozenset(lost)
    else:
        answered, _ = look_up(exists, lost)
        out.gone = frozenset(row for row, lives in answered.items() if not lives)
        out.lost = frozenset(lost) - answered.keys()
    out.proof = "; ".join(told)
    return out


def _shows_older(reading: Reading) -> bool | str:
    """Whether a list has rows before the oldest ones that it showed, if it is asked for them; or
    why that is refused."""
    endpoint, known = reading.job.endpoint, reading.known
    rows = known.all_ids()
    first = min((day for day, _ in known.days() if day), default=None)
    if not endpoint.created_filter or len(rows) < known.least_full or first is None:
        return False  # another one of the shop tells
    try:
        older = reading.pages("from:", None, {endpoint.window[0]: SINCE_EVER})
        page = older.ask("oldest:1", 1, "oldest")
    except (BadAnswer, PagingBroken) as error:
        return str(error)
    shown = zip(page.ids, page.days, strict=True)
    return len({row for row, day in shown if day and day < first} - rows) > _FEW


def _read_part(
    reading: Reading, of: Slice, listed: set[str], hidden: set[str], out: Outcome
) -> set[str] | str:
    """The rows of a slice that the bare list does not show, or why it is refused; none is asked
    for beyond a page of which all are listed, and in most nights none beyond one of which all are
    known, where the newest come first."""
    said, full = "", reading.known.least_full
    for prefix in ("", "again:"):  # a refusal may come by chance, and would stand for a week
        try:
            first = reading.pages(f"{of.name}{prefix}first:", None, of.params)
            found, number, known = set[str](), 1, listed | hidden
            with bounded(first, out, reading.known.pages) as bound:
                page = bound.ask("newest", 1, "newest")
                if page.size >= full:  # if it is cut off, the next reading goes on behind it
                    reading.known.note_unlisted({*page.ids} - listed)
                is_brief = reading.job.since is not None and not _ends_on_newest(reading, page)
                while is_brief and page.size >= full and not known.issuperset(page.ids):
                    known, number = known.union(page.ids), number + 1
                    found |= set(page.ids)
                    page = bound.ask("newest", number, "newest")
            found |= set(page.ids)
            if not is_brief and not found <= listed and page.size >= full:
                try:
                    whole = read_list(reading.pages(f"{of.name}{prefix}", None, of.params))
                except PagingBroken:  # it may not sort
                    whole = read_window(reading.pages(f"{of.name}{prefix}up:", None, of.params))
                out.add(whole)
                found |= whole.ids
        except (BadAnswer, PagingBroken) as error:
            if isinstance(error, BadAnswer) and error.transient:
                raise
            said = str(error)
        else:
            return found - listed
    return said


def _ends_on_newest(reading: Reading, page: Page) -> bool:
    """Whether a page shows that rows come oldest first, whatever is asked: new ones are on its last
    page then. Of a list so long that a night cannot read it, that waits for a week."""
    days = [day for day in page.days if day is not None]
    is_up = bool(days) and days[0] < days[-1] and days == sorted(days)
    return is_up and reading.known.pages <= WHOLE_PAGES
