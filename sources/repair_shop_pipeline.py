"""Loads a repair shop's lists with dlt. Settings: see README.md of the source."""

import dlt
from repair_shop import repair_shop


def load_all() -> None:
    """Load every list; the next run loads what is new, changed or gone."""
    pipeline = dlt.pipeline(pipeline_name="repair_shop", destination="duckdb", dataset_name="raw")
    print(pipeline.run(repair_shop()))


def load_some_lists() -> None:
    """Load invoices and payments only, with their lines."""
    pipeline = dlt.pipeline(pipeline_name="repair_shop", destination="duckdb", dataset_name="raw")
    print(pipeline.run(repair_shop().with_resources("ticket_invoices", "payments")))


def load_history_in_portions() -> None:
    """A first load of hours, some of it visible after every 1,000 requests."""
    pipeline = dlt.pipeline(pipeline_name="repair_shop", destination="duckdb", dataset_name="raw")
    is_unfinished = True
    while is_unfinished:  # a run that loads nothing may not be the last one
        print(pipeline.run(repair_shop(max_requests=1000)))
        is_unfinished = bool(pipeline.state["sources"]["repair_shop"]["unfinished"])


if __name__ == "__main__":
    load_all()
    # load_some_lists()
    # load_history_in_portions()
