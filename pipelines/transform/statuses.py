"""What a shop's ticket statuses mean: which end a ticket, which only say that the work is done.

Data flow: ``raw.statuses``, the statuses of ``raw.tickets`` and of their versions, what
the service's own list of tickets showed (:mod:`repair_shop.open_statuses`), the settings ->
``ops.statuses``, which the models join. Labels are the shop's own, in its language (specification,
States and transitions), so what decides is, in this order:

1. the settings ``done_statuses``, ``cancelled_statuses`` and ``open_statuses``;
2. the service's own flag ``in_pipeline``, where it gives one;
3. the bare list of tickets, which shows only the pipeline (specification, GET /tickets): a status
   whose tickets it never shows is over;
4. the usual words of five languages (``statuses.txt``). A list may also show tickets that are
   finished, so a status it shows is not open for that reason alone.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import duckdb

from pipelines.load.tables import columns_of, write_ops
from pipelines.settings import ShopSettings, parts

Meaning = Literal["open", "done", "closed", "cancelled"]

_MOSTLY = 5
"""So many times more tickets hidden than shown, and the list only shows some that are over."""
_RANK: tuple[Meaning, ...] = get_args(Meaning)


_SAID: Mapping[str, str] = dict(
    re.findall(
        r"(?m)^([a-z ]+):((?:\n  .+)+)",
        Path(__file__).with_suffix(".txt").read_text(encoding="utf-8"),
    )
)
_MARKED = {
    meaning: [" ".join(part.split()) for part in _SAID[meaning].split(";")]
    for meaning in get_args(Meaning)
    if meaning != "open"
}
_WORDS: Mapping[Meaning, frozenset[str]] = {
    meaning: frozenset(word.removeprefix("*") for word in words)
    for meaning, words in _MARKED.items()
}
_STRONG_WORDS = frozenset(
    word[1:] for words in _MARKED.values() for word in words if word[0] == "*"
)
_NOT_YET = frozenset(_SAID["not yet"].split())


@dataclass(frozen=True)
class Evidence:
    """What is known of one status of one shop.

    ``flag`` is the service's own ``in_pipeline``. ``shown`` and ``hidden`` count the tickets in
    that status that the bare list did and did not show where it would have.
    """

    status_id: str
    label: str
    flag: bool | None = None
    shown: int = 0
    hidden: int = 0


def judge(status: Evidence, settings: Mapping[Meaning, frozenset[str]]) -> tuple[Meaning, str]:
    """What a status means, and why, in words for a person; ``settings`` holds ids and plain labels
    a person named."""
    names = {plain(status.label), plain(status.status_id)} - {""}
    for meaning, named in settings.items():
        if names & named:
            return meaning, "the settings say so"
    said = by_words(status.label, whole_label=status.shown > 0)
    over: Meaning = "cancelled" if said == "cancelled" else "closed"
    if status.flag is not None:
        if status.flag:
            done = said in ("done", "closed")
            return "done" if done else "open", "the service says: in the pipeline"
        return over, "the service says: not in the pipeline"
    if status.hidden and not status.shown:
        return over, f"the list of tickets hides all {status.hidden} looked for"
    if said != "open":
        return said, "its words"
    if status.hidden >= _MOSTLY * max(status.shown, 1):
        return "closed", f"the list hides {status.hidden}, and shows {status.shown}"
    if status.shown:
        return "open", "the list of tickets shows them, and no word says they are over"
    return "open", "nothing says that it ends a ticket"


def by_words(label: str, *, whole_label: bool = False) -> Meaning:
    """What a label says in five languages; ``whole_label`` trusts no word inside a longer one."""
    parts = [plain(part) for part in re.split(r"[/|,;+&–—]| - ", label)]
    parts = [part for part in parts if part]
    found: list[Meaning] = [_exactly(part) for part in parts]
    if found and "open" not in found:
        return max(found, key=_RANK.index)
    words = plain(label).split()
    if _exactly(" ".join(words)) != "open":
        return _exactly(" ".join(words))
    # "Anulado por el cliente" says by whom; "Por facturar" says that it is still to be done.
    begins = words[:1] and words[0] in _STRONG_WORDS & _WORDS["cancelled"]
    if begins and not _NOT_YET & set(words) - {"por"}:
        return "cancelled"
    if whole_label or not words or _NOT_YET & set(words):
        return "open"
    text = f" {' '.join(words)} "
    for meaning in ("cancelled", "closed"):
        if any(f" {word} " in text for word in _STRONG_WORDS & _WORDS[meaning]):
            return meaning
    starts = words[0] in _WORDS["done"] or " ".join(words[:2]) in _WORDS["done"]
    return "done" if starts else "open"


def _exactly(text: str) -> Meaning:
    for meaning, words in _WORDS.items():
        if text in words:
            return meaning
    return "open"


def plain(text: str) -> str:
    """A label without case, accents and punctuation: what two spellings have in common."""
    letters = unicodedata.normalize("NFKD", text.strip().lower())
    kept = "".join(char for char in letters if not unicodedata.combining(char))
    return " ".join(re.sub(r"[\W_]+", " ", kept).split())


def named_in_settings(shop: ShopSettings) -> dict[Meaning, frozenset[str]]:
    """The statuses that a shop's settings name, by what they mean."""
    named: dict[Meaning, str] = {
        "closed": shop.done_statuses,
        "cancelled": shop.cancelled_statuses,
        "open": shop.open_statuses,
    }
    return {
        meaning: frozenset(plain(part) for part in text.split(",") if plain(part))
        for meaning, text in named.items()
    }


def misnamed(
    connection: duckdb.DuckDBPyConnection, shops: Sequence[ShopSettings]
) -> Iterator[tuple[str, str, list[str]]]:
    """Shop, setting, and the names in it that no status of the shop bears."""
    for shop in shops:
        bears = "select unnest([label, label_now, status_id]) from ops.statuses where shop_id = ?"
        known = {plain(name or "") for (name,) in connection.execute(bears, [shop.name]).fetchall()}
        for setting in ("done_statuses", "cancelled_statuses", "open_statuses"):
            names = [name for name in parts(getattr(shop, setting)) if plain(name) not in known]
            if names:
                yield shop.name, setting, names


def write_statuses(connection: duckdb.DuckDBPyConnection, shops: Sequence[ShopSettings]) -> None:
    """Judge every status of every shop into ``ops.statuses``; reads ``raw`` and ``history``."""
    settings = {shop.name: named_in_settings(shop) for shop in shops}
    looked_on = dict(connection.execute("select shop_id, day from ops.pipeline_looks").fetchall())
    rows: list[dict[str, Any]] = []
    for shop, label, status in _statuses(connection):
        meaning, reason = judge(status, settings.get(shop, {}))
        said = {
            "shop_id": shop,
            "label": label,
            "meaning": meaning,
            "is_closed": meaning in ("closed", "cancelled"),
            "is_done": meaning != "open",
            "reason": reason,
            "label_now": status.label or None,
            "looked_on": looked_on.get(shop),
        }
        rows.append(vars(status) | said)
    write_ops(connection, "statuses", rows)


def _statuses(connection: duckdb.DuckDBPyConnection) -> Iterable[tuple[str, str, Evidence]]:
    """Shop, label as it stands there, and what is known of every status that a list, a ticket or an
    earlier version of one names.

    A status without a label is judged by its id's. Where tickets name their status by its id alone,
    that stands where a label would. So is one whose label the shop gave up: a ticket that nobody
    touched since bears the old one until it is read again.
    """
    named = connection.execute(
        f"""
        with listed as (
            select
                shop_id, coalesce(id, '') as status_id, coalesce(label, '') as label,
                _seen_at as read_at
            from raw.statuses
            where coalesce(lower(type), 'repair') = 'repair' and _deleted_at is null
        ),
        used as (
            select shop_id, status_id, label, max(read_at) as read_at
            from ({_used(connection)} union all from listed)
            group by all
        )
        select
            used.shop_id, used.status_id, used.label, bool_and(known.in_pipeline),
            case when used.label in (select label from listed where shop_id = used.shop_id)
                or used.read_at >= max(given.read_at) then used.label else max(given.label) end
        from used
        left join listed as given using (shop_id, status_id)
        left join raw.statuses as known
            on known.shop_id = used.shop_id
            and (known.id = used.status_id
                or (used.status_id = '' and used.label in (known.id, known.label)))
        group by used.shop_id, used.status_id, used.label, used.read_at
        order by all
        """  # noqa: S608 - our own text
    ).fetchall()
    labels = {(shop, status): now or label for shop, status, label, _, now in named if label}
    names = {
        (shop, status, label): (labels.get((shop, label)) if not status else None)
        or now
        or label
        or labels.get((shop, status), "")
        for shop, status, label, _, now in named
    }
    shown, hidden = Counter[tuple[str, str, str]](), Counter[tuple[str, str, str]]()
    for (shop, status, label), (seen, not_seen) in _sights(connection).items():
        key = shop, status, names.get((shop, status, label), label)
        shown[key] += seen
        hidden[key] += not_seen
    for shop, status, label, flag, _ in named:
        key = shop, status, names[shop, status, label]
        yield shop, label, Evidence(status, key[2], flag, shown[key], hidden[key])


def _used(connection: duckdb.DuckDBPyConnection) -> str:
    used = (
        "select shop_id, coalesce(status__id, '') as status_id, "
        "coalesce(status__label, '') as label, _seen_at as read_at from raw.tickets"
    )
    if "tickets_versions" in columns_of(connection, "history"):
        used += (
            " union all select shop_id, coalesce(status_id, ''), coalesce(status_label, ''), null "
            "from history.tickets_versions"
        )
    return used


def _sights(connection: duckdb.DuckDBPyConnection) -> dict[tuple[str, str, str], Sequence[int]]:
    """(shop, status, label) -> tickets that the bare list showed, and hid where it would show them.

    A ticket opened or changed on the day of the look or later may have had another status then.
    A list that showed nothing at all says nothing. It is worked out once for a look, from all
    tickets: later, tickets that came with days of the past, or were opened again without a word of
    when, would seem hidden.
    """
    found: dict[tuple[str, str, str], Sequence[int]] = {}
    looks = connection.execute(
        "select shop_id, day, after, before, ids from ops.pipeline_looks"
    ).fetchall()
    for shop, day, after, before, ids in looks:
        known = connection.execute(
            "select distinct status_id, label_now, shown, hidden from ops.statuses "
            "where shop_id = ? and looked_on = ? and shop_id not in (select shop_id from "
            "ops.completeness where resource = 'tickets' and kind = 'full' and not is_proven)",
            [shop, day],
        ).fetchall()
        if any(shown or hidden for *_, shown, hidden in known):
            found |= {(shop, status, label or ""): sights for status, label, *sights in known}
            continue
        values = {"ids": json.loads(ids), "shop": shop, "day": day, "after": after}
        sql = """
            select
                coalesce(status__id, ''), coalesce(status__label, ''),
                count(*) filter (where shown), count(*) filter (where not shown)
            from (
                select *, list_contains($ids, id) as shown from raw.tickets
                where shop_id = $shop and _deleted_at is null
                    and substr(created_date, 1, 10) < $day
                    and coalesce(substr(last_updated, 1, 10), '') < $day
            )
            where shown or substr(created_date, 1, 10) > $after
                or substr(created_date, 1, 10) < $before
            group by all
            """
        rows = connection.execute(sql, values | {"before": before}).fetchall()
        if any(shown for _, _, shown, _ in rows):
            found |= {
                (shop, status, label): (shown, hidden) for status, label, shown, hidden in rows
            }
    return found
