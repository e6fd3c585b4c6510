"""Whose rows come with a key: a shop under two names would count twice.

The ledger notes whose key one is. One without a note, as after a reset, is known by the payments
that it shows. A name that the settings still have is no shop's former one.
"""

from collections.abc import Sequence
from pathlib import Path

from pipelines.settings import Settings, SettingsError, ShopSettings
from sources.repair_shop.budget.limiter import fingerprint_of
from sources.repair_shop.errors import BadAnswer, ConfigurationError
from sources.repair_shop.http.client import Client
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.scan.volatile import Volatile
from sources.repair_shop.schema.clean import row_id
from sources.repair_shop.schema.endpoints import ENDPOINTS

_PAYMENTS = ENDPOINTS["payments"]


def note_key(ledger: Ledger, shop: ShopSettings) -> None:
    """Remember whose rows came with this key."""
    if ledger.value("", _note(shop)) is None:
        ledger.set_value("", _note(shop), shop.name)


def refuse_keys_of_others(ledger: Ledger, settings: Settings) -> None:
    """:class:`SettingsError` for a shop with the key that another one had."""
    for shop in settings.shops:
        had = ledger.value("", _note(shop)) or shop.name
        if had != shop.name:
            raise SettingsError(_told(shop, "has the key", had, settings.home))


def shops_that_left(ledger: Ledger, settings: Settings) -> list[str]:
    """Shops whose payments were read whole, and that the settings name no more."""
    whole = {shop for (shop,) in ledger.select("shops_read_whole", list=_PAYMENTS.table)}
    return sorted(whole - {shop.name for shop in settings.shops})


def refuse_rows_of_others(
    client: Client, ledger: Ledger, shop: ShopSettings, others: Sequence[str], home: Path
) -> None:
    """:class:`ConfigurationError` where a key without a note shows payments of the ``others``.

    Raises what keeps the answer from us for now; a service without the list tells nothing.
    """
    if not others or ledger.value("", _note(shop)) is not None:
        return
    asked = {"page": 1, "sort": "oldest", **_PAYMENTS.include_params}
    try:
        answer = client.get(_PAYMENTS.path, asked).rows()
    except BadAnswer as error:
        if error.transient:
            raise
        return
    rows = {row_id(row, _PAYMENTS.table) or "": row for row in answer}
    for other in others:
        digest = Volatile(ledger, other, _PAYMENTS.table).digest
        known = ledger.contents(other, _PAYMENTS.table, rows)
        if 2 * sum(digest(known[one]) == digest(rows[one]) for one in known) > len(rows):
            raise ConfigurationError(_told(shop, "shows the payments", other, home))


def _told(shop: ShopSettings, what: str, other: str, home: Path) -> str:
    return (
        f"Shop '{shop.name}' {what} that shop '{other}' had in {home}: its rows would stand there "
        f"under two names. Call it '{other}' again, or begin anew in another SHOPMIRROR_HOME."
    )


def _note(shop: ShopSettings) -> str:
    return f"key {fingerprint_of(shop)}"
