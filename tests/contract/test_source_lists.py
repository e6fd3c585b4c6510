"""The source stands by itself, with rows of its own: they say what ``specification`` says."""

import pytest

from pipelines.service_reports import REPORTS
from sources.repair_shop.schema.endpoints import ENDPOINTS
from specification import LISTS, OPERATIONS

pytestmark = pytest.mark.core

APART = ("appointments_updated", "tickets_updated", "products_updated", "pos_invoices")
"""Lists of the specification that show the rows of another one."""


def test_the_source_has_every_list_of_the_specification():
    assert sorted(ENDPOINTS) == sorted(set(LISTS) - set(APART))


def test_a_list_is_asked_only_for_what_the_specification_offers(subtests):
    for name, row in ENDPOINTS.items():
        with subtests.test(name):
            one = LISTS[name]
            offered = one.parameters
            assert row.path == one.path
            assert row.detail == bool(one.item)
            assert row.sort == ("sort" in offered)
            assert row.recently_updated == (
                "recently_updated" in offered["sort"].values if "sort" in offered else False
            )
            assert set(row.include) == {flag for flag in offered if flag.startswith("include")}
            if row.created_filter:
                assert set(row.window) <= set(offered)
            if row.reread_by:
                assert row.reread_by in offered
            updated = f"{one.path}/updated"
            assert row.updated_path == (updated if f"{name}_updated" in LISTS else None)
            for parameter, value in row.hidden:
                asked = offered[parameter]
                if asked.kind == "choice":
                    assert value.lower() in {str(one).lower() for one in asked.values}
            for status in row.open_statuses:
                assert status in offered["status"].values


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_a_report_is_asked_as_the_specification_says(name):
    path, *parameters = REPORTS[name]
    [one] = [one for one in OPERATIONS if one.path == path]
    assert parameters == list(one.parameters)
