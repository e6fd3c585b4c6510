"""Pages that a destination could not take: kept, named, and tried again.

A page goes here when nothing but that page makes a load fail. The pages around it are loaded. It is
tried again by the next runs (a fault may have been the machine's), and after :data:`TRIES` in vain
by every version of the code that differs from the one that failed.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .records import StoredPage, now_text
from .store import Ledger

TRIES = 3
"""Loads of a page by one version of the code before only another version tries it again."""


@dataclass(frozen=True)
class AsidePage:
    """A page that is set aside, and why."""

    seq: int
    shop: str
    resource: str
    request: str
    reason: str
    at: str

    def __str__(self) -> str:
        return (
            f"{self.resource}: the answer to {self.request} could not be loaded ({self.reason}); "
            "it is kept and tried again by a newer version"
        )


def set_aside(ledger: Ledger, page: StoredPage, reason: str) -> None:
    """Keep a page out of the next loads, for a reason.

    Its rows count as never seen, so whichever answer shows one next is loaded, changed or not.
    """
    ledger.execute(
        "INSERT INTO set_aside(seq, at, reason, version, tries) VALUES (?,?,?,?,1) "
        "ON CONFLICT DO UPDATE SET at=excluded.at, reason=excluded.reason, is_tried=0, "
        "tries=CASE version WHEN excluded.version THEN tries + 1 ELSE 1 END, "
        "version=excluded.version",
        [(page.seq, now_text(), reason, code_version())],
    )
    ledger.execute(
        "UPDATE seen SET digest=x'' WHERE shop=? AND resource=? AND ? IN (changed, seq)",
        [(page.shop, page.resource, page.seq)],
    )


def try_again(ledger: Ledger) -> None:
    """Put those pages at the end of the log that another try may help; forget those that helped.

    At the end every destination comes by them. Rows that were answered anew meanwhile are not
    loaded from there, because the log gives each row from its newest answer alone.
    """
    ledger.execute("DELETE FROM set_aside WHERE is_tried", [()])
    again = ledger.query(
        "SELECT a.seq FROM set_aside a JOIN pages p USING (seq) JOIN scans s USING (scan_id) "
        "WHERE NOT a.is_tried AND s.state <> 'open' AND (a.version <> ? OR a.tries < ?) "
        "ORDER BY a.seq",
        (code_version(), TRIES),
    )
    for (seq,) in again:
        new = ledger.append_again(seq)
        ledger.execute("UPDATE set_aside SET seq=?, is_tried=1 WHERE seq=?", [(new, seq)])


def forget_aside(ledger: Ledger, seqs: Iterable[int]) -> None:
    """Let pages wait as if they had not been set aside."""
    ledger.execute("DELETE FROM set_aside WHERE seq=?", [(seq,) for seq in seqs])


def pages_aside(ledger: Ledger) -> list[AsidePage]:
    """Every page that is set aside, oldest first."""
    rows = ledger.query(
        "SELECT a.seq, s.shop, s.resource, p.request, a.reason, a.at FROM set_aside a "
        "JOIN pages p USING (seq) JOIN scans s USING (scan_id) "
        "WHERE NOT a.is_tried ORDER BY a.seq"
    )
    return [AsidePage(*row) for row in rows]


@cache
def code_version() -> str:
    """A digest of the code that makes rows of answers, and of what loads them."""
    digest = hashlib.sha256()
    source = Path(__file__).parent.parent
    for path in sorted(
        [*source.glob("*.py"), *source.glob("schema/*.py"), *source.glob("http/*.py")]
    ):
        digest.update(path.read_bytes())
    for package in ("dlt", "duckdb", "pyarrow"):
        try:
            digest.update(version(package).encode())
        except PackageNotFoundError:  # that destination is not used here
            continue
    return digest.hexdigest()[:16]
