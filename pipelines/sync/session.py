"""What every run over the mirror stands on: one home, its files, a client for each shop.

::

    with open_session(settings) as session, session.run("sync") as ending:
        session.client(shop).get(...)
        session.feed.load_waiting()
        session.build()          # models
        session.publish(ending)

Opening takes the sync lock; :class:`~pipelines.home.SyncRunning` says who has it.
"""

import hashlib
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from pipelines.doctor import CURRENCY_KEY
from pipelines.home import Home
from pipelines.load.consumer import WAREHOUSE, Feed
from pipelines.load.evidence import completeness, write_evidence, write_reports
from pipelines.load.loader import Loader
from pipelines.load.pairing import BUILT, pair
from pipelines.outbox.mirrored import history_rows
from pipelines.publish.publish import publish
from pipelines.service_reports.kept import report_totals
from pipelines.settings import OF_ASKING, Settings, ShopSettings, WarehouseSettings
from pipelines.sync.keys import refuse_keys_of_others
from pipelines.transform import compiled, models
from pipelines.transform.findings import write_findings
from sources.repair_shop.budget import Budget
from sources.repair_shop.http.client import Client, RequestCounter
from sources.repair_shop.ledger import Ledger
from sources.repair_shop.observer import Observer


@dataclass
class Ending:
    """How a run ends, before it is noted in the ledger."""

    run_id: int
    outcome: str = "failed"
    exit_code: int = 1
    message: str = "The run failed; what was fetched is kept."
    detail: Mapping[str, Any] = field(default_factory=dict)

    def columns(self, requests: int, rows: int) -> dict[str, Any]:
        """The end by the columns of ``ops.runs``."""
        said = {name: value for name, value in vars(self).items() if name != "detail"}
        return said | {"ended_at": datetime.now(UTC), "requests": requests, "rows": rows}


class Session:
    """See the module; made by :func:`open_session`. ``publish_seconds``: what the last one cost."""

    def __init__(
        self,
        settings: Settings,
        home: Home,
        ledger: Ledger,
        budget: Budget,
        *,
        observer: Observer | None = None,
        stop: threading.Event | None = None,
        max_requests: int | None = None,
        loader: Loader | None = None,
    ) -> None:
        self.settings, self.home, self.ledger, self.budget = settings, home, ledger, budget
        self.observer: Observer = observer or Observer()
        self.stop = stop or threading.Event()
        self.counter = RequestCounter(max_requests)
        refuse_keys_of_others(ledger, settings)
        self.loader, self.builds = loader or Loader(home), loader is None
        self.feed = Feed(ledger, self.loader, settings.shops, {})
        self.publish_seconds = 1.0
        self.project = WarehouseSettings.load().project
        self._clients: dict[str, Client] = {}
        self._lock = threading.Lock()

    def client(self, shop: ShopSettings) -> Client:
        """The shop's client, made on first use."""
        with self._lock:
            client = self._clients.get(shop.name)
            if client is None:
                client = Client(shop, self.budget, stop=self.stop.is_set, counter=self.counter)
                self._clients[shop.name] = client
                client.on_request(partial(self._tell, client))
            return client

    def requests(self, shop: str | None = None) -> int:
        """Requests that went out, of one shop or of all."""
        clients = self._clients.values() if shop is None else [self._clients.get(shop)]
        return sum(client.requests for client in clients if client is not None)

    def build(self) -> bool:
        """Build and test the models over what is loaded; the private file only.

        False when the last build was made of exactly the same and still stands.
        """
        began = time.monotonic()
        self.feed.load_waiting()  # all tables are there, at least
        shops = [
            # The setting counts; without one, what the service said of itself.
            shop.model_copy(update={"currency": shop.currency or said or ""})
            for shop in self.settings.shops
            for said in [self.ledger.value(shop.name, CURRENCY_KEY)]
        ]
        with self.home.open_build():
            write_reports(self.ledger, self.loader)
            models.prepare(self.home.build_warehouse, shops)
            state = made_of(self.ledger, self.home, shops, self.project)
        if self.ledger.value("", BUILT) == state:
            return False
        self.observer.say("Building the reports ...")
        self.ledger.set_value("", BUILT, "")  # until it is done, nothing stands
        run = models.build(
            self.home.build_warehouse, home=self.home.path, shops=shops, project=self.project
        )
        evidence = completeness(self.ledger)
        proven = {(one["shop_id"], one["resource"]) for one in evidence if one["is_proven"]}
        write_findings(self.loader, run.findings, proven, shops)
        self.ledger.set_value("", BUILT, state)
        self.publish_seconds = time.monotonic() - began
        return True

    @contextmanager
    def run(self, command: str) -> Iterator["Ending"]:
        """One run, from its note in the ledger to the note of its end: readers have what it
        published by then. A full disk is told in words of ours; other errors are noted and raised.
        """
        ending = Ending(self.ledger.begin_run(command))
        try:
            with self.home.guard():
                self._pair()
                yield ending
        except BaseException as error:
            ending.outcome, ending.exit_code = "failed", getattr(error, "exit_code", 1)
            ending.message = str(error) or type(error).__name__
            raise
        finally:
            self.ledger.end_run(**vars(ending), requests=self.requests(), rows=self.feed.rows)

    def _pair(self) -> None:
        """Open the private file and see how far it is; a fault of it is a run that failed."""
        with self.loader.database():
            self.loader.prepare()
            self.feed, said = pair(self.ledger, self.loader, self.settings.shops)
        for told in filter(None, (self.ledger.set_aside, said)):
            self.observer.say(told)

    def publish(self, ending: "Ending | None" = None) -> None:
        """Give readers what was built, with the newest evidence: also how the run ends, if it does
        with this."""
        ended = ending.columns(self.requests(), self.feed.rows) if ending else {}
        publish(self.home, lambda: self._write_evidence(ended))

    def _write_evidence(self, ended: Mapping[str, Any]) -> None:
        write_evidence(self.ledger, self.loader, self.settings.shops, ended)
        self.loader.write_ops("changes", history_rows(self.home.path))

    def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            client.close()

    def _tell(self, client: Client, _path: str) -> None:
        """What is left of the minute."""
        state = client.budget.state()
        self.observer.budget(client.shop.name, state.left, state.cooldown_seconds)


@contextmanager
def open_session(settings: Settings, **given: Any) -> Iterator[Session]:
    """A session of the settings' home, alone in it, closed at the end; ``given`` is for
    :class:`Session`. With a ``loader`` of the caller's own rows go there, and no models are built.
    """
    home = Home(settings.home)
    with (
        home.sync_lock(),
        home.guard(),
        closing(Ledger(home.ledger)) as ledger,
        closing(Budget(home.budget)) as budget,
        closing(Session(settings, home, ledger, budget, **given)) as session,
    ):
        yield session


def made_of(
    ledger: Ledger, home: Home, shops: Sequence[ShopSettings], project: Path | None = None
) -> str:
    """What a build now would be made of, as a digest: the last one stands while it is the same.

    Its parts: the newest loaded answer with a row that was not known as it is; the deletions; the
    totals of the service's reports; the shops' settings of figures; definitions; days, as what is
    due changes with a day; the models' own files.
    """
    parts: list[object] = [
        *(datetime.now(shop.zone).date() for shop in shops),
        *(shop.model_dump_json(exclude=OF_ASKING) for shop in shops),
        [row[:4] for row in report_totals(ledger)],
        ledger.value("", WAREHOUSE),
        compiled.fingerprint(project or models.PROJECT),
    ]
    with home.open_build(read_only=True) as database:
        parts.append(database.execute("SELECT * FROM ops.shops ORDER BY shop_id").fetchall())
    return hashlib.sha256(repr(parts).encode()).hexdigest()
