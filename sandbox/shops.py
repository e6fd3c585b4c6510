"""What a shop of the sandbox is made of: how it answers, and its records."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from sandbox.generator import Size, generate
from sandbox.quirks import Quirks
from specification import LIMITS

Records = Iterable[tuple[str, Mapping[str, Any]]]
"""``(resource, record)`` pairs."""


@dataclass(frozen=True)
class ShopSpec:
    """One shop to serve.

    Attributes:
        name: lower-case name; it appears nowhere in an answer but ``/info``.
        timezone: IANA name; every day of a filter or report is a day there.
        quirks: how it answers.
        limit: requests a minute; None lifts the limit.
        key: a fixed key for tests; None makes one, unless the file already holds one.
        seed: of the generator.
        until: last day of the generated data; None takes the generator's fixed default.
        records: ``(resource, record)`` pairs to serve instead of generated ones.
    """

    name: str = "main"
    timezone: str = "UTC"
    quirks: Quirks = field(default_factory=Quirks)
    limit: int | None = LIMITS.requests_per_minute
    key: str | None = field(default=None, repr=False)
    seed: int = 1
    until: date | None = None
    records: Records | None = field(default=None, repr=False)

    def as_made(self) -> "ShopSpec":
        """What a generated shop follows from, without what its answers alone show."""
        seen = self.quirks.model_dump(include={"status_labels", "second_look"})
        return ShopSpec(self.name, self.timezone, Quirks(**seen), seed=self.seed, until=self.until)


def records_of(spec: ShopSpec, size: Size) -> Records:
    """The records that a shop begins with."""
    if spec.records is not None:
        return spec.records
    return generate(
        seed=spec.seed,
        size=size,
        shop=spec.name,
        timezone=spec.timezone,
        until=spec.until,
        in_spanish=spec.quirks.status_labels == "spanish",
        numbered=spec.quirks.second_look,
    )
