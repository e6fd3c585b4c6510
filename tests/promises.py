"""The promises of the product, and the marks of the tests that show each.

``@promise("a queue put back from a backup pays nothing twice")`` marks a test that goes through a
public face. ``python -m tests.promises`` writes the table of ``docs/proofs.md`` from the marks; a
test fails when a promise has none, or when the table says otherwise.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PROMISES = (
    "never more than the limit in any minute as the service sees it, never a fourth strike",
    "a push has a lane of its own beside a first load",
    "killed at any moment: nothing lost, nothing doubled, nothing asked again",
    "whatever breaks at a service that is not ours, a mirror that says it is complete is",
    "rows that come and go while a list is read hide no other, or the list is unproven",
    "no answer stops a list, whatever JSON it holds",
    "a row deleted at the service is marked the next night, however old",
    "what lists hide unless they are asked is read",
    "many rows that vanish at once are not believed without a person",
    "reports agree to the cent, whatever shapes the service answers in",
    "an old edit is found by the report of its month",
    "what the service counts as a sale is found out",
    "each change is sent once, a payment never twice",
    "a queue put back from a backup pays nothing twice",
    "a queue is sent to no other service than its own",
    "dlt init makes a project that runs, with any destination of dlt",
    "the models say the same on DuckDB, PostgreSQL and Spark",
    "several homes load into one PostgreSQL, and none takes another's shop",
    "nights run by themselves; what fails is told once, and once when it is over",
    "one shop's failure leaves the others their night",
    "reports, page and notices are said in Spanish",
    "the demo shows a whole mirror offline",
    "what is published opens in DuckDB 1.2 and later",
    "every end has the exit code of the interface",
    "a key is in no log, error, table or file",
    "what is written is readable by its owner alone",
    "all of it together, night after night, whatever staff, wire, clocks and backups do",
)
HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "proofs.md"
_TABLE = re.compile(r"\| promise \| shown by \|\n(?:\|.*\n)+")


def promise(text: str) -> pytest.MarkDecorator:
    """The mark of a test that shows a promise; ValueError for one that nobody made."""
    if text not in PROMISES:
        raise ValueError(f"nobody promised {text!r}; see tests/promises.py")
    return pytest.mark.promise(text)


def _marks(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text if "promise(" in text else "")):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "promise":
            yield ast.unparse(node.args[0])


def shown() -> dict[str, list[str]]:
    """Promise -> the files whose tests show it."""
    found: dict[str, list[str]] = {text: [] for text in PROMISES}
    for path in sorted(HERE.rglob("test_*.py")):
        marks = set(_marks(path))
        for text in PROMISES:
            if repr(text) in marks:
                found[text].append(path.relative_to(HERE.parent).as_posix())
    return found


def written(page: str) -> str:
    """The page with its table as the marks have it."""
    rows = [f"| {text} | {', '.join(f'`{one}`' for one in by)} |" for text, by in shown().items()]
    table = "\n".join(["| promise | shown by |", "|---|---|", *rows, ""])
    return _TABLE.sub(lambda _: table, page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
