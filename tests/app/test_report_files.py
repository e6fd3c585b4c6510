import stat

import pytest

from pipelines.report import Period, ReportError, closing_report, default_path, write
from tests.app.warehouse import NOW


@pytest.fixture(scope="module")
def made(chain):
    return closing_report(chain, shop="centro", period=Period.read("2026-06"), now=NOW)


def test_the_ending_chooses_the_form_and_only_the_owner_reads_it(made, tmp_path):
    page, paper = write(made, tmp_path / "a.html"), write(made, tmp_path / "b.PDF")
    assert page.read_bytes().startswith(b"<!doctype html>")
    assert paper.read_bytes().startswith(b"%PDF")
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "b.PDF"]


def test_the_name_tells_period_and_shop(made, chain, tmp_path):
    assert default_path(tmp_path, made) == tmp_path / "reports" / "closing-2026-06-centro.html"
    both = closing_report(chain, period=Period.read("2026-06"), now=NOW)
    assert default_path(tmp_path, both).name == "closing-2026-06.html"
    write(made, default_path(tmp_path, made), make_folder=True)


def test_a_failure_leaves_the_earlier_report(made, tmp_path, monkeypatch):
    path = tmp_path / "a.html"
    path.write_text("earlier")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pipelines.json_file.os.fsync", full)
    with pytest.raises(ReportError, match=r"a\.html cannot be written: No space left on device"):
        write(made, path)
    assert path.read_text() == "earlier"
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]


def test_a_file_in_the_place_of_a_folder_is_named(made, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ReportError, match="file"):
        write(made, tmp_path / "file" / "a.html", make_folder=True)
