"""The report as HTML and as PDF."""

import re
import time
from html.parser import HTMLParser
from io import BytesIO
from types import SimpleNamespace

import pytest
from pypdf import PdfReader

from pipelines.language import Language, use
from pipelines.monitor.severity import Severity
from pipelines.report import Period, SealState, closing_report, fonts, formats
from pipelines.report.closing import Report
from pipelines.report.fonts import lacking
from pipelines.report.render import html as render
from pipelines.report.render import mail_html
from pipelines.report.render import pdf as print_pdf
from pipelines.report.trust import Caution
from tests.app.warehouse import NOW, change

JUNE = Period.read("2026-06")
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
    work = {"opened": 1, "closed": 1, "median_hours": 2.5, "open_at_end": 0}
    people = [{"name": name} | work for name in names]
    page = made.pages[0].model_copy(update={"technicians": people, "title": names[0]})
    return made.model_copy(update={"pages": (page,)})


@pytest.fixture(scope="module")
def made(chain):
    return closing_report(chain, period=JUNE, now=NOW)


@pytest.fixture
def no_fonts_of_the_machine(monkeypatch):
    monkeypatch.setattr("typst.Fonts", lambda: SimpleNamespace(fonts=list))
    fonts.is_drawn.cache_clear()
    yield
    fonts.is_drawn.cache_clear()


def text_of(pdf: bytes) -> str:
    pages = [page.extract_text() for page in PdfReader(BytesIO(pdf)).pages]
    return "\n".join(pages).replace("\u00a0", " ")


def test_the_page_is_whole_and_loads_nothing(made):
    html = render(made)
    page = checked(html)
    assert not page.loads
    assert not page.tags & {"script", "link", "img", "iframe", "object"}
    assert not re.search(r"@import|url\((?!#)", html)
    assert "Content-Security-Policy\" content=\"default-src 'none'" in html.partition("</head>")[0]
    assert html.count("<svg") == 3, "a seal, a wide and a narrow chart"


def test_the_page_says_the_figures(made):
    said = "".join(checked(render(made)).text)
    now = made.pages[0].now.figures
    for amount in (now.taken, now.refunds, now.sold, now.due_over_90):
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
    assert "<script" not in mail_html(with_people(made, evil), "")


def test_drawings_take_their_colours_from_the_page(made):
    html = render(made)
    assert html.count("var(--repairs)") > 12
    assert html.count("<rect") == 2 * 2 * 13, "repairs and counter of 13 months, wide and narrow"


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
    made = closing_report(home, period=JUNE, now=NOW)
    html = render(made)
    assert "Where the books differ" in html
    assert "centro monthly sales 2026-07" in html
    assert "\u221212.50" in html
    assert re.search(r"and \d+ more", html)
    assert re.search(r"and \d+ more", mail_html(made, "cid:x"))
    assert "Where the books differ".upper() in text_of(print_pdf(made)).upper()


def test_a_month_of_the_chart_tells_its_amount_in_the_places_of_the_currency(home):
    change(
        home,
        "update ops.shops set currency = 'KWD'",
        "update marts.shop_days set sold_repairs = 1.2345 where day = '2026-05-04'",
    )
    page = render(closing_report(home, period=JUNE, now=NOW))
    told = re.findall(r"<title>2026-05: ([^<]*)</title>", page)
    assert told and all(re.fullmatch(r"[\d,]+\.\d{3}", amount) for amount in told)


def test_an_empty_day_is_a_page_too(home):
    change(home, *(f"delete from marts.{name}" for name in ("payments", "shop_days", "tickets")))
    made = closing_report(home, now=NOW)
    assert "No payments." in render(made)
    said = text_of(print_pdf(made))
    assert "No payments." in said and "PAID WITH" in said


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
        for amount in (made.pages[0].now.figures.taken, made.pages[0].now.figures.due):
            assert formats.money(amount) in said

    def test_a_country_of_letter_paper_gets_one_page_of_it_too(self, made):
        with use(Language("es_GT")):
            reader = PdfReader(BytesIO(print_pdf(made)))
        assert len(reader.pages) == 1
        box = reader.pages[0].mediabox
        assert (round(box.width), round(box.height)) == (612, 792)

    def test_a_chain_in_doubt_is_set_smaller_rather_than_end_on_another_page(self, made):
        why = Caution(severity=Severity.FAULT, text="of two lines " * 15)
        page = made.pages[0].model_copy(update={"cautions": (why,) * 6})
        pdf = print_pdf(made.model_copy(update={"pages": (page,)}))
        assert len(PdfReader(BytesIO(pdf)).pages) == 1
        assert "Mirror as of" in text_of(pdf)

    def test_packaged_fonts_draw_these_scripts(self, made, no_fonts_of_the_machine):
        names = (
            "Дмитрий",
            "Παπαδόπουλος",
            "محمد الحسن",
            "דוד כהן",
            "प्रिया शर्मा",
            "สมชาย",
            "Łukasz",
        )
        assert lacking(names) == []
        said = text_of(print_pdf(with_people(made, *names)))
        for drawn in ("Дмитрий", "Παπαδόπουλος", "Łukasz", "דוד", "สมชาย"):
            assert drawn in said or drawn[::-1] in said
        assert "install the font" not in said

    @pytest.mark.parametrize(
        ("name", "font"),
        [
            ("王伟", "CJK"),
            ("さくら", "CJK"),
            ("김민준", "CJK"),
            ("রহিম", "Bengali"),
            ("குமார்", "Tamil"),
        ],
    )
    def test_of_other_scripts_the_report_names_the_font_to_install(
        self, made, no_fonts_of_the_machine, name, font
    ):
        note = f"Some names show as boxes here: install the font Noto Sans {font}."
        assert note in text_of(print_pdf(with_people(made, name))).replace("\n", " ")

    def test_a_font_of_the_machine_is_used(self, made, monkeypatch, no_fonts_of_the_machine):
        """Any font that has the letters serves, by whatever name."""
        path = str(sorted(fonts.folder().iterdir())[0])
        monkeypatch.setattr(fonts, "packaged", list)
        assert lacking(["Ж"]) == ["Noto Sans Cyrillic"]
        fonts.is_drawn.cache_clear()
        installed = SimpleNamespace(path=path, index=0)
        monkeypatch.setattr("typst.Fonts", lambda: SimpleNamespace(fonts=lambda: [installed]))
        assert lacking(["Ж"]) == []

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
