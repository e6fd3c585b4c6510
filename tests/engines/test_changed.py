"""Builds of what changed at a PostgreSQL are equal to whole ones, whatever is cut off."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pipelines.home import Home
from pipelines.load.elsewhere import elsewhere
from pipelines.load.loader import LoadError
from pipelines.publish.changed import last_build
from tests.engines.equality import same
from tests.engines.nights import WEEK_AGO, Company, company
from tests.engines.postgres import Postgres

_ROOT = Path(__file__).parents[2]
_BUILD = """
import sys
from pathlib import Path
from pipelines.home import Home
from pipelines.load.elsewhere import elsewhere
from pipelines.publish.elsewhere import build_elsewhere
from sources.repair_shop.ledger import Ledger
home = Home(Path(sys.argv[1]))
with elsewhere(home, Ledger(home.ledger), "company") as there:
    build_elsewhere(there)
"""
_SLOW = """
    create function slow() returns trigger language plpgsql as
    'begin perform pg_sleep(5); return null; end';
    create trigger slow after delete on marts.tickets execute function slow()
"""
"""Between the rows of one table and those of the next there is time to die."""
_FULL = """
    create or replace function slow() returns trigger language plpgsql as
    $$begin raise 'No space left on device' using errcode = 'disk_full'; end$$
"""
_ASLEEP = "select pid from pg_stat_activity where wait_event = 'PgSleep'"


@pytest.fixture(scope="module")
def there(server: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    """After the first build, a whole one."""
    address = server.uri("nights")
    with company(address):
        made = Company(Home(tmp_path_factory.mktemp("nights")), address)
        made.changes.night(150)
        made.load()
        assert not made.build()
        yield made
        made.ledger.close()


def test_nights_of_random_changes_are_equal_to_whole_builds(there: Company) -> None:
    """`python -m bench.changes 20 5 0 postgres` does the same for as many nights as one likes."""
    for changes in (25, 1, 12):
        there.changes.night(changes)
        there.load()
        assert there.build()
        assert there.differences() == []
    ((grown, ended),) = there.ask(
        "select count(*), count(dbt_valid_to) from history.sales_documents"
    )
    assert grown > ended > 0
    same("Builds of what changed at PostgreSQL and whole ones", *there.compared)


def test_a_load_that_was_cut_off_is_news_until_its_rows_come_again(there: Company) -> None:
    there.changes.night(9)
    ((there.unfinished,),) = there.raw.execute(
        "select max(_dlt_load_id::int)::varchar from raw.tickets"
    )
    for sql in ("select ?", "update raw.tickets set device = 'C' where _dlt_load_id = ?"):
        there.raw.execute(sql, there.unfinished)
        there.load()
        assert there.build()
        assert there.differences() == []
    there.unfinished = ""


def test_whoever_dies_within_a_build_leaves_the_one_before(there: Company) -> None:
    there.ask(_SLOW)
    before = there.ask("select * from marts.tickets order by shop_id, id")

    def killed(kill: Callable[[int], None]) -> None:
        until = time.monotonic() + 60
        while not (found := there.ask(_ASLEEP)):
            assert time.monotonic() < until
            time.sleep(0.05)
        kill(found[0][0])

    there.changes.night(20)
    there.load()
    with subprocess.Popen(
        [sys.executable, "-c", _BUILD, str(there.home.path)],
        cwd=_ROOT, env=os.environ | {"PYTHONPATH": str(_ROOT)},
    ) as home:  # fmt: skip
        killed(lambda _: home.kill())
    with ThreadPoolExecutor(1) as pool:
        build = pool.submit(there.build)
        killed(lambda backend: os.kill(backend, signal.SIGKILL))
        with pytest.raises(LoadError, match="not up to date"):
            build.result()
    there.wait()
    there.ask(_FULL)
    with pytest.raises(LoadError, match=r"No space left on device\. Make room at the server"):
        there.build()  # and not a whole one, which takes more
    assert there.ask("select * from marts.tickets order by shop_id, id") == before
    there.ask("drop trigger slow on marts.tickets")
    assert there.build()
    assert there.differences() == []


def test_what_a_night_cannot_build_of_changes_is_built_whole_and_told(there: Company) -> None:
    """So is, once a week, what nights built otherwise; and a company's table that lost rows."""
    there.changes.night(5)
    there.load()
    there.ask("delete from marts.products")
    assert there.build()
    assert there.differences() == []
    there.ask("update marts__build.documents set gross = gross + 1")
    there.ask(WEEK_AGO)
    there.changes.night(5)
    there.load()
    assert not there.build()
    (told,) = there.told
    assert re.search(r"marts__build.documents held .*All tables are those of a whole build", told)
    ((found,),) = there.ask("select records from ops.findings")
    assert found == told.count(" held (rows, digest) ")
    there.told.clear()
    there.ask("alter table marts__build.payments drop column note cascade")
    there.changes.night(5)
    there.load()
    assert not there.build()
    assert "note" in there.told[0]
    assert there.differences() == []


def test_nothing_stands_where_it_is_not_known_what_changed(there: Company) -> None:
    def stands() -> bool:
        with elsewhere(there.home, there.ledger, "company") as place:
            assert place.client
            return last_build(place.client).stands

    assert stands()
    for harm, mend in (
        ("update ops.shops set timezone = 'UTC'", "update ops.shops set timezone = kept"),
        ("update ops.statuses set is_done = not is_done",) * 2,
        # A shop that moves: rows that only the other home had go without a load.
        (
            "update ops.shop_owners set home_id = 'new' where shop_id = 'main'",
            "update ops.shop_owners set home_id = rows_of",
        ),
        # Another version, or somebody with dbt, has built there.
        (
            "alter table marts__build.leads rename to away; "
            "create table marts__build.leads as select * from marts__build.away",
            "drop table marts__build.leads; alter table marts__build.away rename to leads",
        ),
    ):
        there.ask("alter table ops.shops add kept varchar; update ops.shops set kept = timezone")
        there.ask(harm)
        assert not stands(), harm
        there.ask(mend)
        assert stands(), mend
        there.ask("alter table ops.shops drop kept")
