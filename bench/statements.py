"""``make models``: the statements that a build on DuckDB carries out, anew after an edit.

First what follows from the declared lists (:mod:`bench.staging`). Then dbt builds the models of
``transforms/`` over empty tables; what it made of them is kept there, in ``compiled.jsonl``.
"""

import tempfile
from pathlib import Path

from bench import staging
from pipelines.transform import compiled
from pipelines.transform.models import PROJECT, compile_in, prepare
from tests.transforms.raw import Raw


def main() -> None:
    """Write the files."""
    staging.write(PROJECT)
    with tempfile.TemporaryDirectory() as folder:
        raw = Raw(Path(folder) / "empty.duckdb")
        prepare(raw.path, [])
        nodes = compile_in(raw.path, home=Path(folder))
    compiled.write(PROJECT / compiled.FILE, compiled.fingerprint(PROJECT), nodes)


if __name__ == "__main__":
    main()
