"""XML where it is asked for, JSON otherwise."""

import pytest

pytestmark = pytest.mark.core


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("*/*", "json"),
        ("image/png", "json"),
        ("text/xml", "xml"),
        ("application/json, application/xml", "json"),
        ("application/xml, application/json", "xml"),
    ],
)
def test_the_first_kind_named(api, accept, kind):
    answer = api.get("/brands", headers={"Accept": accept})
    assert answer.headers["content-type"] == f"application/{kind}"


def test_xml_by_accept(api):
    listed = api.get("/brands", headers={"Accept": "application/xml"})
    assert listed.headers["content-type"] == "application/xml"
    assert listed.text.count("<item>") == len(api.get("/brands").json())
    missing = api.get("/brands/none", headers={"Accept": "application/xml"})
    assert "<error>" in missing.text
    custom = api.get(
        "/customers", params={"includeCustomFields": 1}, headers={"Accept": "application/xml"}
    )
    assert custom.status_code == 200
