"""What a closing report says, as plain figures; nothing here knows of databases or pages.

Money is :class:`~decimal.Decimal` in the shop's currency (units, not cents), days are the shop's
own, durations are hours. A figure that the warehouse cannot give is ``None``: a report never shows
a zero that nobody measured.
"""

from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, SkipValidation

from pipelines.language import Text, _, current, shown
from pipelines.monitor.severity import Severity
from sources.repair_shop.schema.dates import month_end

Money = Decimal
Extra = Literal["tax", "margin", "expenses"]
"""Figures that a report shows on request."""
Words = SkipValidation[str]
"""What the shop calls a thing, or a :class:`~pipelines.language.Text` of ours."""


class ReportError(Exception):
    """The report cannot be made or sent; the message says what to do. Exit code 2."""

    exit_code = 2


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Period(_Frozen):
    """A day or a month of the shop; ``last`` is included."""

    kind: Literal["day", "month"]
    first: date
    last: date

    @classmethod
    def of(cls, day: date) -> Self:
        """The period that is one day."""
        return cls(kind="day", first=day, last=day)

    @classmethod
    def month_of(cls, day: date) -> Self:
        """The month a day lies in."""
        return cls(kind="month", first=day.replace(day=1), last=month_end(day))

    @property
    def label(self) -> str:
        """ISO 8601: ``2026-11-20`` or ``2026-11``."""
        return self.first.isoformat() if self.kind == "day" else f"{self.first:%Y-%m}"

    @property
    def shown(self) -> str:
        """The same as the reader writes days and months."""
        return (current().day if self.kind == "day" else current().month)(self.first)


class Taken(_Frozen):
    """Money that came in (or went out again) within a period: ``marts.payments`` by kind."""

    sales: Money = Decimal(0)
    receivables: Money = Decimal(0)
    advances: Money = Decimal(0)
    refunds: Money = Decimal(0)
    """Zero or negative."""
    repairs: Money = Decimal(0)
    """Of the total: payments of ticket invoices and of tickets."""
    counter: Money = Decimal(0)
    """Of the total: payments of POS orders."""
    unassigned: Money = Decimal(0)
    """Of the total: payments that name neither."""
    payments: int = 0

    @property
    def total(self) -> Money:
        """What is in the till and the bank because of this period, refunds taken off."""
        return self.sales + self.receivables + self.advances + self.refunds


class Sold(_Frozen):
    """What was sold by the definition of the service's report: ``marts.daily_sales``."""

    total: Money = Decimal(0)
    repairs: Money = Decimal(0)
    counter: Money = Decimal(0)
    returns: Money = Decimal(0)
    """Zero or negative; inside ``repairs`` and ``counter`` already."""
    tax: Money = Decimal(0)
    documents: int = 0
    cost: Money = Decimal(0)
    """Of the goods whose cost is known."""
    margin: Money = Decimal(0)
    """Without tax, less cost, where the cost is known."""
    uncosted: Money = Decimal(0)
    """Sold at a cost nobody knows; in no margin."""


class Method(_Frozen):
    """Money taken by one payment method."""

    name: Words
    amount: Money
    payments: int


class Workshop(_Frozen):
    """Tickets of a period."""

    opened: int = 0
    closed: int = 0
    median_hours: float | None = None
    """Median cycle time of the tickets closed, in opening hours."""
    open_at_end: int = 0
    unassigned_at_end: int = 0
    """Of those open at the end: with no technician."""


class Technician(_Frozen):
    """One person's part of the workshop; ``name`` is None for tickets with no technician."""

    name: str | None
    opened: int
    closed: int
    median_hours: float | None
    open_at_end: int


class Due(_Frozen):
    """What customers still owe at the end of a period, by the age of the document in days.

    The buckets of ``marts.receivables``: up to 30, 31 to 60, 61 to 90, more.
    """

    to_30: Money = Decimal(0)
    to_60: Money = Decimal(0)
    to_90: Money = Decimal(0)
    over_90: Money = Decimal(0)
    documents: int = 0

    @property
    def total(self) -> Money:
        """Everything due."""
        return self.to_30 + self.to_60 + self.to_90 + self.over_90


class Column(_Frozen):
    """All figures of one period: the one reported, or one it is compared with."""

    period: Period
    taken: Taken
    sold: Sold
    due: Due
    workshop: Workshop
    expenses: Money = Decimal(0)


class MonthBar(_Frozen):
    """A bar of the chart; ``month`` is its first day."""

    month: date
    repairs: Money
    counter: Money
    is_whole: bool
    """False for the month that is not over yet."""

    @property
    def total(self) -> Money:
        """Sales of the month."""
        return self.repairs + self.counter


class SealState(StrEnum):
    """Whether our reports and the service's own say the same."""

    AGREES = "agrees"
    DIFFERS = "differs"
    IN_DOUBT = "in-doubt"
    """They agreed, and the figures are old, not proven, or a sync has failed since."""
    UNKNOWN = "unknown"


class Difference(_Frozen):
    """A period in which our report and the service's do not agree."""

    shop: str
    report: str
    period: date
    ours: Money
    theirs: Money


class Caution(_Frozen):
    """Why the figures of a page cannot be relied on; ``severity`` is never ``OK``."""

    severity: Severity
    text: Words

    @property
    def shown(self) -> str:
        """A sentence in the language at work."""
        text = shown(self.text)
        return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


class Seal(_Frozen):
    """The comparison of every period with business that the service told its own figure for."""

    state: SealState
    compared: int
    differing: int
    differences: tuple[Difference, ...] = ()
    """The newest of them."""
    checked_at: datetime | None = None


class ShopLine(_Frozen):
    """A shop's line in the report of a chain."""

    shop: str
    taken: Money
    sold: Money
    due: Money
    opened: int
    closed: int
    seal: SealState


class Page(_Frozen):
    """One printed page: a shop, or the chain."""

    title: Words
    shops: tuple[str, ...]
    currency: str
    """ISO code or sign as the settings give it; may be empty."""
    now: Column
    before: Column | None
    """The last open day before (or the month before)."""
    earlier: Column | None
    """The same weekday four weeks back (or the same month a year before)."""
    methods: tuple[Method, ...]
    technicians: tuple[Technician, ...]
    months: tuple[MonthBar, ...]
    lines: tuple[ShopLine, ...] = ()
    seal: Seal
    cautions: tuple[Caution, ...] = ()
    """The banner, gravest first."""
    notes: tuple[Words, ...] = ()


class Report(_Frozen):
    """A closing report: one page, or one a shop when a chain's shops use several currencies."""

    period: Period
    pages: tuple[Page, ...]
    extras: tuple[Extra, ...] = ()
    """Which figures are shown besides those of every report."""
    as_of: datetime | None
    """When the mirror was last brought up to date."""
    made_at: datetime
    source: str = ""
    """The PostgreSQL that was read; empty: the home's own file."""
    given: datetime | None = None
    """Since when readers of that server have had these figures."""

    @property
    def seal(self) -> SealState:
        """The worst of the pages' seals."""
        states = {page.seal.state for page in self.pages}
        for state in (SealState.DIFFERS, SealState.IN_DOUBT, SealState.UNKNOWN):
            if state in states:
                return state
        return SealState.AGREES

    @property
    def title(self) -> str:
        """For the window, the PDF's properties and the mail's subject."""
        names = sorted({name for page in self.pages for name in page.shops})
        who = names[0] if len(names) == 1 else Text("{n} shops", n=len(names))
        return _("Closing report {period}: {shop}", period=self.period.shown, shop=who)
