"""What was at the bottom of an error that dlt wrapped several times."""

from collections.abc import Iterator

from sources.repair_shop.errors import first_line


class OutOfMemory(Exception):
    """There is too little memory for a load; no row is at fault, and none was lost. Exit code 2."""

    exit_code = 2

    def __init__(self, told: str) -> None:
        super().__init__(
            f"There is too little memory to load what was fetched, which is kept: {told} "
            "Give the machine, or the container, more of it and run it again."
        )


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def own_cause(error: BaseException) -> Exception | None:
    """What the rows themselves raised while dlt read them (the ledger's errors, a stop)."""
    for cause in _chain(error):
        if isinstance(cause, Exception) and hasattr(cause, "exit_code"):
            return cause
    return None


def explained(error: BaseException) -> str:
    """Why a load failed, in a sentence or two."""
    from dlt.common.schema.exceptions import DataValidationError

    for cause in _chain(error):
        if isinstance(cause, DataValidationError):
            return (
                f"a value of raw.{cause.table_name}.{cause.column_name} is not of that column's "
                "kind. The rows are kept; please report this."
            )
    return f"{first_line(list(_chain(error))[-1])} The rows are kept for the next run."
