"""Whose rows come with a key: a shop under two names would count twice, and two shops under one
name would be one.

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
_CUSTOMERS = 2
"""One may have been deleted."""


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
    return sorted(_read_whole(ledger) - {shop.name for shop in settings.shops})


def _read_whole(ledger: Ledger) -> set[str]:
    return {shop for (shop,) in ledger.select("shops_read_whole", list=_PAYMENTS.table)}


def refuse_rows_of_others(
    client: Client, ledger: Ledger, shop: ShopSettings, others: Sequence[str], home: Path
) -> None:
    """:class:`ConfigurationError` where a key without a note shows payments of the ``others``, or
    none of its own shop's, and no customer of it either.

    Raises what keeps the answer from us for now; a service without the list tells nothing.
    """
    own = [shop.name] if shop.name in _read_whole(ledger) else []
    if not (others or own) or ledger.value("", _note(shop)) is not None:
        return
    asked = {"page": 1, "sort": "oldest", **_PAYMENTS.include_params}
    try:
        answer = client.get(_PAYMENTS.path, asked).rows()
    except BadAnswer as error:
        if error.transient:
            raise
        return
    rows = {row_id(row, _PAYMENTS.table) or "": row for row in answer}

    def same(name: str) -> int:
        digest = Volatile(ledger, name, _PAYMENTS.table).digest
        known = ledger.contents(name, _PAYMENTS.table, rows)
        return sum(digest(known[one]) == digest(rows[one]) for one in known)

    for other in others:
        if 2 * same(other) > len(rows):
            raise ConfigurationError(_told(shop, "shows the payments", other, home))
    if own and rows and not same(shop.name) and _has_no_customer(client, ledger, shop):
        raise ConfigurationError(
            f"Shop '{shop.name}' shows payments and customers of another shop since its address or "
            f"key changed: both would stand in {home} under one name. Check base_url and api_key. "
            "A shop of its own gets a name, or a SHOPMIRROR_HOME, of its own."
        )


def _has_no_customer(client: Client, ledger: Ledger, shop: ShopSettings) -> bool:
    """Whether none of the newest customers of a shop has a path for its key."""
    newest = ledger.live_ids(shop.name, "customers")[-_CUSTOMERS:]
    for identity in newest:
        try:
            client.get(f"/customers/{identity}").detail()
        except BadAnswer as error:
            if error.transient:
                raise
        else:
            return False
    return bool(newest)


def _told(shop: ShopSettings, what: str, other: str, home: Path) -> str:
    return (
        f"Shop '{shop.name}' {what} that shop '{other}' had in {home}: its rows would stand there "
        f"under two names. Call it '{other}' again, or begin anew in another SHOPMIRROR_HOME."
    )


def _note(shop: ShopSettings) -> str:
    return f"key {fingerprint_of(shop)}"
