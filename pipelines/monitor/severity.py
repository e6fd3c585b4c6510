"""The one table of what can be wrong with a mirror, and how grave each of it is.

A sync's verdict, ``status`` and its ``--check``, the closing report, its seal and the dashboard
name what they found by a :class:`Kind`, so none of them calls well what another calls a fault.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, IntEnum


class Severity(IntEnum):
    """How grave something is; the greater, the graver."""

    OK = 0
    DOUBT = 1
    """Amber: it may be right, and nobody has proven it."""
    FAULT = 2
    """Red: it is wrong, or what keeps it right does not work."""


class Kind(Enum):
    """What can be wrong, and what follows; of several that a run ends with, the first here decides.

    ``exit_code`` and ``outcome`` are those of a run that ends with it. ``mend``: the command that
    mends it or tells how; empty when none does. ``spoils``: figures of the published warehouse are
    not to be relied on.
    """

    MISCONFIGURED = "misconfigured", Severity.FAULT, 2, "failed", "shopmirror config show"
    UNREACHED = "unreached", Severity.FAULT, 3, "incomplete", "shopmirror doctor"
    # On purpose: what was not read yet is told as unread or stale.
    STOPPED = "stopped", Severity.OK, 4, "stopped"
    FAILED = "failed", Severity.FAULT, 1, "failed"
    CUT_OFF = "cut off", Severity.FAULT, 1, "killed"
    UNPUBLISHED = "unpublished", Severity.FAULT, 1, "failed"
    UNREAD = "unread", Severity.DOUBT, 1, "incomplete"
    UNFINISHED = "unfinished", Severity.DOUBT, 1, "incomplete"
    UNPROVEN = "unproven", Severity.DOUBT, 1, "incomplete"
    # Rows that went at the service, or that it fails to show: the mirror keeps them meanwhile.
    VANISHED = "vanished", Severity.DOUBT, 1, "incomplete", "shopmirror sync --confirm-deletions"
    UNCOUNTED = "uncounted", Severity.DOUBT, 1, "incomplete", "shopmirror doctor"
    STALE = "stale", Severity.DOUBT, 1, "incomplete"
    DIFFERS = "differs", Severity.FAULT, 1, "differs", "shopmirror reconcile --repair"
    REFUSED = "refused", Severity.FAULT, 3, "incomplete", "shopmirror doctor"
    JOB = "job", Severity.FAULT, 1, "failed", "shopmirror schedule --run JOB", False
    CHANGE = "change", Severity.DOUBT, 1, "differs", "shopmirror queue list", False
    CLOCK = "clock", Severity.DOUBT, 1, "incomplete", "", False

    def __init__(
        self,
        word: str,
        severity: Severity,
        exit_code: int,
        outcome: str,
        mend: str = "shopmirror sync",
        spoils: bool = True,
    ) -> None:
        self.word, self.severity, self.exit_code = word, severity, exit_code
        self.outcome, self.mend, self.spoils = outcome, mend, spoils

    def __str__(self) -> str:
        return self.word


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
        return "" if "shopmirror " in self.text else self.kind.mend


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
    return max((problem.kind.severity for problem in problems), default=Severity.OK)


def deciding(kinds: Iterable[Kind]) -> Kind | None:
    """The kind that decides how a run ended; None when nothing is wrong."""
    return min(kinds, key=list(Kind).index, default=None)
