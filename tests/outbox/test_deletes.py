"""Deletes wait for what still names their record."""

import pytest

from pipelines.outbox import enqueue, push
from tests.outbox.conftest import change, states


def test_a_delete_waits_for_what_still_names_the_record(settings, service):
    record = service.put("customers", name="Ann")
    enqueue("tickets", "create", {"customerId": record, "shortInfo": "x"}, settings=settings)
    enqueue("customers", "delete", record_id=record, settings=settings)
    service.lose = ["refuse"]
    push(settings)
    assert states(settings) == ["rejected", "done"]


@pytest.mark.parametrize(
    ("resource", "body"),
    [
        ("tickets", lambda model: {"shortInfo": "x", "deviceModelId": int(model)}),
        ("products", lambda model: {"additionalModels": f"7, {model}"}),
    ],
)
def test_a_delete_waits_for_what_names_the_record_in_another_form(
    settings, service, resource, body
):
    model, one = (service.put(name, name="A") for name in ("models", resource))
    enqueue(resource, "update", body(model), record_id=one, settings=settings)
    enqueue("models", "delete", record_id=model, settings=settings)
    service.lose = ["before"]
    push(settings, wait=False)
    assert states(settings) == ["in_doubt", "queued"]


def test_a_delete_waits_for_what_names_the_record_by_its_change(settings, service):
    [ann] = enqueue("customers", "create", {"name": "Ann"}, settings=settings)
    body = {"name": "x", "mobile": "1", "subject": "x"}
    [lead] = enqueue("leads", "create", body, settings=settings)
    body = {"subject": "x", "dateandtime": "2026-03-05 10:00", "customer": f"@{ann}"}
    enqueue("appointments", "create", body | {"leads": f"@{lead}"}, settings=settings)
    enqueue("customers", "delete", record_id=f"@{ann}", settings=settings)
    service.lose = ["ok", "refuse"]
    push(settings)
    assert states(settings) == ["done", "rejected", "queued", "queued"]
    assert "which names the record" in change(settings, 4).reason
