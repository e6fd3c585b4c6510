"""Pages of one scan: from the ledger if they were answered before, else from the service.

Data flow: service -> :class:`ServicePages` -> ledger. What a page's rows mean to a scan (identity,
day, digest) is worked out here; what the warehouse holds is worked out later from the stored
answer, so a load can be repeated without a request.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property, lru_cache
from http import HTTPStatus
from typing import Any
from zoneinfo import ZoneInfo

from ..errors import BadAnswer, NoRows, NotAllowed, NotFound, ValidationRefused
from ..http.client import Answer, Client
from ..http.refusals import refusal_of_nobody, words_without
from ..ledger import KEPT, Ledger, Page, Row, Scan
from ..scan.foreign import Shapes
from ..scan.known import OF_STATUS, OTHERS, KnownRows
from ..scan.outcome import PAGE_ROWS, PagingBroken
from ..scan.statuses import HALF_KEY, repair_labels, status_of
from ..scan.volatile import Volatile
from ..schema.clean import made_up_id, row_id, says_deleted, snake_case
from ..schema.dates import Order, day_in, order_of
from ..schema.endpoints import ENDPOINTS, Endpoint

PAGING_KEY = "paging"
"""Ledger key of a shop whose lists page by offset and limit (field notes, Behaviour)."""

PAST_THE_END_KEY = "past the end"
"""Ledger key of how a shop's lists refuse a page after the last: status and words, line by line."""

UNKNOWN_PATH_KEY = "no such path"
"""Ledger key of how a shop's service answers a path that it does not have: status and words."""
_NO_PATH = "/noSuchList"
_FAR = 100_000
_PLURAL = re.compile(r"(?:ie|e)?s$")
_REFUSALS = (NotFound, NoRows, ValidationRefused)
"""What a service may answer to a page after the last one, besides an empty list."""


def day_of(
    row: Mapping[str, Any], endpoint: Endpoint, zone: ZoneInfo, order: Order | None = None
) -> date | None:
    """The shop's day of the moment a list sorts and filters by; None if the row has none.

    ``order`` is that of days with slashes on its page (:func:`shown_order`).
    """
    for key in _day_fields(endpoint.table, endpoint.day_column, tuple(row)):
        day = day_in(row[key], zone, order)
        if day is not None:
            return day
    return None


def shown_order(rows: Sequence[Mapping[str, Any]], endpoint: Endpoint) -> Order | None:
    """What the days of a page show to come first, where they have slashes; None if not one."""
    shown = {
        order
        for row in rows
        for key in _day_fields(endpoint.table, endpoint.day_column, tuple(row))
        if (order := order_of(row[key]))
    }
    return shown.pop() if len(shown) == 1 else None


@lru_cache(maxsize=1000)
def _day_fields(table: str, day_column: str, fields: tuple[str, ...]) -> tuple[str, ...]:
    """Which of a row's fields may say its day, the column itself first."""
    names = {snake_case(str(key)): key for key in fields}
    ordered = [day_column, *sorted(ENDPOINTS[table].shape.aliases.get(day_column, ()))]
    return tuple(names[name] for name in ordered if name in names)


@dataclass
class ServicePages:
    """See the module. One for each part of a scan: ``prefix`` tells its requests from others'."""

    client: Client
    ledger: Ledger
    scan: Scan
    endpoint: Endpoint
    path: str
    params: Mapping[str, Any]
    prefix: str
    on_rows: Callable[[list[dict[str, Any]], Page], None]
    by_offset: bool

    def __post_init__(self) -> None:
        ledger, shop = self.ledger, self.scan.shop
        self._order: Order | None = None
        self._half = ledger.value(shop, HALF_KEY) if self.endpoint.partition else None
        self._no_record: str | None = None
        self._known = KnownRows(ledger, shop, self.scan.list)
        self._full = self._known.least_full
        self._shapes = Shapes(ledger, shop)
        self._volatile = Volatile(ledger, shop, self.scan.list)
        self._first: tuple[str, ...] = ()
        """Rows of the first page by offset."""

    def ask(self, key: str, number: int, order: str | None) -> Page:
        """See :class:`~repair_shop.scan.outcome.PageSource`. Raises what ``Client.get`` raises, and
        :class:`~repair_shop.scan.outcome.PagingBroken` where offsets are not answered as asked."""
        page = self._ask(key, number, order, self.by_offset)
        if order == "oldest":
            self._known.note_order(page)
        if self.by_offset:
            self._first = page.ids if number == 1 else self._first
            is_behind = 0 < len(self._first) < PAGE_ROWS and not {*page.ids} <= {*self._first}
            if page.size > PAGE_ROWS or is_behind:
                raise PagingBroken("it gives other pages than of the fifty rows asked for")
        return page

    def ask_by_offset(self, key: str, number: int, order: str | None) -> Page | None:
        """The page by offset and limit, or None if pages are asked so already."""
        return None if self.by_offset else self._ask(key, number, order, True)

    def detail(self, identity: str) -> Page | None:
        """One record by its own path; None when the service says that it does not exist."""
        key = f"{self.prefix}detail:{identity}"
        stored = self.ledger.page(self.scan, key)
        if stored is not None:
            return stored
        try:
            answer, row = self._record(identity)
        except NotFound:
            return None
        except BadAnswer as error:
            if isinstance(error, NotAllowed) or not self._is_no_record(error, identity):
                raise
            return None
        if says_deleted(row):
            return None
        if self._shapes.is_less(self.endpoint.table, row):
            # It tells less than the list does (specification, Customer: id, name and email).
            known = self.ledger.contents(self.scan.shop, self.scan.list, [identity])
            row = known.get(identity, {}) | row
        return self._keep(key, [row], answer.answered_at, is_of_list=False)

    def _record(self, identity: str) -> tuple[Answer, dict[str, Any]]:
        path = f"{self.endpoint.path}/{identity}"
        answer = self.client.get(path)
        row = answer.detail()
        if row_id(row, self.endpoint.table) != identity:
            raise BadAnswer(
                "the service answered another record than the one asked for",
                method="GET",
                path=path,
                status=answer.status,
            )
        return answer, row

    def _is_no_record(self, error: BadAnswer, identity: str) -> bool:
        """Whether a refusal is how this service answers for a record that nobody has.

        So it is when an id just made up is refused in the same words, and the record that was shown
        last is not. Asked once for each reader.
        """
        if self._no_record is None:
            live = self.ledger.live_ids(self.scan.shop, self.scan.list)
            shown = next((row for row in reversed(live) if row != identity), None)
            self._no_record = ""
            with suppress(BadAnswer):
                if shown is not None:
                    self._record(shown)
                self._no_record = refusal_of_nobody(self._record, identity)
        return words_without(identity, error) == self._no_record

    def _ask(self, key: str, number: int, order: str | None, by_offset: bool) -> Page:
        full_key = ("o:" if by_offset else "") + self.prefix + key
        stored = self.ledger.page(self.scan, full_key)
        if stored is not None:
            return stored
        params = dict(self.params)
        if by_offset:
            params |= {"offset": (number - 1) * PAGE_ROWS, "limit": PAGE_ROWS}
        else:
            params["page"] = number
        if order is not None:
            params["sort"] = order
        try:
            answer = self._answer(params)
            rows = answer.rows()
        except BadAnswer as error:
            is_refusal = (
                isinstance(error, _REFUSALS) or error.status >= HTTPStatus.INTERNAL_SERVER_ERROR
            )
            if isinstance(error, NotAllowed) or not is_refusal:
                raise
            self._refuse_a_records_path(error)
            is_first = number == 1 and not params.get("offset")
            if is_first and not isinstance(error, NoRows):
                if not self._is_no_rows(error, params):
                    raise
            elif not self._is_past_the_end(error, params, self._is_behind_short(full_key)):
                raise
            return self._keep(full_key, [], datetime.now(UTC))
        if self.path == self.endpoint.updated_path:
            self._refuse_names_alone(rows)
        else:
            self._volatile.learn(self._ids(rows), rows, lambda: self._answer(params).rows())
        return self._keep(full_key, rows, answer.answered_at)

    def _answer(self, params: Mapping[str, Any]) -> Answer:
        """The answer to a request for a page, asked again if it belongs to another list, or if one
        of its rows is little more than an id: for once it may be."""
        for is_second in (False, True):
            answer = self.client.get(self.path, params)
            rows = answer.rows()
            if self._shapes.are_bare(self.scan.list, rows):
                if not is_second:
                    continue
                self._refuse_ids_alone(rows)
            if not self._shapes.is_foreign(self.scan.list, rows, self._ids(rows)):
                if rows and not self._has_answered(params):
                    self.ledger.set_value(self.scan.shop, self._kind_of(params), "yes")
                return answer
        raise BadAnswer.of_read("the service answered with rows of another list", self.path)

    def _ids(self, rows: Sequence[Mapping[str, Any]]) -> list[str]:
        return [row_id(row, self.endpoint.table) or made_up_id(row) for row in rows]

    def _refuse_a_records_path(self, error: BadAnswer) -> None:
        """Raises :class:`NotFound` where a list of changes is refused as a record is that nobody
        has: without such a list, its name is taken for an id."""
        _, _, name = self.path.rpartition("/")
        if self.path == self.endpoint.updated_path and self._is_no_record(error, name):
            raise NotFound.of_read(f"{self.path} is no list", self.path) from error

    def _is_behind_short(self, full_key: str) -> bool:
        """Whether the page before one is known to be less than full: then nothing is behind it."""
        name, _, number = full_key.rpartition(":")
        before = self.ledger.page(self.scan, f"{name}:{int(number) - 1}")
        return before is not None and before.size < self._full

    def _refuse_names_alone(self, rows: list[dict[str, Any]]) -> None:
        """Raises :class:`NotFound` where a list of changes tells less than half of the fields that
        its rows are known to have: what it leaves out would stay as it was."""
        table = self.endpoint.table
        told = {row_id(row, table) or "": row.keys() for row in rows}
        known = self.ledger.contents(self.scan.shop, self.scan.list, told)
        fields = sum(map(len, known.values()))
        shown = sum(len(told[identity] & row.keys()) for identity, row in known.items())
        if 2 * shown < fields:
            raise NotFound.of_read(
                f"{self.path} tells {shown} of {fields} fields of its rows", self.path
            )

    def _refuse_ids_alone(self, rows: list[dict[str, Any]]) -> None:
        """Raises :class:`BadAnswer` where rows are ids alone and more is known of them: the other
        fields would become empty. Of a list of changes :meth:`ask` tells."""
        known = self.ledger.contents(self.scan.shop, self.scan.list, self._ids(rows))
        more = max(map(len, known.values()), default=0)
        if max(map(len, rows)) < 2 <= more and self.path != self.endpoint.updated_path:
            raise BadAnswer.of_read("the service answered with ids alone, twice", self.path)

    def _kind_of(self, params: Mapping[str, Any]) -> str:
        """Ledger key of the parameters of a request: whether rows were shown to them."""
        path = self.path if params.keys() - {"page", "sort"} else "any list"
        return f"answered:{path} {' '.join(sorted(params))}"

    def _has_answered(self, params: Mapping[str, Any]) -> bool:
        return self.ledger.value(self.scan.shop, self._kind_of(params)) is not None

    def _is_no_rows(self, error: BadAnswer, params: Mapping[str, Any]) -> bool:
        """Whether a first page is refused because the list is empty, and not for a wrong path or
        parameter.

        So it is when it reads like a page past the end and a path that nobody has reads otherwise.
        The latter is asked once for a shop. It is not where this scan has seen rows already. To
        parameters that were never answered with rows, the list is asked without any.
        """
        shop = self.scan.shop
        said = _words_of_list(self.path, error)
        began = self.scan.began_seq
        shown = self.ledger.select("has_seen", shop=shop, list=self.scan.list, since=began)
        if shown or said not in self._known_ends():
            return False
        unknown = self.ledger.value(shop, UNKNOWN_PATH_KEY)
        if unknown is None:
            try:
                self.client.get(_NO_PATH)
                unknown = "answered"
            except BadAnswer as other:
                unknown = _words_of_list(_NO_PATH, other)
            self.ledger.set_value(shop, UNKNOWN_PATH_KEY, unknown)
        if unknown in ("answered", said):
            return False
        # Of tickets either half may be empty, and the bare list shows others.
        is_taken = "status" in params or self._has_answered(params)
        return is_taken or self._refusal({}) == said

    def _known_ends(self) -> list[str]:
        """The words in which lists of this shop refused a page after the last one."""
        return (self.ledger.value(self.scan.shop, PAST_THE_END_KEY) or "").splitlines()

    def _is_past_the_end(
        self, error: BadAnswer, params: dict[str, Any], is_behind_short: bool
    ) -> bool:
        """Whether a refusal is how this service answers a page after the last one.

        It is when a page that no list has is refused in the same words, and so is this one again,
        once the first one showed rows. Asked once for a shop and wording. Where the service itself
        failed (5xx) it may take too long so deep in the list: then always, and only behind a short
        page.
        """
        said = _words_of_list(self.path, error)
        if not error.transient and said in self._known_ends():
            # The same words may be an error in passing; behind a full page there may be more.
            return is_behind_short or self._refusal(params) == said
        name, step, begin = ("offset", PAGE_ROWS, 0) if "offset" in params else ("page", 1, 1)
        far, first = params | {name: _FAR * step}, params | {name: begin}
        tries = [(far, said), *([(first, "")] if params != first else []), (params, said)]
        if any(self._refusal(asked) != expected for asked, expected in tries):
            return False
        if error.transient:
            before = self.client.get(self.path, params | {name: max(begin, params[name] - step)})
            return 0 < len(before.rows()) < self._full
        ends = "\n".join([*self._known_ends(), said])
        self.ledger.set_value(self.scan.shop, PAST_THE_END_KEY, ends)
        return True

    def _refusal(self, params: Mapping[str, Any]) -> str | None:
        """The words in which a page is refused; "" if it shows rows, None if it is empty."""
        try:
            return "" if self.client.get(self.path, params).rows() else None
        except BadAnswer as error:
            return _words_of_list(self.path, error)

    def _keep(
        self, key: str, rows: list[dict[str, Any]], answered_at: Any, *, is_of_list: bool = True
    ) -> Page:
        zone, table = self.client.shop.zone, self.endpoint.table
        self._order = shown_order(rows, self.endpoint) or self._order
        page = self.ledger.put(
            self.scan,
            key,
            [
                Row(
                    identity,
                    day_of(row, self.endpoint, zone, self._order),
                    self._volatile.digest(row),
                    row,
                    self._is_open(row),
                    self._slice_of(row, is_of_list),
                )
                for identity, row in zip(self._ids(rows), rows, strict=True)
            ],
            answered_at,
            is_of_changes=self.path == self.endpoint.updated_path,
        )
        if is_of_list:
            self._shapes.learn(table, rows)
        self.on_rows(rows, page)
        return page

    def _slice_of(self, row: Mapping[str, Any], is_of_list: bool) -> str:
        """Which slice of its list shows a row; of tickets that with its status or that without."""
        if not self.endpoint.partition:
            is_filtered = not self.params.keys().isdisjoint(dict(self.endpoint.hidden))
            return "" if is_of_list and not is_filtered else KEPT
        asked = self.params.get("statusCondition")
        if asked is None:
            asked = "EQUAL" if status_of(row, "tickets", self._labels) == self._half else ""
        return OF_STATUS if asked == "EQUAL" else OTHERS

    def _is_open(self, row: Mapping[str, Any]) -> bool:
        known = self.endpoint.open_statuses
        return bool(known) and status_of(row, self.endpoint.table, {}) in known

    @cached_property
    def _labels(self) -> Mapping[str, str]:
        return repair_labels(self.ledger, self.scan.shop)


def _words_of_list(path: str, error: BadAnswer) -> str:
    """What an error says of any list: status and words without numbers and the list's name."""
    words = error.wording.casefold()
    for part in path.strip("/").split("/"):
        stems = [_PLURAL.sub("", word) for word in snake_case(part).split("_")]
        words = re.sub(r"[\W_]*".join(map(re.escape, stems)) + r"\w*", "*", words)
    return re.sub(r"\*(?:\W?\*)+", "*", words)
