"""The explorer and the published description."""

import re

import httpx


def test_the_base_address_is_a_page_that_needs_nothing_else(shared):
    page = httpx.get(shared.base_url)
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    links = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(links) == 3
    for link in links:
        assert link.startswith("/v1/")
        assert httpx.get(f"http://127.0.0.1:{shared.port}{link}").status_code == 200


def test_the_description_lists_every_endpoint(shared):
    document = httpx.get(f"{shared.base_url}/openapi.json").json()
    operations = {
        f"{method.upper()} {path}"
        for path, methods in document["paths"].items()
        for method in methods
    }
    lists = [op for op in operations if op.startswith("GET") and "{" not in op]
    # 35 lists (custom fields have a variable), three /updated, /posInvoices, four reports, /info.
    assert len(lists) == 34 + 3 + 1 + 4 + 1
    for one in (
        "GET /customFields/{type}",
        "GET /tickets/{ticketId}/itemLines",
        "GET /webhook/inbound-call/{inboundNumber}",
        "POST /tickets/{ticketId}/upload/{uploadId}",
        "PUT /serials/{serialId}",
        "DELETE /timeClock/{timeClockId}",
        "POST /payments",
    ):
        assert one in operations
    assert document["openapi"].startswith("3.0."), "the page reads no other"
    body = document["paths"]["/customers"]["post"]["requestBody"]["content"]["application/json"]
    assert body["schema"]["required"] == ["name"]
