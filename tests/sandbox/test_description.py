"""The published OpenAPI document against the running service, property-based."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from sandbox.openapi import document
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec

DESCRIPTION = document()
# A body that fits the description may name a customer that does not exist: it is rightly refused,
# so acceptance of every such body cannot be asked for.
NOT_ASKED = [positive_data_acceptance]
BOUNDED = settings(
    max_examples=2,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def target():
    with SandboxServer([ShopSpec("main", "America/Guatemala", limit=None)]) as server:
        yield server


def answers_as_described(case: Any, target: SandboxServer) -> None:
    case.call_and_validate(
        base_url=target.base_url,
        headers={"Authorization": target.keys["main"]},
        excluded_checks=NOT_ASKED,
    )


@pytest.fixture
def described():
    """Without the phase that tries each limit of each field: that the description names those of
    the specification is asked of its schemas, in tests/bodies."""
    schema = schemathesis.openapi.from_dict(DESCRIPTION)
    schema.config.phases.coverage.enabled = False
    return schema


@pytest.fixture
def reads(described):
    """Reads get parameters that fit: those that do not are the subject of test_lists, and any that
    the description does not list are ignored, as services do."""
    described.config.generation.update(modes=[schemathesis.GenerationMode.POSITIVE])
    return described


def those(fixture: str, *methods: str) -> Any:
    """Operations of a description that a fixture gives: so requests are made up in the process that
    sends them, and not in each that looks for its tests, which took each three seconds."""
    schema = schemathesis.pytest.from_fixture(fixture)
    return schema.include(method=list(methods)).parametrize()


@those("reads", "GET")
@BOUNDED
def test_every_read_answers_as_described(case, target):
    answers_as_described(case, target)


@those("described", "POST", "PUT", "DELETE")
@BOUNDED
def test_every_write_answers_as_described(case, target):
    answers_as_described(case, target)
