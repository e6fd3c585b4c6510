"""The explorer and the published description."""

import re

import httpx

from tests.sandbox.paths import METHODS


def test_the_base_address_is_a_page_that_needs_nothing_else(shared):
    page = httpx.get(shared.base_url)
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    links = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(links) == 3
    for link in links:
        assert link.startswith("/v1/")
        assert httpx.get(f"http://127.0.0.1:{shared.port}{link}").status_code == 200


def test_the_description_is_one_that_the_page_reads(shared):
    document = httpx.get(f"{shared.base_url}/openapi.json").json()
    assert document["openapi"].startswith("3.0."), "the page reads no other"
    described = {re.sub(r"\{\w+\}", "{}", path.strip("/")) for path in document["paths"]}
    listed = {path for paths in METHODS.values() for path in paths.split()}
    listed -= {"customFields/tickets", "webhook/inbound-call/5"}
    assert described == listed | {"customFields/{}", "webhook/inbound-call/{}"}
