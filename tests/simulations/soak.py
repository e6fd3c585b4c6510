"""Months of a shop in minutes.

``python -m tests.simulations.soak [--seed N] [--nights N] [--dialect NAME]`` is another month.

Each night is another day: the staff changed everything, a user queued changes, faults of the wire,
kills, clocks, neighbours of the key and restored backups come in between. After it the service's
own records, read from its database, are held against every raw row, the figures of the marts and
every queued change. A run that ended complete must show what was there; what it may not know yet
stands in one table with a bound (``tests/simulations/journal.py``). At the end everything is read
whole and nothing is allowed to differ.

The first fault ends the run with exit code 1, the night and the seed that repeats it.
"""

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.simulations import trouble, truth
from tests.simulations.journal import ALLOWED, Journal
from tests.simulations.staff import Staff
from tests.simulations.user import User, states
from tests.simulations.world import DIALECTS, Ended, Plan, World, chance_of

MODULE = "tests.simulations.soak"
MODELS_EVERY = 3
"""Of the nights, so many build the marts; all load and prove raw."""
CALM_EVERY = 3
MOST_UNEASY = 3
"""Calm nights in a row that may end incomplete: what earlier ones left is read again by then."""


class Broken(Exception):
    """A promise that was not kept, with all that is needed to repeat it."""


class Soak:
    """One simulation."""

    def __init__(
        self, world: World, seed: int, *, say: bool = False, models_every: int = MODELS_EVERY
    ) -> None:
        self.world, self.seed, self.say, self.models_every = world, seed, say, models_every
        self.staff = Staff(world.store)
        self.user = User(world.store, world.folder / "files", marker=seed % 2 == 1)
        self.journal = Journal()
        self.night = 0
        self.complete: list[int] = []
        self.uneasy = 0
        self.confirm = False
        self.backups: list[Path] = []
        self.ends: Counter[str] = Counter()
        self.compared = 0
        self._known = truth.records(world.store, world.quirks)

    def run(self, nights: int) -> None:
        """So many nights, then the end: everything read whole, the queue emptied."""
        for number in range(1, nights + 1):
            models = bool(self.models_every) and number % self.models_every == 0
            calm = number % CALM_EVERY == 1
            self._one(trouble.drawn(chance_of(self.seed, number, "night"), calm, models))
        self._end()

    def _dice(self, what: str) -> random.Random:
        return chance_of(self.seed, self.night, what)

    def _one(self, night: trouble.Night) -> None:
        world = self.world
        self.night += 1
        world.next_day()
        self.staff.day(self._dice("staff"), night.actions)
        self._note(during=False)
        changes = self.user.day(self._dice("user"), night.changes, self.night)
        self._restore_or_copy(night)
        self._run(Plan("queue", {"changes": changes}, night.skew))
        trouble.prepare(world, self.staff, night, self._dice("trouble"))
        push = self._run(trouble.plan("push", night, self._dice("push")))
        self._note(during=True)
        given: dict[str, object] = {"models": night.models, "confirm_deletions": self.confirm}
        synced = self._run(trouble.plan("sync", night, self._dice("sync"), **given))
        world.server.faults.clear()
        self._note(during=True)
        self.confirm = "--confirm-deletions" in synced.told
        self._tell(night, push, synced)
        self._check(night, synced)

    def _note(self, *, during: bool) -> None:
        now = truth.records(self.world.store, self.world.quirks)
        today = self.world.now().astimezone(self.world.store.zone).date()
        self.journal.note(self._known, now, self.night, today, during=during)
        self._known = now

    def _run(self, plan: Plan) -> Ended:
        ended = self.world.run(plan)
        self.ends[f"{plan.do} {'killed' if ended.code is None else ended.code}"] += 1
        if ended.crash:
            self._fail([f"{plan.do} ended with an error nobody expects:\n{ended.crash}"])
        return ended

    def _restore_or_copy(self, night: trouble.Night) -> None:
        """A backup is made now and then, and now and then one comes back."""
        dice, home = self._dice("backup"), self.world.home
        if not home.exists():
            return
        if dice.random() < 0.3:
            copy = self.world.folder / f"backup-{self.night}"
            shutil.copytree(home, copy)
            self.backups.append(copy)
            if len(self.backups) > 3:
                shutil.rmtree(self.backups.pop(0))
        elif not night.calm and self.backups and dice.random() < 0.25:
            shutil.rmtree(home)
            shutil.copytree(dice.choice(self.backups), home)
            self.user.restored()
            self.complete.clear()
            self.ends["backup restored"] += 1

    def _tell(self, night: trouble.Night, push: Ended, synced: Ended) -> None:
        if self.say:
            kind = "calm" if night.calm else f"{night.faults} faults, skew {night.skew}"
            print(
                f"night {self.night}: {kind}; push {push.code} {push.told[:60]}; sync {synced.code}"
                f" {synced.requests} requests {synced.seconds:.1f} s, {synced.cpu:.1f} of the CPU: "
                f"{synced.told[:150]}",
                flush=True,
            )

    def _check(self, night: trouble.Night, synced: Ended) -> None:
        faults = self.user.broken(self.world.home, self.world.server.writes())
        ignored = self.world.server.ignored_rate_errors()
        if ignored > 3:
            faults.append(f"{ignored} rate errors ignored, the tenth blocks the key")
        warehouse = self.world.home / "build" / "warehouse.duckdb"
        if warehouse.exists() and synced.code is not None:
            raw = truth.Raw(warehouse, self.world.store.zone)
            faults += [f"{table} {key}: held twice" for table, key in raw.doubled]
            if synced.code == 0:
                self.complete.append(self.night)
                faults += self._stale(raw, night)
            self.compared += raw.compared
        if night.calm and synced.code != 0:
            self.uneasy += 1
            if self.uneasy > MOST_UNEASY:
                faults.append(f"{self.uneasy} calm nights did not end complete: {synced.told}")
        elif synced.code == 0:
            self.uneasy = 0
        if faults:
            self._fail(faults)

    def _stale(self, raw: truth.Raw, night: trouble.Night) -> list[str]:
        """What differs after a complete run and no allowance covers."""
        faults, excused = [], set()
        for key, what in raw.differences(self._known).items():
            if self.journal.excuse(key, self.night, self.complete):
                excused.add(key)
            else:
                event = self.journal.events.get(key)
                faults.append(f"{key[0]} {key[1]}: {what} (changed: {event})")
        if night.models and not night.busy:
            faults += self._figures(raw, excused)
        return faults

    def _end(self) -> None:
        """The service heals, all is read whole, a person decides: nothing may differ or wait."""
        models = bool(self.models_every)
        for full, decided in ((False, False), (True, False), (False, True)):
            self.night += 1
            self.world.next_day()
            push = self._run(Plan("push"))
            self._note(during=False)
            given = {
                "models": models and (full or decided),
                "full": full,
                "confirm_deletions": True,
            }
            synced = self._run(Plan("sync", given))
            self._tell(trouble.drawn(self._dice("end"), True, models), push, synced)
            if full:
                self.user.let_be(self.world.home)
        faults = []
        if synced.code != 0:
            faults.append(f"the last night ended with {synced.code}: {synced.told}")
        raw = truth.Raw(self.world.home / "build" / "warehouse.duckdb", self.world.store.zone)
        faults += [f"{t} {key}: {what}" for (t, key), what in raw.differences(self._known).items()]
        if models:
            faults += self._figures(raw, set())
        faults += self.user.broken(self.world.home, self.world.server.writes())
        waiting = self.user.waiting(self.world.home)
        # What hangs on a change that only a person can decide waits with it.
        faults += [
            what
            for what in waiting
            if what.startswith(("queued", "sending")) and ": waits for change" not in what
        ]
        if faults:
            self._fail(faults)

    def _figures(self, raw: truth.Raw, excused: set[truth.Key]) -> list[str]:
        """Figures of what readers see that are not the service's."""
        store, quirks = self.world.store, self.world.quirks
        path = self.world.home / "warehouse.duckdb"
        return truth.mart_differences(path, store, quirks, self._known, raw.rows, excused)

    def _fail(self, faults: list[str]) -> None:
        head = f"night {self.night}, seed {self.seed}, {len(faults)} faults"
        raise Broken("\n".join((head, *faults[:25])))

    def report(self) -> str:
        """What was simulated, and how old the mirror was allowed to be."""
        lines = [
            f"{self.night} nights, {self.journal.changes} changes of the service's records, "
            f"{len(self.user.expected)} queued changes, {self.compared} values compared",
            "runs: " + states(self.ends),
            "queue: " + states(self.user.waiting(self.world.home)),
            *(
                f"allowed, {kind} ({why}): {self.journal.used[kind]} times, at most "
                f"{self.journal.longest.get(kind, 0)} days"
                for kind, why in ALLOWED.items()
            ),
        ]
        return "\n".join(lines)


def soak(seed: int, nights: int, dialect: str, **options: Any) -> str:
    """One simulation from its seed; the report, or :class:`Broken`. Options: see :class:`Soak`."""
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        world = World(dialect, seed, Path(folder))
        with world.server:
            simulation = Soak(world, seed, **options)
            simulation.run(nights)
            return simulation.report()


def main() -> int:
    """The command line; 1 when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__, prog=f"python -m {MODULE}")
    parser.add_argument("--seed", type=int, default=1, help="of the first simulation")
    parser.add_argument("--seeds", type=int, default=1, help="simulations, one after the other")
    parser.add_argument("--nights", type=int, default=30)
    parser.add_argument("--dialect", choices=[*DIALECTS, "all"], default="all")
    parser.add_argument("--say", action="store_true", help="a line for each night")
    given = parser.parse_args()
    dialects = [*DIALECTS] if given.dialect == "all" else [given.dialect]
    broken = 0
    for seed in range(given.seed, given.seed + given.seeds):
        dialect = dialects[seed % len(dialects)]
        began = time.monotonic()
        again = f"python -m {MODULE} --seed {seed} --nights {given.nights} --dialect {dialect}"
        try:
            print(f"== {again}", flush=True)
            print(soak(seed, given.nights, dialect, say=given.say))
        except Broken as error:
            broken += 1
            print(f"BROKEN: {error}\nrepeat it: {again}", flush=True)
        print(f"{time.monotonic() - began:.0f} s", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
