"""What random nights would miss: ``python -m bench.forgetting [seeds] [nights] [first]``.

Builds each night of :mod:`bench.changes` once more for each single reason for which a row is built
again (a part of a ``union`` of ``models/intermediate/changed``), without that reason, until a night
differs from a whole build. Prints the reasons whose loss none has shown; ends with 1 if there is
one.
"""

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import sqlglot
from sqlglot import expressions

from pipelines.transform import incremental, models
from pipelines.transform.compiled import Node
from pipelines.transform.models import build
from tests.transforms.changes import Nights, built_whole, differing, in_days, kept_alone
from tests.transforms.raw import Raw


def main() -> None:
    """Go on through all seeds, or until each reason was missed."""
    numbers = [int(given) for given in sys.argv[1:]]
    seeds, nights, first = [*numbers, *(5, 5, 0)[len(numbers) :]]
    unseen: list[str] | None = None
    with patch.object(incremental, "LEAST_LINES", 0), kept_alone():
        for seed in range(first, first + seeds):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "a.duckdb"
                raw = Raw(path, main="America/Guatemala", other="Europe/Berlin")
                changes = Nights(raw, seed)
                changes.night(150)
                build(path, home=path.parent, shops=[])
                for night in range(nights):
                    changes.night(1 + night % 4)
                    unseen = _still_unseen(path, night, unseen)
    print(f"{len(unseen or ())} reasons whose loss no night shows", *(unseen or ()), sep="\n  ")
    sys.exit(1 if unseen else 0)


def _still_unseen(path: Path, night: int, names: Sequence[str] | None) -> list[str]:
    """Of all reasons, or of those named, the ones without which this night is as a whole build."""
    home, copy = path.parent, path.with_name("forgetting.duckdb")
    unseen = []
    with in_days(night):
        whole = built_whole(path, home)
        for name, nodes in _forgetting(models.statements(path, home=home)):
            if names is None or name in names:
                shutil.copyfile(path, copy)
                with patch.object(models, "statements", lambda *_, of=nodes, **__: of):
                    told = build(copy, home=home, shops=[]).findings
                if not told and not differing(copy, whole):
                    unseen.append(name)
        build(path, home=home, shops=[])
    return unseen


def _forgetting(nodes: Sequence[Node]) -> Iterator[tuple[str, list[Node]]]:
    """Each reason, and the statements without it."""
    for place, node in enumerate(nodes):
        if not node.path.startswith("models/intermediate/changed/"):
            continue
        for part in range(len(_parts(sqlglot.parse_one(node.changed, read="duckdb")))):
            tree = sqlglot.parse_one(node.changed, read="duckdb")
            found = _parts(tree)[part]
            name = f"{node.name}: {found.sql(dialect='duckdb')}"
            found.where("false", copy=False)
            changed = replace(node, changed=tree.sql(dialect="duckdb"))
            yield name, [*nodes[:place], changed, *nodes[place + 1 :]]


def _parts(tree: expressions.Expr) -> list[expressions.Select]:
    selects = [*tree.find_all(expressions.Select)]
    return [s for s in selects if isinstance(s.parent, expressions.Union)] or selects[:1]


if __name__ == "__main__":
    main()
