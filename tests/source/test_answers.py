"""Answers: every envelope gives its rows, and no failure of the wire passes for "no more rows"."""

import gzip
import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.repair_shop.errors import BadAnswer
from sources.repair_shop.http.answers import detail_of, rows_of
from sources.repair_shop.http.classify import classify, denied_kind
from sources.repair_shop.http.json_body import parse_json

pytestmark = pytest.mark.core

ROWS = [{"id": 1}, {"id": 2}]


@pytest.mark.parametrize(
    "payload",
    [
        ROWS,
        {"data": ROWS},
        {"ticketInvoices": ROWS},
        {"ticket_invoices": ROWS, "page": 1},
        {"TicketInvoice": ROWS},
        {"items": ROWS, "total": 2},
        {"results": ROWS},
        {"records": ROWS},
        {"rows": ROWS},
        {"data": [], "results": ROWS, "items": {}},
        {"data": {"items": ROWS}},
        {"data": {"ticket_invoices": ROWS, "page": 1}},
        {"meta": {"page": 1}, "data": ROWS},
        {"3": ROWS[0], "7": ROWS[1]},
        {"data": {"0": ROWS[0], "1": ROWS[1]}},
    ],
)
def test_every_envelope_is_opened(payload):
    assert rows_of(payload, "/ticketInvoices") == ROWS


@pytest.mark.parametrize(
    ("path", "name"),
    [("/categories", "category"), ("/customFields/tickets", "customFields"),
     ("/tickets/updated", "tickets"), ("/shipments/deleted", "shipments"),
     ("/taxRates", "tax_rates"), ("/statuses", "statuses"), ("/tickets/7/itemLines", "item_lines")],
)  # fmt: skip
def test_an_envelope_may_bear_the_endpoints_name(path, name):
    assert rows_of({name: ROWS}, path) == ROWS


@pytest.mark.parametrize("payload", [[], {"data": []}, {"customers": []}, {"data": {"items": []}}])
def test_an_empty_list_is_empty(payload):
    assert rows_of(payload, "/customers") == []


@pytest.mark.parametrize(
    "payload",
    [None, 5, "text", True, {}, {"message": "hello"}, {"data": None}, {"data": "x"}, [1, 2], [[]],
     {"data": [1]}, {"id": 1, "name": "a"}, {"unknown": ROWS}, {"data": {"deep": {"items": ROWS}}},
     {"0": 1}, {"404": {"error": "no such page"}}, {"data": {"1": {"message": "hello"}}},
     [None], [{}], {"data": [{}]}],
)  # fmt: skip
def test_anything_else_is_no_list(payload):
    with pytest.raises(BadAnswer, match="where a list of rows was expected"):
        rows_of(payload, "/customers")


def test_the_message_names_the_shape_and_no_data():
    with pytest.raises(BadAnswer) as caught:
        rows_of({"holder": "Maria", "phone": "555"}, "/customers")
    assert "an object with the fields holder, phone" in str(caught.value)
    assert "Maria" not in str(caught.value)


@pytest.mark.parametrize(
    "payload",
    [{"id": 1}, [{"id": 1}], {"data": {"id": 1}}, {"data": [{"id": 1}]}, {"ticket": {"id": 1}},
     {"tickets": [{"id": 1}]}],
)  # fmt: skip
def test_a_detail_is_found(payload):
    assert detail_of(payload, "/tickets/1") == {"id": 1}


def test_a_detail_keeps_fields_that_look_like_envelopes():
    assert detail_of({"id": 1, "data": {"x": 2}}, "/tickets/1") == {"id": 1, "data": {"x": 2}}


@pytest.mark.parametrize("payload", [[], {}, None, [{"id": 1}, {"id": 2}], "x"])
def test_anything_else_is_no_detail(payload):
    with pytest.raises(BadAnswer):
        detail_of(payload, "/tickets/1")


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5),
                    lambda inner: st.lists(inner, max_size=3)
                    | st.dictionaries(st.text(max_size=6), inner, max_size=3)))  # fmt: skip
def test_no_payload_makes_it_fail_otherwise(payload):
    try:
        rows = rows_of(payload, "/customers")
    except BadAnswer:
        return
    assert all(isinstance(row, dict) for row in rows)


def test_amounts_are_exact():
    assert parse_json(b'[{"amount": 0.1, "n": 3}]') == [{"amount": Decimal("0.1"), "n": 3}]


def test_what_is_no_number_is_kept_word_for_word():
    assert parse_json(b'[{"a": NaN, "b": -Infinity}]') == [{"a": "NaN", "b": "-Infinity"}]


@pytest.mark.parametrize("body", [b"[NaN", b"[" * 100_000, b"\xff\xfe\xff"])
def test_what_is_no_json_is_a_value_error(body):
    with pytest.raises(ValueError):
        parse_json(body)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (200, b"[]", "ok"),
        (201, b'{"id": 1}', "ok"),
        (200, b"", "broken"),
        (200, b'[{"id": 1}, {"id"', "broken"),
        (200, b"<!DOCTYPE html><html>hi</html>", "broken"),
        (200, b'<?xml version="1.0"?><customers/>', "alien"),
        (200, b"Service is down", "broken"),
        (200, b'{"error": "Customer not valid"}', "refused"),
        (200, b'[{"error": "Customer not valid"}]', "refused"),
        (200, b'{"error": {"message": "bad"}}', "refused"),
        (200, b'{"error": null, "data": []}', "ok"),
        (200, b'{"error": "", "data": []}', "ok"),
        (200, b'{"success": false, "message": "No database", "data": []}', "refused"),
        (200, b'{"status": "error", "data": null}', "refused"),
        (200, b'{"success": false, "data": [{"id": 1}]}', "ok"),
        (200, b'{"success": false, "message": "Rate limit exceeded", "data": []}', "rate"),
        (200, b'{"message": "Too many requests"}', "rate"),
        (200, b"<html><h1>Too Many Requests</h1></html>", "rate"),
        (200, b"Too many requests", "rate"),
        (200, b'[{"id": 1, "message": "Too many requests"', "broken"),
        (200, b'{"name": "Shop", "plan": "30 requests per minute"}', "ok"),
        (400, b'{"error": "Demasiadas solicitudes"}', "rate"),
        (401, '{"error": "Excedió el límite de peticiones. Espere un minuto"}'.encode(), "rate"),
        (200, b'{"id": 1, "error": "E17 on the display"}', "ok"),
        (200, b'[{"id": 1, "error": "rate limit of the fan"}]', "ok"),
        (200, b'{"error": "Request rate limit exceeded. Wait one minute."}', "rate"),
        (429, b"", "rate"),
        (401, b'{"error": "Too many requests, please wait a minute"}', "rate"),
        (403, b'{"error": "API rate limit"}', "rate"),
        (503, b"<html>Too many requests</html>", "rate"),
        (400, b'{"error": "More than 30 requests per minute"}', "rate"),
        (400, b'{"error": "Tax rate 7 does not exist"}', "refused"),
        (400, b'{"error": "creditlimit must be numeric"}', "refused"),
        (422, b'{"error": "too many characters in name"}', "refused"),
        (401, b'{"error": "The API key is blocked. It ignored the rate limit."}', "denied"),
        (401, b'{"error": "Invalid key"}', "denied"),
        (403, b"", "denied"),
        (404, b'{"error": "Not found"}', "missing"),
        (500, b"", "server"),
        (502, b"<html>Bad gateway</html>", "server"),
        (204, b"", "alien"),
        (301, b"", "alien"),
    ],
)
def test_each_answer_is_told_apart(status, body, kind):
    assert classify(status, {}, body).kind == kind


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (200, "The payment is being booked, please wait a minute"),
        (500, "Payment saved, but the receipt could not be sent: SMS API limit reached"),
        (400, "Please wait a minute"),
        (503, "Too many requests"),
    ],
)
def test_words_about_a_limit_do_not_prove_that_a_write_had_no_effect(status, text):
    body = json.dumps({"error": text}).encode()
    reading = classify(status, {}, body, method="POST")
    assert reading.kind == "rate"
    assert not reading.proves_no_effect
    assert all(classify(status, {}, body).proves_no_effect for status in (401, 403, 429))


@pytest.mark.parametrize(
    ("status", "text", "worked", "kind"),
    [
        (401, "Please wait a minute", True, "rate"),
        (401, "Request limit", True, "rate"),
        (401, "Rate limit exceeded. Your key will be blocked if you ignore this.", True, "rate"),
        (401, "Unauthorized", True, "denied"),
        (401, "Invalid API key", True, "denied"),
        (401, "The API key is blocked for ignoring the rate limit", True, "block"),
        (401, "Unauthorized", False, "wrong key"),
        (401, "Invalid API key. Limit: 30 requests per minute", False, "wrong key"),
        (401, "Too many requests", False, "rate"),
        # A missing right is one in the service's own words alone.
        (403, "You do not have permission to read leads", True, "no right"),
        (403, "Leads are not part of your subscription", True, "no right"),
        (401, "You do not have permission to read leads", True, "no right"),
        (403, "Forbidden", True, "denied"),
        (403, b"<html>You don't have permission to access this resource.</html>", True, "denied"),
        (403, "Blocked: your permission is withdrawn for 8 hours", True, "block"),
        (403, "Request limit of your subscription", True, "rate"),
        (403, "Throttled", True, "rate"),
    ],
)
def test_words_of_a_refused_key_tell_rate_block_right_or_nothing(status, text, worked, kind):
    body = text if isinstance(text, bytes) else json.dumps({"error": text}).encode()
    assert denied_kind(classify(status, {}, body), worked=worked) == kind


@given(st.binary(max_size=200), st.integers(100, 599))
def test_no_bytes_make_it_fail(body, status):
    reading = classify(status, {}, body)
    assert reading.kind != "ok" or status in (200, 201)


@given(st.integers(1, 400))
def test_no_cut_of_a_list_passes_for_a_list(cut):
    body = json.dumps([{"id": n, "name": "né" * 3} for n in range(20)]).encode()
    shorter = body[: max(1, len(body) - cut)]
    assert classify(200, {}, shorter).kind == "broken"
    assert classify(200, {}, gzip.compress(body)).kind == "broken"
