"""The reader's language: words from a gettext catalogue, figures and days by Babel.

::

    with use(DisplaySettings.load().to_language()):
        _("Money taken")                 # "Dinero recibido"
        current().money(amount, "GTQ")   # "Q1,234.50"

Report, e-mail, dashboard and charts are written in it; commands and logs stay English. The English
sentence is the key of the catalogue (``es.po`` in this folder, or one's own). What a catalogue
lacks, or says with a fault, stays English.
"""

import contextvars
import copy
import gettext
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Self

MINUS = "\u2212"
_ISO = "yyyy-MM-dd"


@dataclass(frozen=True)
class Language:
    """How things are said and written. ``locale`` is Babel's name: ``es``, ``es_GT``.

    A locale with a country writes days and currencies as the country does; one without writes
    ISO 8601 days and amounts without a sign, whose currency stands beside them.
    """

    locale: str = "en"
    words: gettext.NullTranslations = field(default_factory=gettext.NullTranslations, compare=False)

    @property
    def code(self) -> str:
        """The language without its country: ``es``."""
        return self.locale.partition("_")[0]

    @property
    def country(self) -> str:
        """``GT`` of ``es_GT``, whose ways of writing are known; empty without one."""
        return self.locale.rpartition("_")[2] if "_" in self.locale else ""

    def number(self, value: Decimal | int | float, places: int = 0) -> str:
        """Grouped, rounded half up as people round money, with a true minus; no negative zero."""
        from babel import Locale

        exact = value if isinstance(value, Decimal) else Decimal(str(value))
        rounded = exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP) + 0
        locale = Locale.parse(self.locale)
        pattern = copy.copy(locale.decimal_formats[None])
        pattern.frac_prec = (places, places)
        return _minus(pattern.apply(rounded, locale))

    def money(self, amount: Decimal, currency: str = "") -> str:
        """``Q1,234.50``: a number, with the country's sign. A currency without cents shows them
        only where an amount has some; one of a thousand parts shows three places."""
        from babel import Locale
        from babel.numbers import get_currency_precision

        digits = get_currency_precision(currency) if currency else 2
        places = max(digits, 2)
        rounded = amount.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP) + 0
        if rounded == rounded.to_integral_value():
            places = digits
        if not self.sign_of(currency):
            return self.number(rounded, places)
        locale = Locale.parse(self.locale)
        pattern = copy.copy(locale.currency_formats["standard"])
        pattern.frac_prec = (places, places)
        text = pattern.apply(rounded, locale, currency=currency, currency_digits=False)
        sign = self.sign_of(currency)
        # A code is parted from its figures, a sign is not.
        apart = f"{sign}\u00a0" if len(sign) > 1 and sign[-1].isalpha() else sign
        return _minus(re.sub(rf"{re.escape(sign)}(?=\d)", apart, text))

    def sign_of(self, currency: str) -> str:
        """What stands for a currency (ISO code); empty when amounts stand alone."""
        if not (self.country and currency):
            return ""
        from babel.numbers import get_currency_symbol

        return str(get_currency_symbol(currency, locale=self.locale))

    @property
    def dates(self) -> str:
        """The pattern of a day in Babel's letters: two figures each, four for the year."""
        if not self.country:
            return _ISO
        from babel import Locale

        short = Locale.parse(self.locale).date_formats["short"].pattern
        full = re.sub(r"d+", "dd", re.sub(r"M+", "MM", re.sub(r"y+", "yyyy", short)))
        return full if re.fullmatch(r"(?=.*dd)(?=.*MM)(?=.*yyyy)[dMy/. -]+", full) else _ISO

    @property
    def signs(self) -> tuple[str, str]:
        """What stands before a fraction, and between thousands."""
        from babel import Locale

        signs = Locale.parse(self.locale).number_symbols["latn"]
        return signs["decimal"], signs["group"]

    def day(self, value: date) -> str:
        """``21/11/2026``."""
        return self._written(value, self.dates)

    def month(self, value: date) -> str:
        """``11/2026``: the same without its day."""
        return self._written(value, re.sub(r"d+[^My]*", "", self.dates).rstrip("/-. "))

    def weekday(self, value: date) -> str:
        """``Saturday``."""
        return self._written(value, "EEEE")

    def _written(self, value: date, pattern: str) -> str:
        if pattern == _ISO:
            return value.strftime("%Y-%m-%d")
        from babel.dates import format_date

        return str(format_date(value, pattern, locale=self.locale))

    def say(self, text: str) -> str:
        """A :class:`Text` in this language; any other text as it is."""
        if not isinstance(text, Text):
            return text
        # An empty text is the catalogue's own head to gettext.
        template = text.template and self.words.gettext(text.template)
        if not text.values:
            return template
        values = {name: self._shown(value) for name, value in text.values.items()}
        with suppress(KeyError, IndexError, ValueError, AttributeError):
            return template.format(**values)
        # The catalogue names a place that the sentence has not.
        return text.template.format(**values)

    def _shown(self, value: Any) -> str:
        if isinstance(value, str):
            return self.say(value)
        if isinstance(value, list):
            return ", ".join(map(self._shown, value))
        if isinstance(value, date):
            return self.day(value)
        if isinstance(value, int | Decimal | float):
            return self.number(value)
        return str(value)


def _minus(text: str) -> str:
    return text.replace("-", MINUS)


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
