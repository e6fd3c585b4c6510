"""A short stay in the simulator of ``make soak``: other days, faults, kills, clocks, a queue."""

import pytest

from tests.promises import promise
from tests.simulations.soak import Broken, Soak, soak
from tests.simulations.truth import Raw, records
from tests.simulations.world import Plan, World

pytestmark = pytest.mark.timeout(900)


@promise("all of it together, night after night, whatever staff, wire, clocks and backups do")
def test_some_nights_hold_every_promise():
    report = soak(seed=1, nights=2, dialect="loose", models_every=0)
    assert "queued changes" in report, report


def test_the_simulator_sees_what_a_mirror_lost(tmp_path):
    world = World("plain", 3, tmp_path)
    with world.server:
        simulation = Soak(world, seed=3)
        assert world.run(Plan("sync", {"models": False})).code == 0
        raw = Raw(tmp_path / "home" / "build" / "warehouse.duckdb", world.store.zone)
        known = records(world.store, world.quirks)
        assert raw.compared == 0
        assert raw.differences(known) == {}
        assert raw.compared > 10_000
        # A row that nothing ever told of, one that is held although it never was, a wrong amount.
        invoice = ("ticket_invoices", world.store.ids("ticket_invoices")[0])
        known["brands", "new"] = {"id": "new"}
        del known["tickets", world.store.ids("tickets")[0]]
        known[invoice] = {**known[invoice], "amount_total": 1}
        found = raw.differences(known)
        assert len(found) == 3
        assert "amount_total" in found[invoice]
        assert not any(simulation.journal.excuse(key, 1, [1]) for key in found)
        with pytest.raises(Broken, match="seed 3"):
            simulation._fail(["so"])
