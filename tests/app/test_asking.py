"""``shopmirror query`` and ``shopmirror export``: the warehouse as people take it elsewhere."""

import csv
import io
import json
import re
import stat
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import duckdb
import pytest

from shopmirror.main import main
from tests.app.warehouse import ask, change

CELLS = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


@pytest.fixture
def at_chain(chain, monkeypatch, tmp_path):
    monkeypatch.setenv("SHOPMIRROR_HOME", str(chain))
    monkeypatch.chdir(tmp_path)
    return chain


def cells(path: Path, sheet: int = 1) -> list[list[str | float | None]]:
    """What a worksheet holds, read without the library that wrote it; formulas are a failure."""
    with zipfile.ZipFile(path) as book:
        shared = (
            [
                "".join(part.text or "" for part in one.iter(f"{CELLS}t"))
                for one in ET.fromstring(book.read("xl/sharedStrings.xml"))
            ]
            if "xl/sharedStrings.xml" in book.namelist()
            else []
        )
        page = ET.fromstring(book.read(f"xl/worksheets/sheet{sheet}.xml"))
    assert page.find(f".//{CELLS}f") is None

    def held(cell: ET.Element) -> str | float | None:
        value = cell.find(f"{CELLS}v")
        if cell.get("t") == "inlineStr":
            return "".join(part.text or "" for part in cell.iter(f"{CELLS}t"))
        if value is None or value.text is None:
            return None
        return shared[int(value.text)] if cell.get("t") == "s" else float(value.text)

    rows = []
    for row in page.iter(f"{CELLS}row"):
        there = {ord(cell.get("r", "A")[0]) - ord("A"): held(cell) for cell in row}
        rows.append([there.get(place) for place in range(max(there, default=-1) + 1)])
    return rows


def test_a_question_is_answered_for_people_and_for_programs(at_chain, capsys):
    sql = "select shop_id, day, total from marts.daily_sales order by total desc, 1, 2 limit 2"
    (shop, day, total), _ = ask(at_chain, sql)
    assert main(["query", sql]) == 0
    shown = capsys.readouterr().out
    assert shop in shown and str(day) in shown and f"{total:.2f}" in shown
    assert main(["query", sql, "--json"]) == 0
    first = json.loads(capsys.readouterr().out)[0]
    assert first == {"shop_id": shop, "day": str(day), "total": str(total)}
    assert main(["query", sql, "--csv"]) == 0
    assert list(csv.reader(io.StringIO(capsys.readouterr().out)))[1] == [shop, str(day), str(total)]


def test_the_tables_that_are_shown_are_the_marts(at_chain, capsys):
    assert main(["query", "show tables", "--json"]) == 0
    shown = [row["name"] for row in json.loads(capsys.readouterr().out)]
    marts = "select table_name from information_schema.tables where table_schema = 'marts' order by"
    assert shown == [name for (name,) in ask(at_chain, f"{marts} 1")]


def test_two_columns_of_one_name_are_told_apart(at_chain, capsys):
    assert main(["query", "select 1 as x, 2 as x, 3 as x", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"x": 1, "x_1": 2, "x_2": 3}]
    assert main(["query", "select 1 as x, 2 as x, 3 as x_1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"x": 1, "x_2": 2, "x_1": 3}]


def test_what_is_no_figure_is_null_for_programs(at_chain, capsys):
    odd = "'nan'::double as a, [1 / 0] as b, map {date '2026-01-02': 0.5} as c"
    assert main(["query", f"select {odd}", "--json"]) == 0
    said = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert said == [{"a": None, "b": [None], "c": {"2026-01-02": "0.5"}}]


@pytest.mark.parametrize("amount", ["9" * 34 + ".9999", "9" * 36 + ".50", "0.1250"])
def test_an_amount_of_any_length_is_shown_as_it_is(at_chain, amount, capsys):
    assert main(["query", f"select {amount}::decimal(38,{len(amount.split('.')[1])})"]) == 0
    assert amount in capsys.readouterr().out


def test_a_reader_behind_a_pipe_gets_whole_values(at_chain, capsys):
    names = ", ".join(f"repeat('{n:02}', 150) as column_{n:02}" for n in range(30))
    assert main(["query", f"select {names}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(all(f"{n:02}" * 150 in line for n in range(30)) for line in lines)
    assert any("column_00" in line and "column_29" in line for line in lines)


def test_a_question_may_come_by_standard_input(at_chain, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("select '=1+1' as formula, -2 as n"))
    assert main(["query", "-", "--csv"]) == 0
    assert capsys.readouterr().out.splitlines() == ["formula,n", "'=1+1,-2"]


def test_a_question_without_an_answer_says_so(chain, monkeypatch, capsys):
    monkeypatch.setenv("SHOPMIRROR_HOME", str(chain))
    assert main(["query", "select day from marts.payments where day < '1990-01-01'"]) == 0
    assert capsys.readouterr().err.startswith("No rows.\n")


@pytest.mark.parametrize("command", [["query", "select 1 as n", "--json"], ["export", "payments"]])
def test_why_figures_cannot_be_relied_on_is_told_beside_them(home, monkeypatch, capsys, command):
    change(home, "update ops.completeness set is_proven = false where resource = 'payments'")
    monkeypatch.setenv("SHOPMIRROR_HOME", str(home))
    monkeypatch.chdir(home)
    assert main(command) == 0
    said = capsys.readouterr()
    assert "Not proven complete at the last sync: payments" in said.err
    assert "proven" not in said.out
    change(home, "drop table marts.reconciliation")
    assert main(command) == 0, "of models of somebody's own"
    assert "before the reports were built" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("select * from marts.nothing", "shopmirror dictionary"),
        ("selct 1", "syntax error"),
        ("select 1; select 2", "2 statements"),
        ("  ", "There is no statement"),
        ("drop table marts.payments", "kind 'drop'"),
        ("copy marts.payments to 'out.csv'", "read only"),
        ("select * from read_csv('/etc/hostname')", "no other file"),
        ("from query('attach ''x.db''')", "shopmirror"),
        ("set memory_limit = '1GB'", "read only"),
    ],
)
def test_what_is_no_question_ends_in_2_and_changes_nothing(at_chain, sql, said, capsys):
    assert main(["query", sql]) == 2
    assert said in capsys.readouterr().err
    assert list(Path.cwd().iterdir()) == []


def test_marts_are_files_that_only_their_owner_reads(at_chain, capsys):
    assert main(["export", "--to", "out", "--shop", "centro"]) == 0
    sql = "select table_name from information_schema.tables where table_schema = 'marts'"
    marts = ask(at_chain, sql)
    found = {path.name for path in Path("out").iterdir()}
    assert found == {f"{name}.csv" for (name,) in marts}
    assert {stat.S_IMODE(path.stat().st_mode) for path in Path("out").iterdir()} == {0o600}
    assert stat.S_IMODE(Path("out").stat().st_mode) == 0o700
    with Path("out/payments.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    expected = ask(
        at_chain, "select count(*), sum(amount) from marts.payments where shop_id = 'centro'"
    )
    assert (len(rows), sum(float(row["amount"]) for row in rows)) == pytest.approx(
        tuple(map(float, expected[0]))
    )


def test_the_same_rows_as_parquet_and_as_a_workbook(at_chain):
    for form in ("parquet", "xlsx"):
        wanted = ["payments", "ticketInvoices", "raw.brands"]
        assert main(["export", *wanted, "--to", ".", "--format", form]) == 0
    ours = ask(at_chain, "select * from marts.payments order by shop_id, id")
    assert duckdb.sql("from 'payments.parquet' order by shop_id, id").fetchall() == ours
    (times,) = ask(at_chain, "select count(*) from staging.ticket_invoices")[0]
    assert len(cells(Path("staging-ticket_invoices.xlsx"))) == times + 1
    head, *rows = cells(Path("payments.xlsx"))
    amounts = [row[head.index("amount")] for row in rows]
    assert all(isinstance(amount, float) for amount in amounts)
    place = [c[0] for c in ask(at_chain, "select column_name from (describe marts.payments)")]
    assert sum(map(float, amounts)) == pytest.approx(  # type: ignore[arg-type]
        float(sum(row[place.index("amount")] for row in ours))
    )


def test_lists_are_written_too_when_they_are_asked_for(at_chain):
    assert main(["export", "brands", "--lists", "--to", "out"]) == 0
    sql = "select table_name from information_schema.tables where table_schema = 'staging'"
    lists = ask(at_chain, sql)
    found = {path.name for path in Path("out").iterdir()}
    assert found == {f"staging-{name}.csv" for (name,) in lists}


def test_more_rows_than_excel_holds_are_refused(at_chain, monkeypatch, capsys):
    monkeypatch.setattr("pipelines.report.workbook.ROWS", 3)
    assert main(["export", "payments", "--format", "xlsx", "--to", "out"]) == 2
    assert "Excel holds 3: export it as csv" in capsys.readouterr().err


def test_a_text_is_no_formula_in_a_spreadsheet(home, monkeypatch, tmp_path):
    evil = '=HYPERLINK("http://x","y")'
    change(home, f"update marts.customers set name = '{evil}', email = 'mailto:a@example.com'")
    monkeypatch.setenv("SHOPMIRROR_HOME", str(home))
    monkeypatch.chdir(tmp_path)
    for form in ("csv", "xlsx"):
        assert main(["export", "customers", "--to", "out", "--format", form]) == 0
    assert f"'{evil}"[:12] in Path("out/customers.csv").read_text(encoding="utf-8-sig")
    head, first, *_ = cells(Path("out/customers.xlsx"))
    assert first[head.index("name")] == evil


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "no table 'nothing'"),
        (["payments", "--shop", "sur"], "no shop 'sur'"),
        (["payments", "--format", "ods"], "csv, parquet, xlsx"),
        (["payments", "--to", "taken/out"], "Nothing can be written"),
    ],
)
def test_a_wrong_export_ends_in_2(at_chain, arguments, said, capsys):
    Path("taken").write_text("")
    assert main(["export", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_each_question_of_the_guide_is_answered(at_chain):
    text = (Path(__file__).parents[2] / "docs" / "reference" / "questions.md").read_text(
        encoding="utf-8"
    )
    asked = re.findall(r'^shopmirror query "(.+)"$', text, re.M)
    assert len(asked) >= 4
    held = {name for (name,) in ask(at_chain, "select distinct table_name from duckdb_tables()")}
    for sql in asked:
        ask(at_chain, sql)
    named = {row.split("|")[2] for row in text.splitlines() if row.startswith("| ") and "?" in row}
    for cell in named:
        (first, *_rest) = re.findall(r"`([a-z_]+)`", cell)
        assert first in held, first
