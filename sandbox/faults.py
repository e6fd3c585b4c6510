"""Faults on demand, for tests: what the wire and the shop's staff do at the worst moment.

server.faults.next("truncated_json")               # the next answer is cut off
server.faults.next("empty_list", path="/tickets", skip=1)
server.faults.next("drop_answer_after_commit", method="POST", times=3)
server.faults.next("answer_after", status=200, content={"id": 7, "error": "Locked"})
server.faults.after(2, lambda: server.store("main").delete("tickets", some_id))
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

FaultKind = Literal[
    "reset",  # connection reset before the request is worked on
    "truncated_json",  # half of the JSON, as if that were all
    "truncated_body",  # announces the whole body, sends half of it, then resets
    "html_502",  # a proxy's page
    "error_under_200",  # the specification's error body with status 200
    "xml_despite_json",  # XML although JSON was asked for
    "empty_list",  # an empty list where there are rows
    "drop_answer_after_commit",  # the request is worked on, the answer lost
    "http_500_before",  # refused before anything was changed
    "http_500_after",  # applied, but answered as an error
    "rate_error",  # a rate error out of turn, as another client of the key causes
    "not_found",  # 404 for something that exists
    "no_right",  # 403: the key works, but not for this
    "answer_before",  # not worked on, and answered with ``status``, ``content`` and ``headers``
    "answer_after",  # worked on, and answered so
]


@dataclass
class Fault:
    """One planned fault: what, for which requests, how many times.

    A ``hook`` spoils nothing: its ``content`` is called when its last time has come.
    """

    kind: FaultKind | Literal["hook"]
    shop: str | None = None
    method: str | None = None
    path: str | None = None
    """The beginning of the path below the base address, such as ``/tickets``."""
    times: int = 1
    skip: int = 0
    status: int = 200
    """This and what follows are of ``answer_before`` and ``answer_after``."""
    content: Any = None
    """JSON to answer with, or what makes it of the proper answer's (``answer_after``)."""
    headers: Mapping[str, str] = field(default_factory=dict)

    def counts(self, shop: str, path: str, method: str | None = None) -> bool:
        """Whether it is meant for this request, which it then counts, and none is to be skipped."""
        is_meant = self.shop in (None, shop) and self.method in (None, method)
        if not is_meant or not path.startswith(self.path or ""):
            return False
        if self.skip > 0:
            self.skip -= 1
            return False
        self.times -= 1
        return True


class Faults:
    """Planned faults and hooks of one server; safe to call from any thread."""

    def __init__(self) -> None:
        self._planned: list[Fault] = []
        self._hooks: list[Fault] = []
        self._lock = threading.Lock()

    def next(self, kind: FaultKind, **how: Any) -> None:
        """Plan a :class:`Fault` for the next ``times`` fitting requests, after ``skip`` others.

        Raises:
            ValueError: there is no such kind.
        """
        if kind not in get_args(FaultKind):
            raise ValueError(f"no fault {kind!r}; there are {', '.join(get_args(FaultKind))}")
        with self._lock:
            self._planned.append(Fault(kind, **how))

    def after(
        self, answers: int, call: Callable[[], None], *, shop: str | None = None, path: str = ""
    ) -> None:
        """Run ``call`` once the ``answers``-th fitting answer is made, before it is sent."""
        if answers < 1:
            raise ValueError("after(1, ...) is the earliest")
        with self._lock:
            self._hooks.append(Fault("hook", shop, path=path, times=answers, content=call))

    def clear(self) -> None:
        """Forget everything planned."""
        with self._lock:
            self._planned.clear()
            self._hooks.clear()

    def take(self, shop: str, method: str, path: str) -> Fault | None:
        """Give the fault for this request, if one is planned, and count it."""
        with self._lock:
            found = next((one for one in self._planned if one.counts(shop, path, method)), None)
            self._planned = [one for one in self._planned if one.times > 0]
        return found

    def answered(self, shop: str, path: str) -> list[Callable[[], None]]:
        """Count one answer; gives the hooks that are due."""
        with self._lock:
            counted = [hook for hook in self._hooks if hook.counts(shop, path)]
            self._hooks = [hook for hook in self._hooks if hook.times > 0]
        return [hook.content for hook in counted if not hook.times]
