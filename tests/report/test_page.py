"""The report as HTML and as PDF."""

import re
import time
from datetime import date
from html.parser import HTMLParser
from io import BytesIO

import pytest
from pypdf import PdfReader

from pipelines.report import SealState, closing_report, fonts, formats
from pipelines.report.figures import Report, Technician
from pipelines.report.page import render
from pipelines.report.paper import print_pdf
from tests.app.warehouse import NOW, change

JUNE = date(2026, 6, 1)
NAMES = (
    "Дмитрий Петренко",
    "Παπαδόπουλος",
    "محمد الحسن",
    "דוד כהן",
    "王伟",
    "प्रिया शर्मा",
    "Łukasz",
)
VOID = {"meta", "circle", "path", "rect", "line", "br", "link", "img", "input"}


class Checked(HTMLParser):
    """Knows whether elements nest, and what the page would load from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.tags: set[str] = set()
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        self.loads += [
            value or ""
            for name, value in attrs
            if name in ("src", "href", "srcset", "xlink:href", "action")
        ]

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def checked(html: str) -> Checked:
    page = Checked()
    page.feed(html)
    page.close()
    assert not page.open
    return page


def with_people(made: Report, *names: str) -> Report:
    people = tuple(
        Technician(name=name, opened=1, closed=1, median_hours=2.5, open_at_end=0) for name in names
    )
    page = made.pages[0].model_copy(update={"technicians": people, "title": names[0]})
    return made.model_copy(update={"pages": (page,)})


@pytest.fixture(scope="module")
def made(chain):
    return closing_report(chain, month=JUNE, now=NOW)


def text_of(pdf: bytes) -> str:
    pages = [page.extract_text() for page in PdfReader(BytesIO(pdf)).pages]
    return "\n".join(pages).replace("\u00a0", " ")


def test_the_page_is_whole_and_loads_nothing(made):
    html = render(made)
    page = checked(html)
    assert not page.loads
    assert not page.tags & {"script", "link", "img", "iframe", "object"}
    assert not re.search(r"@import|url\((?!#)", html)
    assert html.count("<svg") == 3, "a seal, a wide and a narrow chart"


def test_the_page_says_the_figures(made):
    said = "".join(checked(render(made)).text)
    now = made.pages[0].now
    for amount in (now.taken.total, now.taken.refunds, now.sold.total, now.due.over_90):
        assert formats.money(amount) in said
    for text in ("2026-06", "2 shops", "Books agree", "centro", "norte", "amounts in GTQ"):
        assert text in said
    assert "Mirror as of 2026-07-16 19:40 −06:00" in said


def test_names_are_text_whatever_they_hold(made):
    evil = '<script>alert(1)</script> & "Söhne" \u202e]]>'
    html = render(with_people(made, evil))
    page = checked(html)
    assert "script" not in page.tags
    assert html.count("<bdi>&lt;script&gt;") == 2


def test_drawings_take_their_colours_from_the_page(made):
    html = render(made)
    assert "var(--repairs)" in html
    assert "#0a0b0" not in html, "a placeholder colour was left"
    ids = re.findall(r'\bid="([^"]+)"', html)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("state", [*SealState])
def test_a_seal_differs_by_more_than_its_colour(made, state):
    seal = made.pages[0].seal.model_copy(update={"state": state})
    page = made.pages[0].model_copy(update={"seal": seal})
    html = render(made.model_copy(update={"pages": (page,)}))
    words = {
        "agrees": "Books agree",
        "differs": "Books differ",
        "in-doubt": "Books in doubt",
        "unknown": "Not compared",
    }
    assert [text for text in words.values() if text in html] == [words[state.value]]


def test_differences_are_listed_with_both_figures(home):
    change(
        home,
        "update marts.reconciliation set matches = false, theirs = ours + 12.5 "
        "where period >= '2025-09-01' and shop_id = 'centro'",
    )
    made = closing_report(home, month=JUNE, now=NOW)
    html = render(made)
    assert "Where the books differ" in html
    assert "centro monthly sales 2026-07" in html
    assert "\u221212.50" in html
    assert re.search(r"and \d+ more", html)
    assert "Where the books differ".upper() in text_of(print_pdf(made)).upper()


def test_an_empty_day_is_a_page_too(home):
    change(home, *(f"delete from marts.{name}" for name in ("payments", "daily_sales", "tickets")))
    made = closing_report(home, now=NOW)
    assert "No payments." in render(made)
    assert print_pdf(made).startswith(b"%PDF")


class TestPaper:
    def test_one_page_of_a4_with_the_figures(self, made):
        pdf = print_pdf(made)
        reader = PdfReader(BytesIO(pdf))
        assert len(reader.pages) == 1
        box = reader.pages[0].mediabox
        assert (round(box.width), round(box.height)) == (595, 842)
        assert reader.metadata is not None
        assert reader.metadata.title == "Closing report 2026-06: 2 shops"
        said = text_of(pdf)
        for amount in (made.pages[0].now.taken.total, made.pages[0].now.due.total):
            assert formats.money(amount).replace("\u202f", " ") in said

    def test_names_in_many_scripts(self, made, monkeypatch):
        monkeypatch.setattr(fonts, "machine_font", lambda needed: None)
        said = text_of(print_pdf(with_people(made, *NAMES)))
        assert "Дмитрий Петренко" in said
        assert "Παπαδόπουλος" in said
        assert "Łukasz" in said
        assert "??" in said, "no packaged font has Chinese"
        assert "no font of this machine" in said

    def test_a_font_of_the_machine_helps_out(self, made, monkeypatch, tmp_path):
        """Any font that has the characters will do; this one has the letters it stands in for."""
        real = fonts.unpack(tmp_path)[""]
        hidden = fonts.characters(real) - {ord("Ł")}
        asked: list[set[str]] = []

        def machine_font(needed):
            asked.append(set(needed))
            return real

        plain = fonts.characters
        monkeypatch.setattr(
            fonts, "characters", lambda path: hidden if path.parent != tmp_path else plain(path)
        )
        monkeypatch.setattr(fonts, "machine_font", machine_font)
        said = text_of(print_pdf(with_people(made, "Łukasz")))
        assert asked == [{"Ł"}]
        assert "no font of this machine" not in said

    def test_a_file_that_is_no_font_shows_nothing(self, tmp_path):
        broken = tmp_path / "broken.ttf"
        broken.write_bytes(b"no font")
        assert fonts.characters(broken) == frozenset()

    def test_very_long_names_are_cut_and_lines_stay_on_the_page(self, made):
        said = text_of(print_pdf(with_people(made, "W" * 300)))
        assert "\u2026" in said

    def test_a_name_of_thousands_of_letters_takes_no_longer(self, made):
        names = [letter * 3000 for letter in "WİW\u0301\u0e01\u0627"]
        began = time.process_time()
        print_pdf(with_people(made, "Ann", *names[1:]))
        assert time.process_time() - began < 10

    def test_a_long_chain_runs_on_to_another_page(self, made):
        page = made.pages[0]
        page = page.model_copy(update={"lines": page.lines * 40})
        pdf = print_pdf(made.model_copy(update={"pages": (page,)}))
        assert len(PdfReader(BytesIO(pdf)).pages) >= 2
        assert text_of(pdf).count("norte") == 40
