"""What the page's search finds, and what opens before it."""

from datetime import date

import pytest

from pipelines.dashboard import search
from pipelines.dashboard.plain import plain
from tests.app.test_page import shown
from tests.app.warehouse import ask, change


def test_what_is_looked_for_is_found_and_opens(chain, monkeypatch):
    ((number, identity, customer, name, lines, paid),) = ask(
        chain,
        "select document_number, document_id, customer_id, customer_name, "
        "(select count(*) from marts.sales_lines l where l.document_id = d.document_id), "
        "(select sum(amount)::double from marts.payments p where p.document_id = d.document_id) "
        "from marts.documents d where shop_id = 'centro' and document_type = 'ticket_invoice' "
        "and payments > 0 order by document_number limit 1",
    )
    page = shown(chain, monkeypatch, q=number.lower())
    hits = page.dataframe[0].value
    assert (hits["Number"].iloc[0], set(hits["Kind"])) == (number, {"invoice"})
    assert {"centro", "norte"} >= set(hits["Shop"])
    page = shown(chain, monkeypatch, open=f"centro/ticket_invoice/{identity}")
    (drawer,) = page.get("dialog")
    assert plain(f"Invoice {number}") in str(drawer.proto)
    tables = [d.value for d in page.dataframe]
    (its_lines,) = [t for t in tables if "Quantity" in t.columns]
    (payments,) = [t for t in tables if "Paid with" in t.columns]
    assert len(its_lines) == lines and payments["Amount"].sum() == pytest.approx(paid)
    said = [str(text.value) for text in page.text]
    assert name in said and identity not in " ".join(said)
    page = shown(chain, monkeypatch, open=f"centro/customer/{customer}", q=name.split()[0])
    assert any(number in set(d.value.get("Number", ())) for d in page.dataframe)
    for odd in ("centro/customer/none", "x/y", "centro/'; drop/1", "norte/ticket/' or 1=1"):
        windows = shown(chain, monkeypatch, open=odd).get("dialog")
        assert all("It is not there any more." in str(window.proto) for window in windows)
    assert search.found(chain, ("centro", "norte"), "' or 1=1 -- $shops %") == []


def test_a_name_is_found_without_its_accents_and_strokes(home):
    name = "\u0141ukasz S\u00f8rens\u00e9n"
    change(home, f"update marts.customers set name = '{name}'")
    for typed in ("lukasz sorensen", name.upper()):
        assert search.found(home, ("centro", "norte"), typed)[0]["customer"] == name


def test_of_a_day_what_is_found_stands_in_the_order_of_its_numbers(chain):
    rows = search.found(chain, ("centro", "norte"), "a")
    order = [(row["kind"], -(row["day"] or date.min).toordinal(), row["number"]) for row in rows]
    assert len(rows) > 25 and order == sorted(order)
    assert rows[0]["of"] > len(rows)


def test_what_is_not_there_is_said_to_be_not_there(chain, monkeypatch):
    page = shown(chain, monkeypatch, q="nobody of this name")
    assert [info.value for info in page.info] == ["Nothing was found."]
    page = shown(chain, monkeypatch, open="centro/ticket/none")
    (window,) = page.get("dialog")
    assert "It is not there any more." in str(window.proto)
