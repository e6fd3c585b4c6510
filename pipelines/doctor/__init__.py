"""``doctor``: probes each shop's service and writes down what holds (``ops.service_profile``)."""

import json
import threading
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from pipelines.doctor.profile import ServiceProfile, currency_and_zone, fields_of_info, probe
from pipelines.home import Home
from pipelines.load.evidence import PROFILE_KEY
from pipelines.publish.errors import NothingPublished
from pipelines.publish.published import published_here
from pipelines.settings import Settings, ShopSettings
from pipelines.transform.findings import unnamed
from sources.repair_shop.budget import Budget
from sources.repair_shop.errors import BadAnswer, ShopError
from sources.repair_shop.http.client import Client
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.scan.service_pages import PAGING_KEY

CURRENCY_KEY = "currency"


def doctor(
    settings: Settings,
    *,
    shop: str | None = None,
    lift_block: bool = False,
    stop: threading.Event | None = None,
) -> list[ServiceProfile]:
    """Probe the shops one after the other; some ten requests each. The sync follows what is found.

    ``lift_block`` first forgets strikes and blocks: for when the service lifted a block, or its key
    was replaced and the new one is in the settings.
    Of a shop that cannot be reached the profile holds the error; the others are still probed.
    """
    home = Home(settings.home)
    found: list[ServiceProfile] = []
    with closing(Budget(home.budget)) as budget, closing(Ledger(home.ledger)) as ledger:
        for one in settings.chosen(shop):
            if lift_block:
                budget.key(one).lift_block()
            with Client(one, budget, stop=stop.is_set if stop else None) as client:
                try:
                    profile = probe(client)
                except ShopError as error:
                    found.append(ServiceProfile(one.name, datetime.now(UTC), error=error))
                    continue
            found.append(profile)
            add_statuses(profile, home)
            ledger.set_value(one.name, PROFILE_KEY, json.dumps(profile.as_json()))
            ledger.set_value(one.name, CURRENCY_KEY, profile.currency)
            if profile.paging != "unknown":
                ledger.set_value(one.name, PAGING_KEY, profile.paging)
    return found


def said_of_itself(shop: ShopSettings, home: Path, *, lift_block: bool = False) -> tuple[str, str]:
    """Currency and time zone as the service says them, empty where it does not; one request.

    Raises :class:`~sources.repair_shop.errors.ShopError` for what stops every request.
    """
    with closing(Budget(Home(home).budget)) as budget:
        if lift_block:
            budget.key(shop).lift_block()
        with Client(shop, budget) as client, suppress(BadAnswer):
            return currency_and_zone(fields_of_info(client))
    return "", ""


def add_statuses(profile: ServiceProfile, home: Home) -> None:
    """How the newest sync took each ticket status of the shop, and why (``ops.statuses``)."""
    shop = {"shop": profile.shop}
    try:
        with published_here(home.path) as warehouse:
            judged = warehouse.rows(
                "SELECT meaning, label, reason FROM ops.statuses WHERE shop_id = $shop "
                "ORDER BY ALL",
                shop,
            )
            never_end = warehouse.rows(
                "SELECT 1 FROM marts.tickets WHERE shop_id = $shop AND age_days > 60 "
                "HAVING count(*) >= 20 AND 10 * count(*) FILTER (is_closed) < count(*)",
                shop,
            )
            nameless = [
                said for name, said in unnamed(warehouse.connection) if name == profile.shop
            ]
    except NothingPublished:
        return  # the service answers all the same; the next sync says what is wrong
    for one in judged:
        told = profile.items.get(f"statuses: {one['meaning']}")
        said = f"{one['label'] or '(no label)'} ({one['reason']})"
        profile.items[f"statuses: {one['meaning']}"] = f"{told}; {said}" if told else said
    if nameless:
        profile.items["without a name"] = "; ".join(nameless)
    if never_end:
        profile.problems.append(
            "Nearly all old tickets are open: the statuses that end one are not recognised. Name "
            "them in sources.repair_shop.done_statuses and cancelled_statuses."
        )


def exit_code(found: Sequence[ServiceProfile]) -> int:
    """0 all well, 1 something a report needs is missing, else the errors' own code: 3, as of a
    sync, where shops differ."""
    if codes := {profile.error.exit_code for profile in found if profile.error}:
        return codes.pop() if len(codes) == 1 else ShopError.exit_code
    return int(any(profile.problems for profile in found))
