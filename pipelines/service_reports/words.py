"""What fields of a report may be called, and what months are called, in the shops' languages."""

import unicodedata
from typing import Literal

from sources.repair_shop.schema.clean import snake_case

Role = Literal["date", "year", "month", "day", "weak", "total", "tax", "other", "unknown"]
"""``weak``: may be a period, if nothing plainer is there. ``other``: known to be no total."""


def plain(name: object) -> str:
    """A name or text without accents, case and signs: ``Año`` -> ``ano``."""
    letters = unicodedata.normalize("NFKD", str(name))
    return snake_case("".join(c for c in letters if not unicodedata.combining(c))) if name else ""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_MONTHS = _words("""
january february march april may june july august september october november december
jan feb mar apr may jun jul aug sep oct nov dec
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
ene feb mar abr may jun jul ago sept oct nov dic
janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro
jan fev mar abr mai jun jul ago set out nov dez
janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre
janv fevr mars avr mai juin juil aou sept oct nov dec
januar februar marz april mai juni juli august september oktober november dezember
jan feb maerz apr mai jun jul aug sept okt nov dez
gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre
gen feb mar apr mag giu lug ago sett ott nov dic
januari februari maart april mei juni juli augustus september oktober november december
jan feb mrt apr mei jun jul aug sept okt nov dec
""")
MONTH_NUMBERS = {name: place % 12 + 1 for place, name in enumerate(_MONTHS)}
"""A month's name (English, Spanish, Portuguese, French, German, Italian, Dutch) -> its number."""

WEEKDAYS = frozenset(
    _words("""monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur
    thurs fri sat sun lunes martes miercoles jueves viernes sabado domingo lun mie jue vie sab dom
    segunda terca quarta quinta sexta feira lundi mardi mercredi jeudi vendredi samedi dimanche
    montag dienstag mittwoch donnerstag freitag samstag sonntag""")
)
FILLERS = frozenset(_words("de del of the st nd rd th le den"))
SUM_WORDS = frozenset(
    _words("""total totals grand_total sum all overall subtotal sub_total year_total total_general
    suma gesamt summe totale somme geral""")
)
"""What a line under the others is called."""

_DATE = frozenset(_words("date fecha datum data giorno_data dia_fecha"))
_DAY = frozenset(_words("day dia tag jour giorno dag"))
_MONTH = frozenset(_words("month mes monat mois mese maand"))
_YEAR = frozenset(_words("year ano anio jahr annee anno jaar"))
_WEAK = frozenset(
    _words("""period periodo name label labels title key x from to start end begin category interval
    from_date to_date start_date end_date date_from date_to""")
)
_NO_PERIOD = frozenset(
    _words("""created updated modified generated printed last previous prev prior avg average mean
    per week weekday semana ytd mtd count""")
)
_GROSS = (
    "grand_total gross_total total_gross gross gross_sales gross_purchases gross_amount "
    "total_inc_tax total_incl_tax total_inc_vat total_incl_vat total_with_tax amount_inc_tax "
    "amount_incl_tax amount_inc_vat total_tax_included total_including_tax bruto brutto ttc"
)
_TOTAL = (
    "total totals total_amount amount_total total_sales sales_total total_purchases "
    "purchases_total monthly_total daily_total total_value total_price importe_total monto_total "
    "total_ventas total_compras gesamtbetrag"
)
_AMOUNT = (
    "amount value sum sales purchases revenue turnover y net_total total_net net net_sales "
    "net_amount subtotal sub_total monto importe valor betrag umsatz montant ventas compras summe "
    "suma total_excl_tax total_ex_vat"
)
TOTAL_NAMES = _words(f"{_GROSS} {_TOTAL} {_AMOUNT}")
"""What a total may be called, the plainest first."""
NET_NAMES = frozenset(
    _words("""net_total total_net net net_sales net_amount subtotal sub_total total_excl_tax
    total_ex_vat""")
)
REDUCTIONS = frozenset(_words("refund refunds return returns returned discount discounts"))
"""What may be taken off sales besides tax."""
_TAX = frozenset(_words("tax vat iva gst taxes impuesto impuestos mwst tva  tps"))
_OTHER = frozenset(
    _words("""count qty quantity number num no orders transactions tickets invoices documents
    customers units items lines id index row rank cantidad anzahl nombre discount shipping cost
    profit margin refund refunds returns fee fees tip tips paid due balance rate percent currency
    avg average last previous prev prior ytd mtd week weekday shop store
    branch status type method""")
)


NO_ENTRIES = frozenset(
    _words("""meta pagination paging links summary totals filters filter query params parameters
    request headers currency shop store company info status errors warnings messages""")
)
"""Lists and objects beside the entries that hold none."""
PAGES = {
    **dict.fromkeys(_words("next next_page next_page_url next_url has_more has_next more"), 0),
    **dict.fromkeys(_words("last_page total_pages page_count pages num_pages"), 1),
}
"""Fields that say that there are more pages, and up to which number they do not."""


def role_of(name: str) -> Role:
    """What a field of that (plain) name holds."""
    if name == "" or name in TOTAL_NAMES:
        return "total"
    parts = set(name.split("_"))
    if name in _WEAK:
        return "weak"
    if not parts & _NO_PERIOD:
        known: tuple[tuple[Role, frozenset[str]], ...] = (
            ("date", _DATE), ("day", _DAY), ("month", _MONTH), ("year", _YEAR)
        )  # fmt: skip
        found = [role for role, words in known if parts & words]
        if found:
            return "day" if "day" in found and "date" not in found else found[0]
    if parts & _TAX:
        return "tax"
    return "other" if parts & _OTHER else "unknown"
