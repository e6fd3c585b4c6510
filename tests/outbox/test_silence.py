"""A service that takes no writes for a while costs neither the queue nor a person's evening."""

from pipelines.outbox import enqueue, push
from tests.fakes.loopback import Reply
from tests.outbox.conftest import invoice, payment, states

NAMES = [f"Brand {number}" for number in range(8)]


def test_after_three_silent_writes_the_rest_stays_queued(settings, service):
    enqueue("brands", "create", [{"name": name} for name in NAMES], settings=settings)
    service.lose = ["500 before"] * 40
    report = push(settings)
    assert report.exit_code == 3
    assert "without an answer" in str(report.errors["main"])
    assert states(settings) == ["in_doubt"] * 3 + ["queued"] * 5
    service.lose = []
    assert push(settings).exit_code == 0
    made = [record["name"] for record in service.records["brands"].values()]
    assert sorted(made) == NAMES


def test_payments_not_sent_while_the_service_is_silent_stay_queued(settings, service):
    rows = [payment(invoice(service, payments=[])) for _ in range(5)]
    enqueue("payments", "create", rows, settings=settings)
    service.lose = ["before"] * 3
    report = push(settings)
    assert report.exit_code == 3
    assert states(settings) == ["in_doubt"] * 3 + ["queued"] * 2
    assert push(settings).exit_code == 1
    assert states(settings) == ["in_doubt"] * 3 + ["done"] * 2


def test_answers_that_get_lost_do_not_stop_a_push(settings, service):
    enqueue("brands", "create", [{"name": name} for name in NAMES], settings=settings)
    service.lose = ["after"] * 8
    assert push(settings).exit_code == 0
    assert service.count("create", "brands") == 8


def test_a_look_that_fails_for_a_while_is_made_again(settings, service):
    record, read, seen = service.put("brands", name="Acme"), service._read, []

    def failing(path, query):
        seen.append(path)
        looks = path == f"brands/{record}" and 2 <= seen.count(path) <= 4
        return (503, {"error": "Later."}) if looks else read(path, query)

    service._read = failing
    enqueue("brands", "update", {"name": "Bolt"}, record_id=record, settings=settings)
    service.lose = ["before"]
    assert push(settings).exit_code == 0
    assert service.count("update", "brands") == 1


def test_an_id_that_only_location_names(settings, service):
    write = service._write

    def located(method, path, body, raw):
        made = write(method, path, body, raw)
        return Reply(made.status, None, {"Location": f"/v1/{path}/{made.body['id']}"})

    service._write = located
    enqueue("brands", "create", {"name": "Acme"}, settings=settings)
    report = push(settings)
    assert report.exit_code == 0
    assert [change["id"] for change in report.changes] == list(service.records["brands"])
    assert report.requests == 3
