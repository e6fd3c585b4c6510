"""The reader's language: words from a catalogue, figures and days as the reader writes them.

::

    with use(load_language()):
        _("Money taken")                 # "Dinero recibido"
        current().money(amount, "GTQ")   # "Q1,234.50"

Report, e-mail, dashboard and notebooks are written in it; commands and logs stay English. The
English sentence is the key of the catalogue (``es.po`` in this folder, or one's own), and what a
catalogue lacks stays English. Without settings nothing is looked up and nothing loaded.
"""

import contextvars
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Self

NARROW = "\u202f"
MINUS = "\u2212"


@dataclass(frozen=True)
class Language:
    """How things are said and written; the default is English, with figures in the neutral way.

    ``dates`` is a pattern of ``dd``, ``MM`` and ``yyyy``; empty: ISO 8601. ``sign`` is what stands
    for the currency: empty none, ``auto`` the sign that ``locale`` has for it.
    """

    code: str = "en"
    locale: str = "en"
    decimal: str = "."
    group: str = NARROW
    dates: str = ""
    sign: str = ""
    is_sign_behind: bool = False
    minus: str = MINUS
    words: Mapping[str, str] = field(default_factory=dict)

    def number(self, value: Decimal | int | float, places: int = 0) -> str:
        """Grouped, rounded half up as people round money, with a true minus; no negative zero."""
        exact = value if isinstance(value, Decimal) else Decimal(str(value))
        rounded = exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
        whole, _point, part = f"{abs(rounded):,.{places}f}".partition(".")
        text = whole.replace(",", self.group) + (self.decimal + part if part else "")
        return self.minus + text if rounded < 0 else text

    def money(self, amount: Decimal, currency: str = "", places: int = 2) -> str:
        """``Q1,234.50``: a number, with the currency's sign where one is set; without cents that
        the country's currency has not, unless the amount has some."""
        sign = self.sign_of(currency)
        if places and sign and self.sign == "auto" and amount == amount.to_integral_value():
            from babel.numbers import get_currency_precision

            places = min(places, get_currency_precision(currency))
        text = self.number(amount, places)
        if not sign:
            return text
        if self.is_sign_behind:
            return f"{text}\u00a0{sign}"
        space = "\u00a0" if sign[-1].isalpha() and len(sign) > 1 else ""
        minus = self.minus if text.startswith(self.minus) else ""
        return f"{minus}{sign}{space}{text.removeprefix(self.minus)}"

    def sign_of(self, currency: str) -> str:
        """What stands for a currency (ISO code); empty when amounts stand alone."""
        if self.sign != "auto" or not currency:
            return self.sign if currency else ""
        from babel.numbers import get_currency_symbol

        return str(get_currency_symbol(currency, locale=self.locale))

    def day(self, value: date) -> str:
        """``21/11/2026``."""
        return self._written(value, self.dates) if self.dates else value.strftime("%Y-%m-%d")

    def month(self, value: date) -> str:
        """``11/2026``: the same without its day."""
        return self._written(value, self.months) if self.dates else f"{value:%Y-%m}"

    @property
    def months(self) -> str:
        """The pattern of a month: that of a day without its ``dd``."""
        return re.sub(r"d+[^My]*", "", self.dates or "yyyy-MM-dd").rstrip("/-. ")

    def weekday(self, value: date) -> str:
        """``Saturday``."""
        if self.locale == "en":
            return f"{value:%A}"
        from babel.dates import format_date

        return str(format_date(value, "EEEE", locale=self.locale))

    def say(self, text: str) -> str:
        """A :class:`Text` in this language; any other text as it is."""
        if not isinstance(text, Text):
            return text
        template = self.words.get(text.template, text.template)
        if not text.values:
            return template
        return template.format(**{name: self._shown(value) for name, value in text.values.items()})

    def _shown(self, value: Any) -> str:
        if isinstance(value, str):
            return self.say(value)
        if isinstance(value, list):
            return ", ".join(map(self._shown, value))
        if isinstance(value, date) and not isinstance(value, datetime):
            return self.day(value)
        if isinstance(value, int | Decimal | float):
            return self.number(value)
        return str(value)

    @staticmethod
    def _written(value: date, pattern: str) -> str:
        figures = {"d": f"{value:%d}", "M": f"{value:%m}", "y": f"{value:%Y}"}
        return re.sub("d+|M+|y+", lambda found: figures[found[0][0]], pattern)


class Text(str):
    """An English sentence that knows its template and values, so that others can say it too."""

    __slots__ = ("template", "values")
    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> Self:
        """``template`` is what the catalogue has; ``{name}`` in it takes one of ``values``."""
        shown = {name: _ENGLISH._shown(value) for name, value in values.items()}
        text = super().__new__(cls, template.format(**shown) if values else template)
        text.template, text.values = template, values
        return text


_ENGLISH = Language()
_current: contextvars.ContextVar[Language] = contextvars.ContextVar("language", default=_ENGLISH)


def current() -> Language:
    """The language at work here; English unless :func:`use` says otherwise."""
    return _current.get()


@contextmanager
def use(language: Language) -> Iterator[None]:
    """Say and write everything in ``language`` for as long as this lasts."""
    before = _current.set(language)
    try:
        yield
    finally:
        _current.reset(before)


def switch(language: Language) -> None:
    """The same for good: for a notebook, and for a page whose every run is a context of its own."""
    _current.set(language)


def _(template: str, /, **values: Any) -> str:
    """``template`` in the language at work."""
    return current().say(Text(template, **values))


def shown(text: str) -> str:
    """A :class:`Text` in the language at work; what the shop calls a thing stays as it is."""
    return current().say(text)
