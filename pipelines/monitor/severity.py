"""The one table of what can be wrong with a mirror, and how grave each of it is.

A sync's verdict, ``status`` and its ``--check``, the closing report, its seal and the dashboard
name what they found by a :class:`Kind`. What follows is looked up here, so none of them calls well
what another calls a fault.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Severity(IntEnum):
    """How grave something is; the greater, the graver."""

    OK = 0
    DOUBT = 1
    """Amber: it may be right, and nobody has proven it."""
    FAULT = 2
    """Red: it is wrong, or what keeps it right does not work."""


class Kind(StrEnum):
    """What can be wrong."""

    MISCONFIGURED = "misconfigured"
    FAILED = "failed"
    UNREACHED = "unreached"
    STOPPED = "stopped"
    CUT_OFF = "cut off"
    UNPUBLISHED = "unpublished"
    UNREAD = "unread"
    UNFINISHED = "unfinished"
    UNPROVEN = "unproven"
    VANISHED = "vanished"
    UNCOUNTED = "uncounted"
    STALE = "stale"
    DIFFERS = "differs"
    REFUSED = "refused"
    JOB = "job"
    CHANGE = "change"
    CLOCK = "clock"


@dataclass(frozen=True, slots=True)
class Rule:
    """What follows from a kind.

    ``exit_code`` and ``outcome`` are those of a run that ends with it. ``spoils``: figures of the
    published warehouse are not to be relied on. ``mend``: the command that mends it or tells how;
    empty when none does.
    """

    severity: Severity
    exit_code: int
    outcome: str
    spoils: bool = True
    mend: str = "shopmirror sync"


RULES: Mapping[Kind, Rule] = {
    Kind.MISCONFIGURED: Rule(Severity.FAULT, 2, "failed", mend="shopmirror config show"),
    Kind.UNREACHED: Rule(Severity.FAULT, 3, "incomplete", mend="shopmirror doctor"),
    # On purpose: what was not read yet is told as unread or stale.
    Kind.STOPPED: Rule(Severity.OK, 4, "stopped"),
    Kind.FAILED: Rule(Severity.FAULT, 1, "failed"),
    Kind.CUT_OFF: Rule(Severity.FAULT, 1, "killed"),
    Kind.UNPUBLISHED: Rule(Severity.FAULT, 1, "failed"),
    Kind.UNREAD: Rule(Severity.DOUBT, 1, "incomplete"),
    Kind.UNFINISHED: Rule(Severity.DOUBT, 1, "incomplete"),
    Kind.UNPROVEN: Rule(Severity.DOUBT, 1, "incomplete"),
    # Rows that went at the service, or that it fails to show: the mirror keeps them meanwhile.
    Kind.VANISHED: Rule(
        Severity.DOUBT, 1, "incomplete", mend="shopmirror sync --confirm-deletions"
    ),
    Kind.UNCOUNTED: Rule(Severity.DOUBT, 1, "incomplete", mend="shopmirror doctor"),
    Kind.STALE: Rule(Severity.DOUBT, 1, "incomplete"),
    Kind.DIFFERS: Rule(Severity.FAULT, 1, "differs", mend="shopmirror reconcile --repair"),
    Kind.REFUSED: Rule(Severity.FAULT, 3, "incomplete", mend="shopmirror doctor"),
    Kind.JOB: Rule(Severity.FAULT, 1, "failed", spoils=False, mend="shopmirror schedule --run JOB"),
    Kind.CHANGE: Rule(Severity.DOUBT, 1, "differs", spoils=False, mend="shopmirror queue list"),
    Kind.CLOCK: Rule(Severity.DOUBT, 1, "incomplete", spoils=False, mend=""),
}
"""Of several kinds that a run ends with, the first one here decides."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong, in words; ``shop`` and ``resource`` are empty when it is no one's.

    ``text`` names neither, ``str()`` the resource, ``named`` both.
    """

    kind: Kind
    text: str
    shop: str = ""
    resource: str = ""

    def __str__(self) -> str:
        return f"{self.resource}: {self.text}" if self.resource else self.text

    @property
    def named(self) -> str:
        """The words for a list of several shops' problems."""
        return f"{self.shop}: {self}" if self.shop else str(self)

    @property
    def mend(self) -> str:
        """The command that mends it; empty when none does, or the words name one already."""
        return "" if "shopmirror " in self.text else self.rule.mend

    @property
    def rule(self) -> Rule:
        """What follows from it."""
        return RULES[self.kind]


def folded(problems: Iterable[Problem]) -> list[Problem]:
    """One line for all lists of a shop with the same trouble; a stop is told by what it left."""
    found = list(problems)
    left = {problem.resource for problem in found if problem.kind is not Kind.STOPPED}
    lists: dict[tuple[Kind, str, str], list[str]] = {}
    for one in found:
        if one.kind is not Kind.STOPPED or one.resource not in left:
            lists.setdefault((one.kind, one.text, one.shop), []).append(one.resource)
    return [
        Problem(kind, text, shop, ", ".join(dict.fromkeys(filter(None, names))))
        for (kind, text, shop), names in lists.items()
    ]


def worst(problems: Iterable[Problem]) -> Severity:
    """How grave the gravest is; ``OK`` when there is none."""
    return max((problem.rule.severity for problem in problems), default=Severity.OK)


def deciding(kinds: Iterable[Kind]) -> Kind | None:
    """The kind that decides how a run ended; None when nothing is wrong."""
    return min(kinds, key=list(RULES).index, default=None)
