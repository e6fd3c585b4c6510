"""Rows that a list may leave out unless they are asked for: inactive products, closed leads, ...

The specification says of two lists what they hide (tickets outside the pipeline, custom fields of
categories) and is silent on the others. So once a week each list with a filter of that kind is
asked for its newest page under the filter. Rows that the bare list showed prove that it hides none
of them; else the filtered list is read whole, and its rows are kept as such that exist and that
the bare list does not show (:mod:`~repair_shop.scan.known`).
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import BadAnswer
from ..ledger import Ledger
from .jobs import Job
from .known import KnownRows
from .outcome import PAGE_ROWS, NeverEnds, Outcome, PagingBroken
from .proven import read_list
from .tickets import MakeReader


def read_hidden(
    ledger: Ledger, job: Job, reader: MakeReader, exists: Callable[[str], bool] | None
) -> Outcome:
    """Ask a list for what it may hide. ``exists`` looks a row up by its own path.

    Rows that were hidden and that no filter shows any longer are gone if they have no path either.
    """
    known = KnownRows(ledger, job.shop, job.resource)
    hidden_before = set(known.unlisted())
    listed = known.all_ids() - hidden_before
    out, told, shown = Outcome(), [], set[str]()
    for number, (name, value) in enumerate(job.endpoint.hidden):
        words = f"{name} {value}"
        try:
            found = _read_part(reader, f"{number}:", {name: value}, listed, out)
        except (BadAnswer, PagingBroken) as error:
            if isinstance(error, BadAnswer) and error.transient:
                raise
            told.append(f"{words}: not answered ({error})")
            shown |= hidden_before  # nothing is known of them
            continue
        shown |= found
        told.append(f"{words}: {len(found)} row(s) hidden" if found else f"{words}: none hidden")
    lost = sorted(hidden_before - shown)
    if exists is not None and not out.reason:
        out.gone = frozenset(row for row in lost if not exists(row))
    known.note_unlisted(shown)
    out.proof = "; ".join(told)
    return out


def _read_part(
    reader: MakeReader, prefix: str, params: dict[str, str], listed: set[str], out: Outcome
) -> set[str]:
    """The rows under a filter that the bare list does not show; none is asked for beyond a page
    of which all are listed."""
    page = reader(f"{prefix}first:", None, params).ask("newest:1", 1, "newest")
    out.take(page)
    found = set(page.ids)
    if not found <= listed and page.size >= PAGE_ROWS:
        try:
            whole = read_list(reader(prefix, None, params))
        except NeverEnds as error:
            whole = Outcome(reason=str(error))
        out.pages += whole.pages
        out.reason = out.reason or whole.reason
        found |= whole.ids
    out.ids |= found
    return found - listed
