"""The page in a real browser: light, dark, on a phone, printed."""

from io import BytesIO
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page
from pypdf import PdfReader

from pipelines.report import closing_report
from pipelines.report.render import html as render
from tests.app.browser import launched
from tests.app.warehouse import NOW

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser():
    with launched() as running:
        yield running


@pytest.fixture(scope="module")
def address(chain, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "closing.html"
    path.write_text(render(closing_report(chain, now=NOW)), encoding="utf-8")
    return path.as_uri()


def opened(
    browser: Browser, address: str, scheme: Literal["light", "dark"] = "light", width: int = 1000
) -> Page:
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
    page = context.new_page()
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(message.text))
    page.on("request", lambda request: troubles.append(request.url))
    page.goto(address)
    assert troubles == [address], "the page loads nothing and complains of nothing"
    return page


def brightness(page: Page, selector: str, what: str) -> float:
    colour = page.locator(selector).first.evaluate(
        "(element, what) => getComputedStyle(element)[what]", what
    )
    red, green, blue = (float(n) for n in colour[colour.index("(") + 1 : -1].split(",")[:3])
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


def test_light_and_dark_can_both_be_read(browser, address):
    for scheme, paper_is_bright in (("light", True), ("dark", False)):
        page = opened(browser, address, scheme)  # type: ignore[arg-type]
        paper = brightness(page, ".page", "backgroundColor")
        assert (paper > 0.5) is paper_is_bright
        for selector in ("h1", ".who", "tbody td", "thead th", ".seal strong", "footer"):
            assert abs(brightness(page, selector, "color") - paper) > 0.25, selector
        for selector in (
            ".months .wide svg text",
            ".months .wide svg rect",
        ):
            assert abs(brightness(page, selector, "fill") - paper) > 0.2, selector


@pytest.mark.parametrize("width", [320, 390, 1000])
def test_nothing_sticks_out(browser, address, width):
    page = opened(browser, address, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    wide, narrow = page.locator(".months .wide"), page.locator(".months .narrow")
    assert (wide.is_visible(), narrow.is_visible()) == (width > 640, width <= 640)
    chart = page.locator(".months svg:visible").bounding_box()
    assert chart is not None
    assert chart["x"] >= 0
    assert chart["x"] + chart["width"] <= width


def test_printed_it_is_one_page_in_light_colours(browser, address):
    page = opened(browser, address, "dark")
    pdf = page.pdf(prefer_css_page_size=True)
    reader = PdfReader(BytesIO(pdf))
    assert len(reader.pages) == 1
    assert "Closing report".upper() in reader.pages[0].extract_text().upper()
    page.emulate_media(media="print", color_scheme="dark")
    assert brightness(page, ".page", "backgroundColor") > 0.99
    assert brightness(page, "h1", "color") < 0.2
