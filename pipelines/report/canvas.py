"""A sheet of A4 to write on: fonts for many scripts, texts cut to their width, tables.

Lengths are millimetres, sizes points.
"""

import bisect
from collections.abc import Sequence
from pathlib import Path

from fpdf import FPDF
from fpdf.enums import TextEmphasis, XPos, YPos

from pipelines.report import fonts

LEFT, TOP, WIDTH = 16.0, 13.0, 178.0
BOTTOM = 12.0
LINE = 4.75
"""Height of a line of a table."""

_LONGEST = 240
"""Letters of which no line of this paper holds more."""

INK, SOFT, RULE = "#1b2127", "#5a6570", "#dfe1e3"


class Canvas(FPDF):
    """Draws from the top down; ``_y`` of the base class is where the next thing goes.

    ``names`` is every text that may need a font beyond our own, ``folder`` takes unpacked fonts.
    """

    def __init__(self, folder: Path, names: str) -> None:
        super().__init__(orientation="portrait", unit="mm", format="A4")
        self.set_margins(LEFT, TOP)
        # Texts begin exactly where the rules begin.
        self.c_margin = 0
        self.set_auto_page_break(True, BOTTOM)
        self._missing = False
        self._shown = self._load_fonts(folder, names)
        # Figures of one width, so that columns of numbers line up.
        self.set_text_shaping(True, features={"tnum": True, "lnum": True})

    def _load_fonts(self, folder: Path, names: str) -> frozenset[int]:
        for style, file in fonts.unpack(folder).items():
            self.add_font(fonts.FAMILY, style, file)
        shown = fonts.characters(folder / "figo.ttf")
        lacking = {c for c in names if ord(c) not in shown and not c.isspace()}
        path = fonts.machine_font(lacking) if lacking else None
        if path is not None:
            self.add_font(fonts.FALLBACK, "", path)
            self.add_font(fonts.FALLBACK, "B", path)
            self.set_fallback_fonts([fonts.FALLBACK], exact_match=False)
            shown |= fonts.characters(path)
        return shown

    def _plain(self, text: str) -> str:
        """``text`` as these fonts can show it."""
        out = []
        for character in text:
            if character in "\u202f\u2009":
                out.append("\u00a0")
            elif character.isspace() or not character.isprintable():
                out.append(" ")
            elif ord(character) in self._shown:
                out.append(character)
            else:
                self._missing = True
                out.append(fonts.MISSING)
        return "".join(out)

    def _style(self, size: float, *, bold: bool = False, colour: str = INK) -> None:
        self.set_font(fonts.FAMILY, TextEmphasis.B if bold else TextEmphasis.NONE, size)
        self.set_text_color(colour)

    def _fit(self, text: str, width: float) -> str:
        """``text``, cut with an ellipsis to ``width``; whole names are what the HTML is for."""
        # Measuring shapes the whole text, so a name of thousands of letters is not measured whole.
        plain = self._plain(text[: _LONGEST + 1])
        if len(plain) <= _LONGEST and self.get_string_width(plain) <= width:
            return plain
        fitting = bisect.bisect_left(
            range(1, min(len(plain), _LONGEST) + 1),
            True,
            key=lambda end: self.get_string_width(plain[:end] + "\u2026") > width,
        )
        return plain[:fitting].rstrip() + "\u2026"

    def _say(
        self,
        text: str,
        width: float = 0,
        height: float = LINE,
        *,
        align: str = "L",
        ends: bool = False,
    ) -> None:
        self.cell(
            width,
            height,
            text,
            align=align,
            new_x=XPos.LMARGIN if ends else XPos.RIGHT,
            new_y=YPos.NEXT if ends else YPos.TOP,
        )

    def _heading(self, text: str, width: float = 0) -> None:
        self._style(7.2, bold=True, colour=SOFT)
        self.set_char_spacing(0.5)
        self.cell(width, 5, self._plain(text.upper()), new_x=XPos.LEFT, new_y=YPos.NEXT)
        self.set_char_spacing(0)

    def _rule(self, width: float, *, colour: str = RULE, weight: float = 0.15) -> None:
        self.set_draw_color(colour)
        self.set_line_width(weight)
        self.line(self.get_x(), self.get_y(), self.get_x() + width, self.get_y())

    def _table(
        self,
        heads: Sequence[str],
        rows: Sequence[Sequence[str]],
        widths: Sequence[float],
        *,
        left: float = LEFT,
    ) -> None:
        """The first column to the left, the others to the right, a rule below each line."""
        whole = sum(widths)
        if heads:
            self.set_x(left)
            self._style(7.6, colour=SOFT)
            self._cells(heads, widths)
            self.set_xy(left, self.get_y() + LINE)
            self._rule(whole)
        for number, row in enumerate(rows):
            if self.will_page_break(LINE):
                self.add_page()
            self.set_x(left)
            self._style(9)
            self._cells(row, widths)
            self.set_xy(left, self.get_y() + LINE)
            if number < len(rows) - 1:
                self._rule(whole)
        self.set_x(LEFT)

    def _cells(self, texts: Sequence[str], widths: Sequence[float]) -> None:
        for position, (text, width) in enumerate(zip(texts, widths, strict=True)):
            self._say(self._fit(text, width - 1), width, align="R" if position else "L")
