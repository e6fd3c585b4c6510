"""``shopmirror report`` as people type it."""

from pathlib import Path

import pytest

from shopmirror.main import main
from tests.app.warehouse import ask, change


@pytest.fixture
def at_home(home, monkeypatch, tmp_path):
    monkeypatch.setenv("SHOPMIRROR_HOME", str(home))
    monkeypatch.chdir(tmp_path)
    change(home, "update ops.completeness set began_at = now() - interval 1 hour")
    return home


def test_a_report_is_written_and_its_path_printed(at_home, capsys):
    assert main(["report", "--shop", "centro"]) == 0
    path = at_home / "reports" / "closing-2026-07-15-centro.html"
    assert capsys.readouterr().out.strip() == str(path)
    assert path.exists()


@pytest.mark.parametrize(
    ("option", "text"),
    [("--week", "2026-W22"), ("--quarter", "2026-Q2"), ("--year", "2025"), ("--day", "2026-06-02")],
)
def test_other_periods_are_reported(at_home, option, text, capsys):
    assert main(["report", option, text]) == 0
    path = Path(capsys.readouterr().out.strip())
    assert path.name == f"closing-{text}.html"
    assert path.read_text().count("<h1>") == 1


def test_books_that_differ_end_in_1(at_home, capsys):
    change(at_home, "update marts.reconciliation set matches = false where period = '2026-03-01'")
    assert main(["report"]) == 1
    ((all_of_them,),) = ask(at_home, "select count(*) from marts.reconciliation where ours <> 0")
    said = capsys.readouterr().err
    assert f"differ from the service's own reports in 2 of {all_of_them} periods" in said


def test_a_mirror_that_missed_a_night_ends_in_1(at_home, capsys):
    change(at_home, "update ops.completeness set began_at = now() - interval 40 hour")
    assert main(["report"]) == 1
    assert "The mirror is 40 hours old." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--day", "16.07.2026"], "no day like"),
        (["--month", "2026-13"], "no month like"),
        (["--day", "2999-01-01"], "has not begun"),
        (["--day", "2026-07-01", "--month", "2026-07"], "not for both"),
        (["--week", "2026-W60"], "no week like 2026-W47"),
        (["--year", "2026-11"], "no year like 2026"),
        (["--out", "report.csv"], "must end in .html, .pdf or .xlsx"),
        (["--shop", "sur"], "no shop 'sur'"),
        (["--out", "gone/report.html"], "does not exist"),
        (["--send"], "[mail]"),
    ],
)
def test_wrong_input_ends_in_2(at_home, arguments, said, capsys):
    assert main(["report", *arguments]) == 2
    assert said in capsys.readouterr().err
