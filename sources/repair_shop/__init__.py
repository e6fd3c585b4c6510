"""Every list of a repair shop's service, as a dlt source. See ``README.md`` beside this file.

``repair_shop()`` is a ``@dlt.source`` with one resource a list, named as its raw table:
``tickets``, ``ticket_invoices``, ``pos_orders``, ``payments``, ``customers`` and 30 more::

    pipeline = dlt.pipeline("repair_shop", destination="duckdb", dataset_name="raw")
    pipeline.run(repair_shop())
    pipeline.run(repair_shop().with_resources("ticket_invoices", "payments"))

Where to look:

- ``source.py``: the source, its arguments, and how a list becomes a resource
- ``schema/lists/``: the lists, each one row of declarations; ``schema/``: what a value becomes
- ``mirror.py``, ``extract.py``, ``scan/``: what is asked, in which order; when a list is complete
- ``ledger/``, ``change_log.py``: what was answered, and what a destination is to read of it
- ``http/``, ``budget/``: one request, and how many there may be
- ``settings.py``, ``sections.py``: the settings of a shop, and how they are read
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .source import repair_shop

__all__ = ["repair_shop"]


def __getattr__(name: str) -> Any:
    """The source, imported when it is asked for: dlt takes a second to import."""
    if name == "repair_shop":
        from .source import repair_shop

        return repair_shop
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
