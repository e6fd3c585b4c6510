"""A fake service, a home of its own and settings whose minute is short."""

import pytest
from pydantic import SecretStr

from pipelines.outbox import Outbox, enqueue
from pipelines.settings import Settings, ShopSettings
from tests.outbox.service import FakeService

MINUTE = 0.2
"""Seconds of a service's minute in these tests; every wait scales with it."""


def settings_for(home, base_url, **changes):
    values = {
        "name": "main",
        "api_key": SecretStr("key-of-main"),
        "timeout_seconds": 5.0,
        "minute_seconds": MINUTE,
        "requests_per_minute": 100_000,
        "settle_minutes": 1,
    }
    shop = ShopSettings(base_url=base_url, **(values | changes))
    return Settings(home=home, shops=(shop,))


def of_sandbox(home, server, *names, **changes):
    """For shops of a sandbox; its own minute is short too."""
    changes = {"minute_seconds": 0.1, **changes}
    each = [
        settings_for(home, server.base_url, name=name, api_key=server.keys[name], **changes)
        for name in names or ["main"]
    ]
    return Settings(home=home, shops=tuple(one.shops[0] for one in each))


def changes(settings):
    with Outbox(settings.home) as outbox:
        return outbox.changes()


def states(settings):
    return [change.state for change in changes(settings)]


def change(settings, number=1):
    with Outbox(settings.home) as outbox:
        return outbox.get(number)


def events(settings, number=1):
    """What happened to a change: the event and its words."""
    with Outbox(settings.home) as outbox:
        return [(row["event"], row["detail"]) for row in outbox.history(number)]


def history(settings, number=1):
    return [event for event, _ in events(settings, number)]


def at(step, act):
    """A hook that does something when a push reaches a step."""
    return lambda reached, number: act() if reached == step else None


def invoice(service, **fields):
    """An invoice that can be paid; its id."""
    service.records.setdefault("payments", {})
    return service.put("ticketInvoices", number="1", **fields)


def payment(to, amount=10, **line):
    """The body of a payment of an invoice."""
    return {"invoiceId": to, "lines": [{"amount": amount, "paymentMethod": "1", **line}]}


def pay(settings, to, amount=10, *, marker=False, **line):
    body = payment(to, amount, **line)
    return enqueue("payments", "create", body, marker=marker, settings=settings)


@pytest.fixture
def service():
    with FakeService() as running:
        yield running


@pytest.fixture
def settings(tmp_path, service):
    return settings_for(tmp_path, service.base_url)
