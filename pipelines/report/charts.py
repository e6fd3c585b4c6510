"""What a report draws: the seal, and the bars of the months, as SVG for every format."""

from decimal import Decimal
from html import escape
from typing import NamedTuple

from pipelines.language import current
from pipelines.publish.published import Rows
from pipelines.report.trust import LOOKS, SealState


class Colours(NamedTuple):
    """Of a drawing: CSS variables on a page, so that it serves light and dark; else plain ones."""

    ink: str = "var(--soft)"
    rule: str = "var(--rule)"
    repairs: str = "var(--repairs)"
    counter: str = "var(--counter)"


ON_PAGE = Colours()
ON_PAPER = Colours("#55606b", "#dcdfe3", "#2f5d8a", "#d09a4a")


def seal(state: SealState, colour: str = "currentColor") -> str:
    """Whether the books agree, as an ``<svg>``."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" fill="none" '
        f'stroke="{colour}" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">'
        '<circle cx="32" cy="32" r="29.5" stroke-width="2"/>'
        '<circle cx="32" cy="32" r="24.5" stroke-width="1" stroke-dasharray="1 2.85"/>'
        f'<path d="{LOOKS[state].mark}" stroke-width="4"/></svg>'
    )


def months(
    bars: Rows,
    unit: str,
    width: int = 640,
    height: int = 150,
    colours: Colours = ON_PAGE,
) -> str:
    """Sales by month as an ``<svg>``: repairs below, counter above; a month not over is paler.

    ``unit`` is their currency.
    """
    high = max([max(bar["repairs"], 0) + max(bar["counter"], 0) for bar in bars] + [Decimal(1)])
    step = _step(high)
    ticks = [step * n for n in range(int(high / step) + 1)]
    left, bottom, top = 6 + 7 * len(current().number(ticks[-1])), height - 32, 8
    room = (width - left - 2) / len(bars)

    def y(amount: Decimal) -> float:
        return bottom - float(amount / max(high, ticks[-1])) * (bottom - top)

    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="inherit" font-size="11" fill="{colours.ink}" role="img">'
    ]
    for tick in ticks:
        at = y(tick)
        drawn.append(
            f'<path d="M{left} {at:.1f} H{width}" stroke="{colours.rule}"/><text x="{left - 5}" '
            f'y="{at + 4:.1f}" text-anchor="end">{escape(current().number(tick))}</text>'
        )
    thin = -(-len(bars) * 30 // width)
    for place, bar in enumerate(bars):
        at, month = left + room * (place + 0.17), bar["month"]
        opacity, base = 1 if bar["is_whole"] else 0.55, Decimal(0)
        for kind in ("repairs", "counter"):
            amount, colour = bar[kind], getattr(colours, kind)
            if amount > 0:
                drawn.append(
                    f'<rect x="{at:.1f}" y="{y(base + amount):.1f}" width="{room * 0.66:.1f}" '
                    f'height="{y(base) - y(base + amount):.1f}" rx="1" fill="{colour}" '
                    f'opacity="{opacity}"><title>'
                    f"{escape(current().month(month))}: "
                    f"{escape(current().money(amount, unit))}</title></rect>"
                )
                base += amount
        if place % thin == 0:
            middle = f'x="{at + room * 0.33:.1f}" text-anchor="middle"'
            drawn.append(f'<text {middle} y="{bottom + 15}">{month:%m}</text>')
            if place == 0 or month.month <= thin:
                drawn.append(f'<text {middle} y="{bottom + 28}">{month:%Y}</text>')
    return "".join([*drawn, "</svg>"])


def _step(high: Decimal) -> Decimal:
    """A round number, 1 at least, of which three to six reach up to ``high``."""
    size = Decimal(10) ** (high.adjusted() - 1)
    step = next(size * n for n in (2, 5, 10, 20, 25, 50) if high / (size * n) < 5)
    return max(step, Decimal(1))
