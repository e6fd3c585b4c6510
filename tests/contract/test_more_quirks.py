"""Quirks that stand where tests once reached into the sandbox, faults that count, and its clock."""

import httpx
import pytest

from tests.contract.asking import post

DAYS = [f"2026-01-{day:02d}T10:00:00-0600" for day in range(1, 28)]
BRANDS = [
    ("brands", {"id": f"b{n}", "name": f"B{n}", "created_date": d}) for n, d in enumerate(DAYS)
]


def ids(client, path="/brands", **asked):
    return [row["id"] for row in client.get(path, params=asked).json()]


def test_a_page_has_as_many_rows_as_the_shop_says(inside):
    sandbox, client, _ = inside(BRANDS, page_rows=10)
    assert [len(ids(client, page=n)) for n in (1, 2, 3, 4)] == [10, 10, 7, 0]
    sandbox.turn(page_rows=50)
    assert len(ids(client)) == 27


def test_an_order_that_is_ignored_is_the_newest_first(inside):
    _, client, _ = inside(BRANDS, sort="ignored")
    assert ids(client, sort="oldest") == ids(client, sort="newest") == ids(client)
    assert client.get("/brands", params={"sort": "up"}).status_code == 400


@pytest.mark.parametrize(
    ("paging", "second", "by_offset"),
    [("page", 10, 0), ("offset_only", None, 10), ("offset_repeats", 0, 10), ("none", 0, 0)],
)
def test_the_second_page_comes_by_number_by_offset_or_never(inside, paging, second, by_offset):
    _, client, _ = inside(BRANDS, page_rows=10, paging=paging)
    whole = [row["id"] for row in sorted((r for _, r in BRANDS), key=lambda r: r["created_date"])]
    newest = whole[::-1]
    assert ids(client, page=2) == ([] if second is None else newest[second : second + 10])
    assert ids(client, offset=10, limit=10) == newest[by_offset : by_offset + 10]


def test_a_status_filter_may_show_the_pipeline_only(inside):
    records = [
        ("statuses", {"id": 1, "label": "New", "type": "repair", "in_pipeline": True}),
        ("statuses", {"id": 2, "label": "Done", "type": "repair", "in_pipeline": False}),
        *(
            ("tickets", {"id": f"t{n}", "ticket_no": str(n), "status": {"id": n, "label": word},
                         "_in_pipeline": n == 1, "created_date": DAYS[n]})
            for n, word in ((1, "New"), (2, "Done"))
        ),
    ]  # fmt: skip
    sandbox, client, _ = inside(records)
    assert ids(client, "/tickets", status="Done") == ["t2"]
    sandbox.turn(status_filter="pipeline")
    assert ids(client, "/tickets", status="Done") == []
    assert ids(client, "/tickets", status="New") == ["t1"]
    assert ids(client, "/tickets/updated") == ["t2", "t1"]


def test_a_new_record_shows_in_lists_after_its_time(inside):
    _, client, clock = inside(BRANDS, shows_after=90)
    made = post(client, "/brands", name="Late")
    assert made not in ids(client)
    assert client.get(f"/brands/{made}").status_code == 200
    clock.ticks += 91
    assert made in ids(client)


@pytest.mark.parametrize(
    ("keeps", "kept"),
    [
        ("as_sent", "Piñatas &  <Sons> of the port"),
        ("upper", "PIÑATAS &  <SONS> OF THE PORT"),
        ("escaped", "Piñatas &amp;  &lt;Sons&gt; of the port"),
        ("one_line", "Piñatas & <Sons> of the port"),
        ("cut", "Piñatas &  <Sons> of"),
    ],
)
def test_texts_are_kept_as_the_shop_keeps_them(inside, keeps, kept):
    sandbox, client, _ = inside(BRANDS, keeps=keeps)
    made = post(client, "/brands", name="Piñatas &  <Sons> of the port")
    assert client.get(f"/brands/{made}").json()["name"] == kept
    assert sandbox.store().get("brands", made)["name"] == kept


def test_a_rate_error_out_of_turn_begins_the_silence(inside):
    sandbox, client, clock = inside(BRANDS, limit=30)
    sandbox.faults.next("rate_error")
    assert [client.get("/brands").status_code for _ in range(3)] == [401, 401, 401]
    assert (sandbox.rate_errors(), sandbox.ignored_rate_errors()) == (3, 2)
    clock.ticks += 61
    assert client.get("/brands").status_code == 200


def test_faults_of_the_wire_reach_a_client_in_the_same_process(inside):
    sandbox, client, _ = inside(BRANDS)
    for kind in ("reset", "truncated_body", "drop_answer_after_commit"):
        sandbox.faults.next(kind)
        with pytest.raises(httpx.TransportError):
            client.post("/brands", json={"name": kind})
    assert [row["name"] for row in sandbox.store().all("brands")][-2:] == [
        "truncated_body",
        "drop_answer_after_commit",
    ]


def test_a_shop_that_hides_still_asks_for_types_and_payment_days(inside):
    fields = [
        ("custom_fields", {"id": n, "type": kind, "name": kind, "created_date": DAYS[0]})
        for n, kind in enumerate(("tickets", "leads"), 1)
    ]
    users = [
        ("users", {"id": name, "status": name, "created_date": DAYS[0]})
        for name in ("Active", "In active")
    ]
    sandbox, client, _ = inside([*fields, *users], hides=True)
    store = sandbox.store()
    early, late = (
        store.insert(
            "ticket_invoices",
            {"amount_total": 5, "created_date": DAYS[0], "payments": [{"amount": 5, "date": day}]},
        )
        for day in (DAYS[1], DAYS[20])
    )
    assert ids(client, "/customFields/leads") == [2]
    assert client.get("/customFields/nothing").status_code == 400
    assert ids(client, "/ticketInvoices", paymentDateTo="10-Jan-2026") == [early]
    assert ids(client, "/ticketInvoices", paymentDateFrom="10-Jan-2026") == [late]
    assert ids(client, "/users") == ["Active"]
    assert ids(client, "/users", status="In active") == ["In active"]


def test_staff_change_payments_as_records_of_their_own(inside):
    sandbox, _, _ = inside(BRANDS)
    store = sandbox.store()
    invoice = store.insert("ticket_invoices", {"amount_total": 5})
    with pytest.raises(ValueError, match=r"store\.pay"):
        store.update("ticket_invoices", invoice, {"payments": []})


def test_a_thousand_steps_take_no_real_minute(inside):
    sandbox, client, clock = inside(BRANDS, limit=30)
    for _ in range(1000):
        clock.ticks += 2.01
        assert client.get("/brands", params={"page": 2}).status_code == 200
    assert sandbox.rate_errors() == 0
