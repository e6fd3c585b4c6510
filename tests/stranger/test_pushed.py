"""Records that a push wrote, as the next syncs look for them."""

from __future__ import annotations

from pipelines.outbox import Outbox, touched_since
from tests.stranger.conftest import Stranger
from tests.wire.doubles import Reply


def test_a_record_made_and_deleted_between_two_syncs_is_looked_for_once(stranger: Stranger) -> None:
    stranger.lists["/categories"] = [{"id": 1, "name": "Parts"}]
    stranger.missing = lambda: Reply(404, {"error": "Not found."})
    stranger.sync("categories")
    with Outbox(stranger.home) as outbox, outbox.transaction() as db:
        db.execute("insert into touched values ('main', 'categories', '148', 1.0, null, 2)")
    for _ in range(2):
        assert stranger.sync("categories").exit_code == 0
    asked = [seen.path for seen in stranger.loopback.seen]
    assert asked.count("/v1/categories/148") == 1
    assert touched_since(stranger.home) == []
