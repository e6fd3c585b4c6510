"""Whether the figures of a page can be relied on: the seal, the banner above them, as of when."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pipelines.language import Text, shown
from pipelines.language.words import list_name
from pipelines.monitor import evidence
from pipelines.monitor.severity import Kind, Problem, Severity, worst
from pipelines.publish.errors import NothingPublished
from pipelines.publish.published import Published, published
from pipelines.reconcile.books import Books, books, differing
from pipelines.report.figures import Frozen, Words, shops

_LISTS, _DIFFERENCES = 6, 6
"""Lists in doubt that are named, and periods that differ that are shown."""


class SealState(StrEnum):
    """Whether our reports and the service's own say the same; from good to bad."""

    AGREES = "agrees"
    UNKNOWN = "unknown"
    IN_DOUBT = "in-doubt"
    """They agreed, and the figures are old, not proven, or a sync has failed since."""
    DIFFERS = "differs"


class Look(NamedTuple):
    """How a state is shown: its word, the seal's title and mark, colours, the mail's subject."""

    word: Text
    title: Text
    mark: str
    """Of the seal, as an SVG path: a tick, an unequal sign, and three dots for all else."""
    colour: str
    badge: Literal["green", "red", "orange", "gray"]
    subject: str = ""


_TICK, _UNEQUAL = "M21.5 33 l7.5 7.5 l14 -16.5", "M22 27 h20 M22 37 h20 M38 19.5 l-12 25"
_DOTS = "M20 32 h.1 M32 32 h.1 M44 32 h.1"
LOOKS = {
    SealState.AGREES: Look(Text("agree"), Text("Books agree"), _TICK, "#2e7050", "green"),
    SealState.DIFFERS: Look(
        Text("differ"), Text("Books differ"), _UNEQUAL, "#a83a2c", "red", Text("[differs]")
    ),
    SealState.IN_DOUBT: Look(
        Text("in doubt"), Text("Books in doubt"), _DOTS, "#7a6a35", "orange", Text("[in doubt]")
    ),
    SealState.UNKNOWN: Look(Text("not compared"), Text("Not compared"), _DOTS, "#7a6a35", "gray"),
}


class Seal(Frozen):
    """The comparison of every period with business that the service told its own figure for."""

    state: SealState
    compared: int
    differing: int
    differences: tuple[dict[str, Any], ...] = ()
    """The newest of them."""

    @property
    def detail(self) -> Text:
        """How many periods agree, or differ, in words that cannot be taken for the contrary."""
        if not self.compared:
            return Text("with the service's own reports")
        if self.state is SealState.UNKNOWN:
            return Text("in every shop")
        counts = {"n": self.differing or self.compared, "all": self.compared}
        if self.state is SealState.IN_DOUBT:
            return Text("though {n} of {all} periods agreed", **counts)
        return Text("in {n} of {all} periods", **counts)


class Caution(Frozen):
    """Why the figures of a page cannot be relied on; ``severity`` is never ``OK``."""

    severity: Severity
    text: Words

    @property
    def shown(self) -> str:
        """A sentence in the language at work."""
        text = shown(self.text)
        return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


class Trust(Frozen):
    """All of it, of some shops."""

    seal: Seal
    by_shop: Mapping[str, SealState]
    cautions: tuple[Caution, ...]
    """The banner, gravest first."""
    as_of: datetime | None
    """What the service changed before this moment is in the figures of all these shops."""
    source: str
    """The PostgreSQL that was read; empty: the home's own file."""
    given: datetime | None
    """Since when readers of a server have had these figures."""


def doubts(home: Path) -> list[str]:
    """Why what is published in a home cannot be relied on, in sentences; empty if it can."""
    try:
        with published(home) as warehouse:
            told = trust(warehouse, list(shops(warehouse)), datetime.now(UTC))
    except NothingPublished as error:  # without our marts, nothing says how far they go
        return [shown(error.args[0])]
    return [line.shown for line in told.cautions]


def trust(warehouse: Published, names: Sequence[str], now: datetime) -> Trust:
    """How far the published figures of these shops go at ``now``."""
    compared = books(warehouse, names)
    proof = evidence.published(warehouse, names, now, compared)
    found = proof.problems(names)
    return Trust(
        seal=_seal(warehouse, names, compared, found),
        by_shop={name: _state([name], compared, proof.problems([name])) for name in names},
        cautions=_cautions(found, many_shops=len(names) > 1),
        as_of=proof.as_of(names),
        source=warehouse.server,
        given=evidence.given(warehouse),
    )


def _state(
    names: Sequence[str], compared: Mapping[str, Books], problems: Sequence[Problem]
) -> SealState:
    if any(compared[name].differing for name in names if name in compared):
        return SealState.DIFFERS
    if not set(names) <= set(compared):
        # A shop nobody compared is no shop that agrees.
        return SealState.UNKNOWN
    return SealState.IN_DOUBT if worst(problems) else SealState.AGREES


def _seal(
    warehouse: Published,
    names: Sequence[str],
    compared: Mapping[str, Books],
    problems: Sequence[Problem],
) -> Seal:
    state = _state(names, compared, problems)
    rows = differing(warehouse, names, _DIFFERENCES) if state is SealState.DIFFERS else []
    return Seal(
        state=state,
        compared=sum(shop.compared for shop in compared.values()),
        differing=sum(shop.differing for shop in compared.values()),
        differences=tuple(rows),
    )


_IN_DOUBT = {
    False: Text("Not proven complete at the last sync: {lists}."),
    True: Text(
        "Rows that the service no longer shows still count here until it is certain that they are "
        "gone: {lists}."
    ),
}
"""Whether rows vanished -> what is said of the lists in doubt for it."""


def _cautions(problems: Sequence[Problem], *, many_shops: bool) -> tuple[Caution, ...]:
    """A line for each problem, lists in doubt for the same together in one."""
    lines = [
        Caution(
            severity=problem.kind.severity,
            text=Text("{shop}: {text}", shop=problem.shop, text=problem.text)
            if many_shops and problem.shop
            else problem.text,
        )
        for problem in problems
        if not problem.resource
    ]
    for vanished, sentence in _IN_DOUBT.items():
        lists = [p for p in problems if p.resource and (p.kind is Kind.VANISHED) is vanished]
        pairs = sorted({(p.resource, p.shop if many_shops else "") for p in lists})
        names = [
            Text("{list} ({shop})", list=list_name(name), shop=shop) if shop else list_name(name)
            for name, shop in pairs[:_LISTS]
        ]
        if len(pairs) > _LISTS:
            names.append(Text("others"))
        if names:
            text = Text(sentence.template, lists=names)
            lines.append(Caution(severity=worst(lists), text=text))
    return tuple(sorted(lines, key=lambda line: -line.severity))
