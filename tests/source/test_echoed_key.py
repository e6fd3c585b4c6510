"""A key that the service sends back is kept nowhere, however it is written."""

import json
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources.repair_shop import errors
from sources.repair_shop.http.redaction import MASK, Redactor
from tests.fakes.loopback import Reply
from tests.mirror.stranger import stranger as stranger
from tests.promises import promise

pytestmark = pytest.mark.core

KEY = "a9F3kLmQ72xZpo_-Tt81bbVVsn3w0Qe5"
ODD = 'k/ey+with=odd/ch"ars&x-and-more'
WAYS = {
    "plain": lambda key: json.dumps(key)[1:-1],
    "url": lambda key: quote(key, safe=""),
    "all per cent": lambda key: "".join(f"%{ord(c):02x}" for c in key if c not in '"\\'),
    "twice per cent": lambda key: "".join(f"%25{ord(c):02X}" for c in key if c not in '"\\'),
    "json": lambda key: "".join(f"\\u{ord(c):04x}" for c in key if c not in '"\\'),
    "slashes": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
}


@pytest.mark.parametrize("way", WAYS)
def test_however_it_is_written(way):
    written = WAYS[way](KEY)
    body = f'{{"debug": "got {written} from you", "amount": 1.10}}'.encode()
    clean = Redactor(KEY).body(body)
    assert json.loads(clean) == {"debug": f"got {MASK} from you", "amount": 1.10}


@pytest.mark.parametrize("way", ["plain", "url", "slashes"])
def test_an_odd_key_too(way):
    written = WAYS[way](ODD)
    clean = Redactor(ODD).body(f'{{"debug": "got {written} from you"}}'.encode())
    assert written[2:-2].encode() not in clean
    assert MASK in json.loads(clean)["debug"]


@given(st.text(max_size=300) | st.sampled_from(["a%20b", "\\u00e9\\/", "50%"]))
def test_other_text_passes_as_it_is(text):
    body = json.dumps({"note": text}, ensure_ascii=False).encode("utf-8", "surrogatepass")
    redactor = Redactor(KEY)
    assert redactor.body(body) == body
    assert redactor.text(text) == text


@given(st.binary(max_size=200))
def test_any_bytes_pass(body):
    assert Redactor(KEY).body(body) == body


@promise("a key is in no log, error, table or file")
def test_answers_errors_and_headers_are_clean(loopback, connect):
    headers = {"X-Echo": KEY, "Location": f"https://elsewhere.invalid/?key={quote(KEY)}"}
    with connect({"api_key": KEY}) as client:
        loopback.replies.append(Reply(201, {"id": 1, "auth": KEY}, headers))
        answer = client.send("POST", "/customers", json={"name": "a"})
        assert KEY not in f"{answer.body!r} {answer.payload} {answer.headers}"
        for status in (200, 302, 400, 403, 404, 500):
            loopback.replies.extend(
                [Reply(status, {"error": f"Key {KEY} has no permission"}, headers)] * 3
            )
            with pytest.raises(errors.ShopError) as caught:
                client.get("/customers")
            loopback.replies.clear()
            chain: BaseException | None = caught.value
            while chain is not None:
                assert KEY not in f"{chain!r} {vars(chain)}"
                chain = chain.__cause__ or chain.__context__


def test_a_cut_in_the_excerpt_leaves_no_half(loopback, connect):
    loopback.replies.extend([Reply(), Reply(400, b"x" * 150 + KEY.encode())])
    with connect({"api_key": KEY}) as client:
        client.get("/customers")
        with pytest.raises(errors.ValidationRefused) as caught:
            client.get("/customers")
    assert KEY[:4] not in str(caught.value)


@promise("a key is in no log, error, table or file")
def test_a_sync_keeps_it_nowhere(stranger):
    key = stranger.shop.api_key.get_secret_value()
    stranger.lists["/customers"] = [{"id": "c1", "name": f"Ana {key}", "debug": {"auth": key}}]
    stranger.other["/brands"] = {"error": f"{key} has no right"}
    report = stranger.sync("customers", "brands")
    assert report.exit_code == 3
    assert stranger.recorder.live("customers", "main")["c1"]["name"] == f"Ana {MASK}"
    assert key not in " ".join([report.message, *report.details])
    files = [path for path in Path(stranger.home).rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if key.encode() in path.read_bytes()]
