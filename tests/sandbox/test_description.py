"""The published OpenAPI document against the running service, property-based."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS

from sandbox.app import PREFIX
from sandbox.openapi import document
from sandbox.routes import READ_ROUTES
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from sandbox.writes import WRITE_ROUTES

schema = schemathesis.openapi.from_dict(document((*READ_ROUTES, *WRITE_ROUTES), PREFIX))
# A body that fits the description may name a customer that does not exist: it is rightly refused,
# so acceptance of every such body cannot be asked for. Nor can a read be asked to refuse whatever
# the description does not list: parameters it does not know are ignored.
ACCEPTED = CHECKS.get_one("positive_data_acceptance")
REFUSED = CHECKS.get_one("negative_data_rejection")


@pytest.fixture(scope="module")
def target() -> Iterator[SandboxServer]:
    with SandboxServer([ShopSpec("main", "America/Guatemala", limit=None)]) as server:
        yield server


@schema.parametrize()
@settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
def test_every_operation_answers_as_described(case: Any, target: SandboxServer) -> None:
    case.call_and_validate(
        base_url=target.base_url,
        headers={"Authorization": target.keys["main"]},
        excluded_checks=[ACCEPTED, REFUSED] if case.method == "GET" else [ACCEPTED],
    )
