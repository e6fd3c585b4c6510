"""The habits of services that are not ours, and what a mirror of one may be asked to tell.

:func:`habits` draws a service, written from the specification and the field notes alone: how it
pages, sorts, filters, wraps, refuses and ends its lists, and what breaks on its way. Most have an
odd habit or some besides (``ODD``).
"""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

ZONES = ("America/Guatemala", "Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe")
USUAL: dict[str, tuple[Any, ...]] = {
    "size": (50, 50, 50, 20, 100),
    "offset": (True, True, True, False, False),
    "order": ("date", "date", "loose"),
    "past": ("[]", "[]", "null", "{}", "404", "400", "last", '{"data": null}'),
    "wrap": ("", "data", "name"),
    "stamp": ("%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S", "%d-%b-%Y %H:%M:%S"),
    "text_ids": (True, False, False),
    "closed": ("by status", "by status", "always"),
    "status": ("{}", "{}", "id", "label", "fields"),  # how a ticket names its own
    "updated": ("ok", "ok", "missing", "ignored"),
    "gone": ((404, {"error": "Not found"}), (400, {"error": "No id"}), (200, [])),
    "zone": ZONES,
    "filters_in": ("", "", "UTC"),
    "faults": (0, 0, 0.01, 0.03, 0.1),
    "day": ("2026-11-23", "2026-11-23", "2026-03-27", "2026-10-01", "2026-12-29"),
    "hour": (9, 9, 2, 16, 22),
}
"""How a service may answer. ``closed``: when it lists tickets outside the pipeline; ``day`` and
``hour``: of the first night, in UTC."""
ODD: dict[str, tuple[Any, ...]] = {
    "size": (7, 15, 20, 25, 30, 100),
    "sizes": ("mixed",),  # every other list has pages of fifty
    "page": ("ignored", "empty", "last"),  # what comes for a page above 1
    "deepest": (2, 3),  # the last page that it shows of any list
    "overlap": (1,),  # rows of a page that the next one shows again
    "ghosts": (True,),  # deleted rows have their places in pages, and are not shown
    "sort": ("newest", "oldest"),  # the order, whatever is asked
    "sort_of": ("customers", "tickets", "payments", "users"),  # a list without another order
    "order": ("ties", "id", "changed"),  # rows of a day come in another order with each answer
    "ignores": ("statusCondition", "status", "Date(From|To)"),
    "refuses": ("statusCondition", "status", "Date(From|To)", "sort", "offset", "includeResource"),
    "edges": ("exclusive",),  # of filters by day
    "closed": ("by their own status", "never"),
    "updated": ("edited", "recent", "deleted too", "first page"),
    "late": (0.3,),  # of new rows, that bear an old date
    "moves": (True,),  # half of the edits give a row another date
    "undated": (0.1, 1),  # of rows
    "stamp": ("%Y-%m-%dT%H:%M:%SZ", "mixed", "%d-%b-%Y", "%d/%m/%Y %H:%M"),
    "busy": (0.02, 0.1),  # changes at each request, while it is read
    "imports": (60,),  # rows that now and then come at once
    "shared": ("customers", "payments"),  # some of its rows have one id, and differ
    "twice": (0.05,),  # of rows, that its lists show twice
    "ids": ("#", "/", " ", "%", "é", "+", "?"),  # what stands within ids
    "reuses": (True,),  # each list counts its rows, and uses the last number again
    "restores": (True,),  # half of the deletions are undone
    "statuses": ("twins", "renamed"),
    "detail": ("never", "first", "listed", "failing", "less"),  # what a record's own path answers
    "none": (True,),  # an empty list answers as a page past the end does
    "absent": ("leads", "stock", "users", "appointments"),  # no path of this service
    "refused": ("customers", "tickets", "stock", "users", "groups"),
    "down": (
        *(("tickets/updated", 404), ("tickets", 500), ("tickets", 200), ("customers", 403)),
        *(("customers", 200), ("payments", 404), ("statuses", 404), ("statuses", 200)),
        *(("products/updated", 200), ("products", 400), ("payments", 200), ("users", 401)),
    ),  # a path, for a night
    "outage": (20, 60, 150),  # requests after which a night sees nothing but errors
    "fades": (1, 2, 3),  # requests of each list after which a night sees it empty
    "limits": (True,),  # of a hundred answers one refuses, as if it had been asked too often
    "wrap": ("wrong totals", "nested"),
}
"""Habits that no service is known for, or that contradict the specification."""


def habits() -> st.SearchStrategy[dict[str, Any]]:
    """A service's habits: of each usual one, and of up to three odd ones."""
    usual = st.fixed_dictionaries({name: st.sampled_from(all_) for name, all_ in USUAL.items()})
    names = st.lists(st.sampled_from(sorted(ODD)), max_size=3, unique=True)
    odd = names.flatmap(
        lambda names: st.fixed_dictionaries({name: st.sampled_from(ODD[name]) for name in names})
    )
    none_odd = dict.fromkeys(ODD, "")
    return st.builds(lambda usual, odd: none_odd | usual | odd, usual, odd)


WITHHELD = ("refused", "absent", "shared", "overlap", "ghosts")
"""Habits by which a service shows a list at no page, or rows at no place of their own."""


def is_unprovable(habits: Mapping[str, Any]) -> bool:
    """Whether what a service shows cannot tell that it shows all, or not in a night: a row that
    went from days in another order each time is looked for again by the next run."""
    offsets = habits["offset"] and habits["size"] == 50 and not habits["sort"]
    repeats = habits["past"] == "last"  # a full page: is it all?
    repeats &= not habits["offset"] or bool(habits["sort"] or habits["sort_of"])
    withheld = *(habits[one] for one in WITHHELD), is_blind(habits, "tickets")[0]
    odd_paths = habits["detail"] in ("never", "first", "failing")
    is_plain = habits["updated"] == "ok" and habits["closed"] in USUAL["closed"]
    refuses = habits["refuses"] not in ("", "offset", "Date(From|To)" if is_plain else "")
    is_mixed = habits["order"] == "ties" or habits["twice"]
    comes_back = habits["statuses"] and habits["updated"] == "deleted too"  # with another label
    ends_early = (habits["page"] or habits["deepest"]) and not offsets
    return any((ends_early, repeats, is_mixed, odd_paths, refuses, comes_back, *withheld))


def is_blind(habits: Mapping[str, Any], name: str) -> tuple[bool, bool]:
    """Whether some rows are shown nowhere; and deleted ones missed late, as rows of old days came
    on the same night, or as only the weekly reading shows it."""
    if name != "tickets":
        one = habits["page"] and habits["sort"] and not habits["offset"] and habits["size"] < 50
        hides = habits["ghosts"] and (habits["sort"] or habits["sort_of"])
        return bool(one or hides), bool(one or habits["late"] or habits["ghosts"])
    tells_changes = habits["updated"] in ("ok", "ignored")
    is_shut = habits["closed"] == "never" or habits["ignores"] == "status"
    hides = is_shut or habits["ignores"] == "statusCondition" or habits["closed"] in ODD["closed"]
    return not tells_changes and is_shut, bool(habits["late"] or habits["ghosts"]) or (
        not tells_changes and hides
    )


def most_requests(habits: Mapping[str, Any], night: int) -> int:
    """What a night may ask, at most: little of a service that is usual in all respects."""
    odd = [habits[name] for name in ODD if habits[name] not in USUAL.get(name, ("",))]
    if habits["size"] == 50 and habits["updated"] == "ok" and not (odd or habits["faults"]):
        return 110 if night else 190
    return 900 if habits["overlap"] else 600  # no list proves itself: each is read twice
