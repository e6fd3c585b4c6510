"""The page in a real browser, from an empty folder to a published warehouse and a newer one."""

import csv
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.app.browser import launched
from tests.app.page import page as serving
from tests.app.warehouse import ask, change

pytestmark = pytest.mark.browser
_PATIENCE = 60_000
"""Milliseconds: a crowded machine is slow, not wrong."""


@pytest.fixture(scope="module")
def browser():
    with launched() as running:
        yield running


def publish(source: Path, home: Path, *statements: str) -> None:
    """As a sync does it: beside the old file, then one rename."""
    part = home / "part"
    part.mkdir(exist_ok=True)
    shutil.copy(source / "warehouse.duckdb", part / "warehouse.duckdb")
    change(part, *statements)
    (part / "warehouse.duckdb").replace(home / "warehouse.duckdb")


def opened(browser: Browser, address: str, **context: object) -> Page:
    page = browser.new_context(**context).new_page()  # type: ignore[arg-type]
    page.set_default_timeout(_PATIENCE)
    page.goto(address)
    return page


def test_the_page_from_nothing_to_the_next_publishing(browser, served, chain):
    address, home = served
    base = address.partition("?")[0]
    strangers: list[str] = []
    page = opened(browser, address, viewport={"width": 1200, "height": 1000})
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((base, "data:", "blob:", base.replace("http", "ws")))
            else strangers.append(request.url)
        ),
    )
    expect(page.get_by_text("run 'shopmirror sync' first")).to_be_visible(timeout=_PATIENCE)

    # It looks again by itself.
    publish(chain, home, "update ops.completeness set began_at = now()")
    expect(page.get_by_role("heading", name="2 shops")).to_be_visible(timeout=_PATIENCE)
    expect(page.get_by_text("Books agree")).to_be_visible()
    expect(
        page.locator("[data-testid=stVegaLiteChart] canvas, .vega-embed svg").first
    ).to_be_visible(timeout=_PATIENCE)

    publish(
        chain,
        home,
        "update marts.reconciliation set matches = false where period = '2026-03-01'",
    )
    expect(page.get_by_text("Books differ")).to_be_visible(timeout=_PATIENCE)
    expect(page.locator(".stException")).to_have_count(0)
    page.get_by_role("button", name="Books", exact=True).click()
    expect(page.locator("[data-testid=stDataFrame]:visible").first).to_be_visible(timeout=_PATIENCE)
    assert not strangers, "the page asks nobody but this machine"


def test_a_click_on_a_bar_leads_to_that_month(browser, served, chain):
    address, home = served
    publish(chain, home)
    page = opened(browser, address, viewport={"width": 1200, "height": 1000})
    page.locator('[aria-roledescription=bar][aria-label*="period: 2026-01"]').first.click()
    expect(page).to_have_url(re.compile("period=2026-01"), timeout=_PATIENCE)
    expect(page.get_by_text("2026-01-01 \u2013 2026-01-31")).to_be_visible(timeout=_PATIENCE)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(browser, served, chain, scheme):
    address, home = served
    publish(chain, home)
    page = opened(browser, address, color_scheme=scheme, viewport={"width": 390, "height": 800})
    expect(page.get_by_role("heading", name="2 shops")).to_be_visible(timeout=_PATIENCE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.get_by_test_id("stMetric")).to_have_count(7, timeout=_PATIENCE)
    # A page that is still being laid out stands lower: on the first screen, when it is done.
    figures = "[...document.querySelectorAll('[data-testid=stMetric]')]"
    ends = f"{figures}.every(one => one.getBoundingClientRect().bottom <= 800)"
    page.wait_for_function(ends, timeout=_PATIENCE)
    red = page.evaluate(
        "getComputedStyle(document.querySelector('.stApp')).backgroundColor.match(/[0-9]+/)[0]"
    )
    assert (int(red) < 128) is (scheme == "dark")


def test_a_table_sorts_where_its_head_is_clicked_and_opens_a_row_where_that_is(
    browser, served, chain
):
    address, home = served
    publish(chain, home)
    page = opened(browser, f"{address}&period=all", viewport={"width": 1200, "height": 1500})
    table, window = page.locator("[data-testid=stDataFrame]").first, page.get_by_role("dialog")
    is_sorted = table.get_by_role("columnheader", name="\u2191 Shop", include_hidden=True)
    expect(table.locator("canvas").first).to_be_visible()
    table.click(position={"x": 60, "y": 17})
    expect(is_sorted).to_be_attached()

    # Any place of a row opens it, one after the other; the order stays.
    for x in (20, 700, 60, 700):
        expect(window).to_have_count(0)
        table.click(position={"x": x, "y": 87})
        expect(window).to_be_visible()
        expect(page).to_have_url(re.compile("open="))
        window.press("Escape")
        expect(page).not_to_have_url(re.compile("open="))
        expect(window).to_have_count(0)
        expect(is_sorted).to_be_attached()


def test_the_keyboard_goes_through_a_table_and_opens_a_row(browser, served, chain):
    address, home = served
    publish(chain, home)
    page = opened(browser, f"{address}&period=all", viewport={"width": 1200, "height": 1500})
    canvas = page.locator("[data-testid=data-grid-canvas]").first
    canvas.focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("td[aria-selected=true]").first).to_be_attached()
    page.wait_for_timeout(1000)
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("dialog")).to_be_visible()


def test_what_is_open_opens_what_belongs_to_it(browser, served, chain):
    address, home = served
    publish(chain, home)
    size, agent = {"width": 390, "height": 800}, "Mobile"
    page = opened(browser, f"{address}&period=all&part=people", viewport=size, user_agent=agent)
    window = page.get_by_role("dialog")
    page.locator("[class*=customers-card-0] button").click()
    expect(window.get_by_role("heading", name="Customer").first).to_be_visible()
    window.locator("[class*=its-documents] button").first.click()
    expect(window.get_by_role("heading", name=re.compile("^(Invoice|POS order)"))).to_be_visible()


def test_a_password_lets_a_browser_in_that_fills_the_form(browser, chain, tmp_path):
    publish(chain, tmp_path)
    with serving(tmp_path, DASHBOARD__PASSWORD="counter-secret") as address:
        page = opened(browser, f"{address}?period=2026-01")
        page.get_by_label("Password").fill("counter-secret")
        page.get_by_role("button").click()
        expect(page.get_by_role("heading", name="2 shops")).to_be_visible()
        expect(page).to_have_url(re.compile("period=2026-01"))


def test_an_amount_of_millions_is_shown_whole(browser, served, chain):
    address, home = served
    publish(chain, home, "update marts.shop_days set sold = sold * 1000000")
    page = opened(browser, f"{address}&period=all", viewport={"width": 1200, "height": 1000})
    value = page.get_by_test_id("stMetricValue").filter(has_text=re.compile(r"\d(,\d{3}){3}"))
    expect(value.first).to_be_visible()
    # The page's own style may come after its figures.
    page.wait_for_function(
        "one => [one, ...one.querySelectorAll('*')].every(e => e.scrollWidth <= e.clientWidth)",
        arg=value.first.element_handle(),
    )


def test_a_table_is_downloaded_with_its_columns_days_and_numbers(browser, served, chain):
    address, home = served
    publish(chain, home)
    page = opened(
        browser, f"{address}&shops=norte&period=2026-06", viewport={"width": 1200, "height": 1500}
    )
    # With a picker of the machine's no download would be seen.
    page.evaluate("window.showSaveFilePicker = undefined")
    table = page.locator("[data-testid=stDataFrame]").first
    table.hover()
    with page.expect_download() as got:
        table.get_by_role("button", name="Download").click()
    head, *lines = csv.reader(got.value.path().read_text(encoding="utf-8-sig").splitlines())
    assert head[:3] == ["Day", "Kind", "Number"]
    asked = (
        "select counted_day::varchar, document_number, counted_amount::double "
        "from marts.counted_sales where shop_id = 'norte' "
        "and counted_day between '2026-06-01' and '2026-06-30'"
    )
    told = {(line[0], line[2], float(line[head.index("Sold")])) for line in lines}
    assert told == set(ask(chain, asked)) and told


def test_the_report_of_what_is_seen_is_downloaded(browser, served, chain):
    address, home = served
    publish(chain, home)
    page = opened(browser, f"{address}&shops=norte&period=2026-06")
    page.get_by_role("button", name="Download").first.click()
    for label, suffix, begins in (("PDF", ".pdf", b"%PDF"), ("Excel", ".xlsx", b"PK")):
        with page.expect_download() as got:
            page.get_by_role("button", name=label, exact=True).click()
        assert got.value.suggested_filename == f"closing-2026-06{suffix}"
        assert got.value.path().read_bytes().startswith(begins)
