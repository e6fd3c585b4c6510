"""Which tickets the service's own list shows: what tells a shop's open statuses from the others.

``GET /tickets`` without a status shows the tickets in the pipeline (specification, GET /tickets),
and nothing else says which statuses are in it. So its newest and its oldest page are looked at: on
the days they cover, a ticket that is not there is out of the pipeline.

Data flow: service -> the watermark ``ticket_pipeline`` of the shop in the ledger -> the models.
"""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from .errors import BadAnswer
from .http.client import Client
from .ledger import Ledger
from .scan.cuts import goes_back
from .scan.known import KnownRows
from .schema.clean import clean_row, row_id
from .schema.endpoints import ENDPOINTS

KEY = "ticket_pipeline"
REQUESTS = 2
"""What a probe costs at most."""
_EVERY = timedelta(days=7)
_FAR = date.max


@dataclass(frozen=True)
class PipelineProbe:
    """What the bare list showed on a ``day``.

    All of its tickets opened after the day ``after`` or before the day ``before`` are among
    ``ids``; days are ISO text in the shop's zone.
    """

    day: str
    after: str
    before: str
    ids: tuple[str, ...]


def read_probe(ledger: Ledger, shop: str) -> PipelineProbe | None:
    """The newest probe of a shop's pipeline, or None before the first."""
    text = ledger.value(shop, KEY)
    if text is None:
        return None
    kept = json.loads(text)
    return PipelineProbe(kept["day"], kept["after"], kept["before"], tuple(kept["ids"]))


def is_due(ledger: Ledger, shop: str, today: date) -> bool:
    """Whether a week went by since the last probe."""
    probe = read_probe(ledger, shop)
    return probe is None or date.fromisoformat(probe.day) + _EVERY <= today


def probe_pipeline(client: Client, ledger: Ledger) -> None:
    """Look at the bare list's two ends and keep what they show.

    One request where the list fits a page. Nothing is kept where the answer is no list: then words
    decide about the statuses. Errors that end a run are raised.
    """
    path = ENDPOINTS["tickets"].path
    full = KnownRows(ledger, client.shop.name, "tickets").least_full
    try:
        newest = client.get(path, {"page": 1, "sort": "newest"}).rows()
        oldest = (
            client.get(path, {"page": 1, "sort": "oldest"}).rows() if len(newest) >= full else []
        )
    except BadAnswer:
        return
    shop = client.shop

    def days(rows: list[dict[str, Any]]) -> list[date]:
        """Those of a page; none where the service ignored the order, so that it is no end."""
        cleaned = (clean_row(row, "tickets", shop.zone) for row in rows)
        texts = (str(row.get("created_date") or "")[:10] for row in cleaned)
        found = [date.fromisoformat(text) for text in texts if text]
        return [] if goes_back(found) else found

    ids = [{row_id(row, "tickets") for row in rows} for rows in (newest, oldest)]
    after, before = days(newest[::-1]), days(oldest) if ids[0] != ids[1] else []
    # A page that is not full shows all there is: every day lies after the first.
    probe = PipelineProbe(
        datetime.now(UTC).astimezone(shop.zone).date().isoformat(),
        min(after, default=_FAR).isoformat() if len(newest) >= full else "",
        max(before).isoformat() if before else "",
        tuple(sorted(one for one in ids[0] | ids[1] if one is not None)),
    )
    ledger.set_value(shop.name, KEY, json.dumps(asdict(probe)))
