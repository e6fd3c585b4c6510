"""Which parameters each list takes, and its orders, copied down from the specification's tables."""

import re
from pathlib import Path

import pytest

from tests.sandbox.test_lists import rows

_SHORT = {
    "COMMON": "page sort searchKeyword createdDateFrom createdDateTo",
    "DOCUMENT": "includePayments includeLines includeReturns",
}


def _read(text: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for path, words in re.findall(r"(?m)^([^\s#]\S*):(.*(?:\n  .+)*)", text):
        names = " ".join(_SHORT.get(word, word) for word in words.split()).split()
        pairs = (name.partition("=") for name in names)
        found[path] = {name: field or name for name, _, field in pairs}
    return found


PARAMETERS = _read(Path(__file__).with_name("parameters.txt").read_text(encoding="utf-8"))
"""List -> its parameters, each with the field of a record that it looks at."""
SORTED = [path for path, names in PARAMETERS.items() if "sort" in names]
UNSORTED = [path for path in PARAMETERS if path not in SORTED and "page" in PARAMETERS[path]]


@pytest.mark.parametrize("path", PARAMETERS)
def test_a_list_takes_the_parameters_of_its_row(api, path):
    document = api.get("/openapi.json").json()
    described = document["paths"][f"/{path}"]["get"]["parameters"]
    assert {one["name"] for one in described if one["in"] == "query"} == PARAMETERS[path].keys()


@pytest.mark.parametrize("path", SORTED)
def test_a_list_goes_both_ways(api, path):
    newest, oldest = (rows(api, path, sort=sort) for sort in ("newest", "oldest"))
    assert newest == oldest[::-1]
    first = api.get(f"/{path}").json()
    assert first == (oldest if path == "presetCategories" else newest)[:50]
    taken = api.get(f"/{path}", params={"sort": "recently_updated"}).status_code == 200
    assert taken == (path in ("tickets", "products", "ticketComments"))
    assert api.get(f"/{path}", params={"sort": "Newest"}).status_code == 400


@pytest.mark.parametrize("path", UNSORTED)
def test_a_list_without_sort_ignores_it(api, path):
    address = f"/{path}".replace("{type}", "tickets")
    assert api.get(address, params={"sort": "oldest"}).json() == api.get(address).json()


def test_a_list_ignores_the_parameters_of_others(api):
    every = {name for names in PARAMETERS.values() for name in names}
    for path, own in PARAMETERS.items():
        address = f"/{path}".replace("{type}", "tickets")
        others = dict.fromkeys(every - own.keys(), "?")
        assert api.get(address, params=others).json() == api.get(address).json(), path
