"""The banner over the figures of a report or a page: why they cannot be relied on."""

from collections.abc import Sequence

from pipelines.language import Text
from pipelines.language.words import list_name
from pipelines.monitor.severity import Problem, worst
from pipelines.report.figures import Caution

_SHOWN = 6
"""Lists in doubt that are named."""


def cautions(problems: Sequence[Problem], *, many_shops: bool) -> tuple[Caution, ...]:
    """The banner over the figures: a line for each problem, lists in doubt together in one."""
    lists = [problem for problem in problems if problem.resource]
    lines = [
        Caution(
            severity=problem.rule.severity,
            text=Text("{shop}: {text}", shop=problem.shop, text=problem.text)
            if many_shops and problem.shop
            else problem.text,
        )
        for problem in problems
        if not problem.resource
    ]
    if lists:
        pairs = sorted({(p.resource, p.shop if many_shops else "") for p in lists})
        names = [
            Text("{list} ({shop})", list=list_name(name), shop=shop) if shop else list_name(name)
            for name, shop in pairs[:_SHOWN]
        ]
        if len(pairs) > _SHOWN:
            names.append(Text("others"))
        text = Text("Not proven complete at the last sync: {lists}.", lists=names)
        lines.append(Caution(severity=worst(lists), text=text))
    return tuple(sorted(lines, key=lambda line: -line.severity))
