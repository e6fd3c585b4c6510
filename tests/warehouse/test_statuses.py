"""What a shop's ticket statuses mean: its settings, its own list, its words in five languages."""

import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipelines.doctor import doctor
from pipelines.sync.run import sync
from pipelines.transform.statuses import (
    Evidence,
    by_words,
    judge,
    named_in_settings,
    write_statuses,
)
from sandbox.quirks import Quirks
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from tests.few_models import build_few
from tests.homes import settings_of, shop_of


@pytest.mark.parametrize(
    ("label", "meaning"),
    [
        ("Completado", "closed"),
        ("Finalizado / Entregado", "closed"),
        ("Facturado", "closed"),
        ("ENTREGADO AL CLIENTE", "closed"),
        ("Sin reparación", "cancelled"),
        ("Entregue", "closed"),
        ("Não reparado", "cancelled"),
        ("Clôturé", "closed"),
        ("Annulée", "cancelled"),
        ("Abgeholt", "closed"),
        ("Fertig", "done"),
        ("Ready for Collection", "done"),
        ("Listo para entregar", "done"),
        ("Collected", "closed"),
        ("Cancelled", "cancelled"),
        ("En proceso", "open"),
        ("Por facturar", "open"),
        ("Pendiente de entrega", "open"),
        ("Not delivered", "open"),
        ("Parts delivered", "open"),
        ("Waiting for Parts", "open"),
        ("", "open"),
        ("( / )", "open"),
    ],
)
def test_usual_words(label, meaning):
    assert by_words(label) == meaning


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        # A flag of the service's own counts before what its list and its words say.
        (Evidence("1", "Weg", flag=False), "closed"),
        (Evidence("1", "Collected", flag=True), "done"),
        # The list hides it: over, whatever it is called; a finished one that is shown is over too.
        (Evidence("1", "Archivo 7", hidden=4), "closed"),
        (Evidence("1", "Entregado", shown=9, hidden=2), "closed"),
        (Evidence("1", "Archivo 7", shown=2, hidden=40), "closed"),
        (Evidence("1", "Archivo 7", shown=20, hidden=1), "open"),
        # Shown, so no word inside a longer label ends it.
        (Evidence("1", "Entregado a taller externo", shown=3), "open"),
        (Evidence("1", "Anulado por el cliente", shown=1), "cancelled"),
        # Settings count before everything, by id or by label in any spelling.
        (Evidence("77", "Entregado", hidden=9), "open"),
        (Evidence("5", "listo  YA", shown=9), "closed"),
        (Evidence("5", "Devolvio", flag=True), "cancelled"),
    ],
)
def test_what_decides(status, meaning):
    settings = named_in_settings(
        shop_of(
            done_statuses="Listo ya, Terminado",
            cancelled_statuses="Devolvió",
            open_statuses="77",
        )
    )
    assert judge(status, settings)[0] == meaning


SPANISH_OVER = {"Anulado por el cliente", "Finalizado / Entregado", "Sin reparación"}
SPANISH_OPEN = {
    "Nuevo", "En proceso", "Esperando repuesto", "Esperando cliente", "Reparado",
    "Listo para entregar",
}  # fmt: skip


def _asked(home: Path, sql: str) -> dict[str, Any]:
    with duckdb.connect(str(home / "warehouse.duckdb"), read_only=True) as warehouse:
        return dict(warehouse.execute(sql).fetchall())


def test_spanish_labels_without_a_flag_and_a_shop_that_is_its_own_account(
    tmp_path, empty, monkeypatch
):
    """Together, because each of them alone would need a mirror and a build of its own."""
    build_few(monkeypatch, "marts.tickets")
    shutil.copytree(empty, tmp_path, dirs_exist_ok=True)
    specs = [
        ShopSpec("hides", quirks=Quirks(status_labels="spanish"), limit=None),
        ShopSpec("shows", quirks=Quirks(status_labels="spanish", finished_shown=True), limit=None),
    ]
    with SandboxServer(specs, size="tiny") as server:
        more = {"requests_per_minute": 100_000, "minute_seconds": 1}
        settings = settings_of(server, tmp_path, shop_accounts="nobody@example.com", **more)
        assert sync(settings).exit_code == 0
        labels = "select shop_id || '/' || is_closed, list(distinct status) from marts.tickets "
        over = _asked(tmp_path, labels + "group by 1")
        for shop in ("hides", "shows"):
            assert {"Finalizado / Entregado"} < set(over[f"{shop}/true"]) <= SPANISH_OVER
            assert set(over[f"{shop}/false"]) <= SPANISH_OPEN
        assert _asked(tmp_path, "select meaning, meaning from ops.findings") == {}
        for examined in doctor(settings)[1:]:
            assert "Entregado" in examined.items["statuses: closed"]

        counted = (
            "select coalesce(technician, '-'), count(*) from marts.tickets "
            "where shop_id = 'hides' group by 1"
        )
        before = _asked(tmp_path, counted)
        name = max(name for name in before if name != "-")
        own = settings_of(server, tmp_path, shop_accounts=f"x, {name.upper()}", **more)
        sync(own, resources=["taxRates"])
        after = _asked(tmp_path, counted)
    assert name not in after
    assert after["-"] == before[name] + before.get("-", 0)


@pytest.fixture
def seen_once():
    """Twenty tickets that bear the bare id of their status, one of which the bare list showed."""
    with duckdb.connect() as made:
        made.execute(
            """
            create schema raw; create schema ops;
            create table raw.statuses as select 'main' as shop_id, '1' as id, 'New' as label,
                'repair' as type, true as in_pipeline, timestamp '2026-03-01' as _seen_at,
                null::timestamp as _deleted_at;
            create table raw.tickets as select 'main' as shop_id, n::varchar as id,
                null::varchar as status__id, '1' as status__label, '2026-03-01' as created_date,
                null::varchar as last_updated, timestamp '2026-03-01' as _seen_at,
                null::timestamp as _deleted_at from range(20) as t(n);
            create table ops.pipeline_looks as select 'main' as shop_id, '2026-03-09' as day,
                '2026-02-01' as after, '' as before, '["1"]' as ids;
            create table ops.statuses (shop_id varchar, status_id varchar, label varchar,
                meaning varchar, is_closed boolean, is_done boolean, reason varchar,
                shown integer, hidden integer, label_now varchar, looked_on varchar);
            create table ops.completeness as select 'main' as shop_id, 'tickets' as resource,
                'full' as kind, true as is_proven;
            """
        )
        yield made


def _judged(made: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    write_statuses(made, [shop_of()])
    return made.execute("select label, meaning, hidden from ops.statuses order by 1").fetchall()


def test_a_ticket_that_bears_the_bare_id_of_its_status_has_the_services_flag(seen_once):
    """The list shows few of its tickets, which would say that it is over."""
    assert _judged(seen_once) == [("1", "open", 19), ("New", "open", 0)]


def test_tickets_that_came_or_were_opened_again_after_the_look_do_not_close_their_status(seen_once):
    """With days of the past, or without a word of when; and a new name opens no other one."""
    seen_once.execute(
        """
        delete from raw.statuses;
        insert into raw.statuses select 'main', n, 'Phase ' || n, 'repair', null, '2026-03-01', null
            from range(1, 3) as t(n);
        update raw.tickets set status__id = if(id = '1', '1', '2');
        update raw.tickets set status__label = 'Phase ' || status__id;
        """
    )
    before = _judged(seen_once)
    seen_once.execute(
        """
        update raw.tickets set status__id = '1', status__label = 'Phase 1' where id::int < 10;
        update raw.statuses set label = 'Third', _seen_at = '2026-03-10' where id = '2';
        """
    )
    after = _judged(seen_once)
    assert before == [("Phase 1", "open", 0), ("Phase 2", "closed", 19)]
    assert after == [("Phase 1", "open", 0), ("Phase 2", "closed", 19), ("Third", "closed", 19)]


def test_tickets_that_were_missing_when_the_look_was_worked_out_count_once_they_come(seen_once):
    """A night on which some pages of them failed looks as well; the next one reads the rest."""
    seen_once.execute(
        """
        delete from raw.statuses;
        update raw.tickets set status__id = if(id::int < 5, '1', '2');
        update raw.tickets set status__label = 'Phase ' || status__id;
        create table missing as select * from raw.tickets where status__id = '2';
        delete from raw.tickets where status__id = '2';
        update ops.completeness set is_proven = false;
        """
    )
    before = _judged(seen_once)
    seen_once.execute("insert into raw.tickets from missing")
    read_whole = _judged(seen_once)
    seen_once.execute("update ops.completeness set is_proven = true")
    assert before == [("Phase 1", "open", 4)]
    assert read_whole == [("Phase 1", "open", 4), ("Phase 2", "closed", 15)] == _judged(seen_once)
