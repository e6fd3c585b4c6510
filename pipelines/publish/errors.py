"""What keeps a reader from an answer."""


class NothingPublished(Exception):
    """Nothing was published yet, or what was cannot be read; the message says what to do.

    Exit code 2.
    """

    exit_code = 2


class QueryFailed(Exception):
    """A question that DuckDB could not answer; its message, and what mends it. Exit code 2."""

    exit_code = 2
