"""Questions to the published warehouse: values arrive as they are."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.publish.published import NothingPublished, published

VALUES = st.one_of(
    st.none(),
    st.integers(-(2**31), 2**31),
    st.dates(),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("home")
    duckdb.connect(str(path / "warehouse.duckdb")).close()
    return path


def test_a_value_comes_back_as_it_went_in(home: Path) -> None:
    with published(home) as warehouse:

        @given(VALUES)
        def one(value: object) -> None:
            assert warehouse.row("select $value as value", {"value": value})["value"] == value

        @given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))))
        def several(values: list[str]) -> None:
            asked = {"values": values, "other": "$values"}
            row = warehouse.row("select $values as several, $other as other", asked)
            assert row == {"several": values, "other": "$values"}

        one()
        several()
        with pytest.raises(TypeError):
            warehouse.rows("select $value", {"value": 1.5})
        with pytest.raises(KeyError):
            warehouse.rows("select $day", {"date": date(2026, 1, 1)})


def test_nothing_there_and_nothing_readable_are_said(tmp_path: Path) -> None:
    with pytest.raises(NothingPublished, match="run 'shopmirror sync' first"), published(tmp_path):
        pass
    (tmp_path / "warehouse.duckdb").write_bytes(b"no database" * 999)
    with pytest.raises(NothingPublished, match="publish it anew"), published(tmp_path):
        pass


@pytest.mark.parametrize(
    ("command", "slow"),
    [("status", ("pandas", "pyarrow", "dlt")), ("report", ("pandas", "altair", "fpdf", "dlt"))],
)
def test_a_look_loads_nothing_that_takes_longer_than_looking(
    command: str, slow: tuple[str, ...]
) -> None:
    modules = {
        "status": "pipelines.monitor.status",
        "report": "pipelines.report.closing, pipelines.report.page",
    }
    asked = f"import sys, {modules[command]}; print([n for n in {slow} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
