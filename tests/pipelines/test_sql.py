"""Values written into SQL: what DuckDB reads back is what was meant, and pandas stays away."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.sql import literal, written

TEXT = st.text(st.characters(exclude_categories=("Cs",)))
VALUES = st.one_of(
    st.none(),
    TEXT,
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.dates(),
    st.lists(TEXT, max_size=3),
)
ROOT = Path(__file__).parents[2]


@settings(max_examples=60)
@given(VALUES)
def test_what_is_written_is_read_back(value):
    with duckdb.connect() as connection:
        assert connection.execute(f"select {literal(value)}").fetchall() == [(value,)]


def test_moments_keep_their_instant_and_names_stay_values():
    moment = datetime(2026, 11, 22, 8, 0, 0, 123456, UTC)
    sql = written(
        "select $since = timestamptz '2026-11-22 10:00:00.123456+02', $name",
        {"since": moment, "name": "$since'; --"},
    )
    with duckdb.connect() as connection:
        assert connection.execute(sql).fetchall() == [(True, "$since'; --")]


@pytest.mark.parametrize("value", [1.5, datetime(2026, 1, 1), {"a": 1}])
def test_what_no_question_has_is_refused(value):
    with pytest.raises(TypeError):
        literal(value)


def test_opening_a_home_and_writing_evidence_load_no_pandas(tmp_path):
    code = (
        "import sys; from pathlib import Path; from pipelines.home import Home; "
        "from pipelines.load.loader import Loader; from pipelines.transform.models import prepare; "
        "home = Home(Path(sys.argv[1])); loader = Loader(home); loader.prepare(); "
        "loader.write_ops('requests', [{'shop_id': 'a', 'requests': 3}]); "
        "assert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, cwd=ROOT)


def test_a_run_hides_pandas_from_those_who_only_look_whether_it_is_there():
    code = (
        "import sys, duckdb, pyarrow; from pipelines.load.imports import without\n"
        "with without('pandas'):\n"
        "    duckdb.execute('select ?', [1]); pyarrow.array([1])\n"
        "assert 'pandas' not in sys.modules\n"
        "assert len(duckdb.sql('select 1').df()) == len(pyarrow.table({'a': [1]}).to_pandas())"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
