"""Whether the models still stand: a night without a change needs no new build.

What the models are made of is put into one text: the newest loaded answer with a row that was not
known as it is, the deletions carried out, the totals of the service's reports, the shops' settings
and definitions, the models' own files, and the day (what is due, and how old, changes with it). The
text is kept in the ledger (``BUILT``) when a build has succeeded and taken away before the next
begins, so a run that was killed or failed in between is never mistaken for a finished one.
"""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime

from pipelines.home import Home
from pipelines.load.pairing import WAREHOUSE
from pipelines.settings import ShopSettings
from pipelines.transform import compiled, models
from sources.repair_shop.ledger import Ledger


def made_of(ledger: Ledger, home: Home, shops: Sequence[ShopSettings]) -> str:
    """What a build now would be made of, as a digest."""
    digest = hashlib.sha256()
    parts: list[object] = [
        datetime.now(UTC).date(),
        *(datetime.now(shop.zone).date() for shop in shops),
        *(shop.model_dump_json(exclude={"api_key", "base_url"}) for shop in shops),
        ledger.newest_loaded(),
        ledger.applied_deletions(),
        [row[:4] for row in ledger.report_totals()],
        ledger.value("", WAREHOUSE),
        compiled.fingerprint(models.PROJECT),
    ]
    with home.open_build(read_only=True) as database:
        parts.append(database.execute("SELECT * FROM ops.shops ORDER BY shop_id").fetchall())
    for part in parts:
        digest.update(repr(part).encode())
    return digest.hexdigest()
