"""The closing report as a workbook, and the figures that are shown on request."""

import re
from datetime import timedelta
from email.message import EmailMessage
from io import BytesIO
from zipfile import ZipFile

import pytest

from pipelines.report import Period, closing_report, write
from pipelines.report.layout import tables
from pipelines.report.post import PostSettings, message
from pipelines.report.workbook import Tab, write_workbook
from shopmirror.main import main
from tests.app.test_asking import cells
from tests.app.warehouse import NOW, ask

JUNE = Period.read("2026-06")
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@pytest.fixture(scope="module")
def made(chain):
    return closing_report(chain, period=JUNE, now=NOW, extras=("tax", "margin", "expenses"))


def test_sheets_of_long_names_are_told_apart():
    """Of a chain in two currencies each begins with its shop's name."""
    shop = "taller_central_de_guatemala_zona_10"
    made = BytesIO()
    write_workbook(made, [Tab(f"{shop} {table}", (), ()) for table in ("Figures", "By shop", "")])
    names = re.findall(r'<sheet name="([^"]+)"', ZipFile(made).read("xl/workbook.xml").decode())
    assert names == [shop[:31], f"{shop[:27]} 2", f"{shop[:27]} 3"]


def test_sheets_of_several_pages_are_called_in_the_readers_language(made, tmp_path, monkeypatch):
    monkeypatch.setenv("DISPLAY__LANGUAGE", "es")
    both = made.model_copy(update={"pages": made.pages * 2})
    names = ZipFile(write(both, tmp_path / "june.xlsx")).read("xl/workbook.xml").decode()
    assert '<sheet name="2 tiendas Cifras"' in names and "shops" not in names


def test_a_workbook_has_numbers_with_totals(made, tmp_path):
    path = write(made, tmp_path / "june.xlsx")
    head, *rows = cells(path)
    figures = {row[0]: row[1] for row in rows}
    page = made.pages[0]
    assert head[0].endswith(f"({page.currency})")
    assert float(figures["Money taken"]) == float(page.now.figures.taken)
    assert float(figures["Receivables"]) == float(page.now.figures.receivables)
    assert figures["Tickets opened"] == page.now.figures.tickets_opened
    for sheet, count in ((2, 3), (3, 5), (4, 3), (5, 2), (6, 1)):
        head, *lines, total = cells(path, sheet)
        assert total[0] == "Total"
        # A median of medians is none.
        added = [
            place for place, name in enumerate(head) if place and name not in ("Median", "Books")
        ]
        assert len(added) == count
        for place in added:
            values = [float(line[place] or 0) for line in lines]
            assert float(total[place] or 0) == pytest.approx(sum(values))


def test_a_workbook_says_what_its_figures_lack(chain, tmp_path):
    late = closing_report(chain, period=Period.read("2026-07"), now=NOW + timedelta(days=3))
    (page,) = late.pages
    _head, *rows = cells(write(late, tmp_path / "july.xlsx"))
    *_figures, caution, note = (row[0] for row in rows)
    assert caution == page.cautions[-1].shown and "mirror ends at 2026-07-16" in note


def test_a_change_is_written_as_percent(made, tmp_path):
    with ZipFile(write(made, tmp_path / "june.xlsx")) as book:
        sheet, styles = (book.read(f"xl/{name}.xml") for name in ("worksheets/sheet1", "styles"))
    shapes = dict(re.findall(rb'numFmtId="(\d+)" formatCode="([^"]+)"', styles))
    (kinds,) = re.findall(rb"<cellXfs.*?</cellXfs>", styles, re.S)
    used = re.findall(rb'<xf numFmtId="(\d+)"', kinds)
    changes = re.findall(rb'r="E\d+" s="(\d+)"><v>', sheet)
    assert {shapes[used[int(style)]] for style in changes} == {b"+0 %;-0 %;0 %"}


def test_tax_margin_and_expenses_on_request(made, chain):
    tax, cost, margin = ask(
        chain,
        "select sum(tax), sum(cost), sum(margin) from marts.daily_sales "
        "where date_trunc('month', day) = '2026-06-01'",
    )[0]
    ((spent,),) = ask(
        chain,
        "select sum(cost) from marts.purchase_documents where effect = 'expense' "
        "and date_trunc('month', created_day) = '2026-06-01'",
    )
    now = made.pages[0].now.figures
    assert (now.tax, now.cost, now.margin, now.expenses) == (tax, cost, margin, spent)
    plain = closing_report(chain, period=JUNE, now=NOW)
    shown, hidden = (
        {
            row[0]
            for table in tables(one, one.pages[0])
            if table.key == "figures"
            for row in table.rows
        }
        for one in (made, plain)
    )
    extras = {"of which tax", "Margin", "cost of goods", "Expenses"}
    assert extras <= shown and not extras & hidden


@pytest.mark.parametrize(
    ("attach", "kinds"),
    [
        ("", []),
        ("pdf, xlsx", ["application/pdf", XLSX]),
    ],
)
def test_what_hangs_on_the_mail(made, attach, kinds):
    settings = PostSettings(
        smtp_host="h", mail_from="a@example.com", mail_to=("b@example.com",),
        attach=attach,  # type: ignore[arg-type]
    )  # fmt: skip
    mail: EmailMessage = message(made, settings)
    found = list(mail.iter_attachments())
    assert [part.get_content_type() for part in found] == kinds
    assert all(len(part.get_payload(decode=True)) > 500 for part in found)


def test_the_setting_asks_for_every_report_and_the_option_for_one(
    chain, monkeypatch, tmp_path, capsys
):
    monkeypatch.setenv("SHOPMIRROR_HOME", str(chain))
    monkeypatch.setenv("REPORT__FIGURES", "tax")
    monkeypatch.chdir(tmp_path)
    for name, options in (
        ("set", []),
        ("one", ["--with", "expenses"]),
        ("none", ["--with", "none"]),
    ):
        main(["report", "--month", "2026-06", "--out", f"{name}.html", *options])
    lines = {
        path.stem: {word for word in ("of which tax", "Expenses") if word in path.read_text()}
        for path in tmp_path.glob("*.html")
    }
    assert lines == {"set": {"of which tax"}, "one": {"Expenses"}, "none": set()}
    assert main(["report", "--with", "profit"]) == 2
    assert "tax, margin, expenses" in capsys.readouterr().err
