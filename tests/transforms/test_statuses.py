"""What a shop's ticket statuses mean: its settings, its own list, its words in five languages."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from pipelines.monitor.doctor import doctor
from pipelines.sync.run import sync
from pipelines.transform.statuses import Evidence, by_words, judge, named_in_settings
from sandbox.quirks import Quirks
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from sources.repair_shop.settings import Settings, ShopSettings


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
def test_usual_words(label: str, meaning: str) -> None:
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
        # Settings count before everything, by id or by label in any spelling.
        (Evidence("77", "Entregado", hidden=9), "open"),
        (Evidence("5", "listo  YA", shown=9), "closed"),
        (Evidence("5", "Devolvio", flag=True), "cancelled"),
    ],
)
def test_what_decides(status: Evidence, meaning: str) -> None:
    settings = named_in_settings(
        ShopSettings(
            name="main",
            base_url="http://127.0.0.1:1/v1",
            api_key="k",
            done_statuses="Listo ya, Terminado",
            cancelled_statuses="Devolvió",
            open_statuses="77",
        )
    )
    assert judge(status, settings).meaning == meaning


@pytest.mark.parametrize("finished_shown", [False, True])
def test_a_shop_with_spanish_labels_and_no_flag(tmp_path: Path, finished_shown: bool) -> None:
    quirks = Quirks(status_labels="spanish", finished_shown=finished_shown)
    with SandboxServer([ShopSpec("main", quirks=quirks, limit=None)], size="tiny") as server:
        shop = ShopSettings(
            name="main",
            base_url=server.base_url,
            api_key=server.keys["main"],
            requests_per_minute=100_000,
            minute_seconds=1,
            shop_accounts="nobody@example.com",
        )
        settings = Settings(home=tmp_path, shops=(shop,))
        assert sync(settings).exit_code == 0
        with duckdb.connect(str(tmp_path / "warehouse.duckdb"), read_only=True) as warehouse:
            over = warehouse.execute(
                "select is_closed, list_sort(list(distinct status)) from marts.tickets group by 1"
            ).fetchall()
            unsure = warehouse.execute("select * from ops.findings").fetchall()
        examined = doctor(settings)[0].profile
    assert dict(over)[True] == [
        "Anulado por el cliente",
        "Finalizado / Entregado",
        "Sin reparación",
    ]
    assert set(dict(over)[False]) <= {
        "Nuevo", "En proceso", "Esperando repuesto", "Esperando cliente", "Reparado",
        "Listo para entregar",
    }  # fmt: skip
    assert unsure == []
    assert examined is not None and "Entregado" in examined.items["statuses: closed"]


def test_the_shop_itself_is_nobodys_technician(tmp_path: Path) -> None:
    with SandboxServer([ShopSpec("main", limit=None)], size="tiny") as server:
        shop = ShopSettings(
            name="main",
            base_url=server.base_url,
            api_key=server.keys["main"],
            requests_per_minute=100_000,
            minute_seconds=1,
        )
        sync(Settings(home=tmp_path, shops=(shop,)))
        counted = "select coalesce(technician, '-'), count(*) from marts.tickets group by 1"
        with duckdb.connect(str(tmp_path / "warehouse.duckdb"), read_only=True) as warehouse:
            before = dict(warehouse.execute(counted).fetchall())
        name = max(name for name in before if name != "-")
        named = shop.model_copy(update={"shop_accounts": f"x, {name.upper()}"})
        sync(Settings(home=tmp_path, shops=(named,)))
        with duckdb.connect(str(tmp_path / "warehouse.duckdb"), read_only=True) as warehouse:
            after = dict(warehouse.execute(counted).fetchall())
    assert name not in after
    assert after["-"] == before[name] + before.get("-", 0)
