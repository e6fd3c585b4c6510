"""``[display]``: how figures, days and money are written, and what is refused."""

import io
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from PIL import Image

import notebooks
from pipelines.language import Text, _, current, shown, use
from pipelines.language.display import DisplaySettings
from pipelines.settings import SettingsError
from shopmirror.main import main

pytestmark = pytest.mark.core

DAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("settings", "money", "day", "month"),
    [
        ({}, "\u22121,234.50", "2026-11-21", "2026-11"),
        ({"language": "es"}, "\u22121.234,50", "2026-11-21", "2026-11"),
        ({"language": "es-GT"}, "\u2212Q1,234.50", "21/11/2026", "11/2026"),
        ({"language": "es-ES"}, "\u22121.234,50 GTQ", "21/11/2026", "11/2026"),
        ({"language": "en-US"}, "\u2212GTQ 1,234.50", "11/21/2026", "11/2026"),
    ],
)
def test_figures_and_days_are_written_as_the_settings_say(settings, money, day, month):
    language = DisplaySettings(**settings).to_language()
    written = language.money(Decimal("-1234.495"), "GTQ")
    assert written.replace("\u202f", " ").replace("\u00a0", " ") == money
    assert (language.day(DAY), language.month(DAY)) == (day, month)


def test_a_currency_without_cents_shows_none_that_an_amount_has_not():
    language = DisplaySettings(language="es-CL").to_language()
    assert language.money(Decimal("1234.0000"), "CLP") == "$1.234"
    assert language.money(Decimal("1234.5"), "CLP") == "$1.234,50"
    assert language.money(Decimal(1234), "USD").endswith("1.234,00")
    plain = DisplaySettings().to_language()
    assert plain.money(Decimal("1234.0000"), "JPY") == "1,234"
    assert plain.money(Decimal("1234.0000"), "GTQ") == "1,234.00"
    assert plain.money(Decimal("12.3450"), "KWD") == "12.345"
    assert plain.money(Decimal("1234.0000"), "KWD") == "1,234.000"


def test_a_text_is_said_in_the_language_at_work():
    text = Text("Not proven complete at the last sync: {lists}.", lists=[Text("tickets"), "x"])
    assert text == "Not proven complete at the last sync: tickets, x."
    with use(DisplaySettings(language="es-GT").to_language()):
        assert shown(text).endswith("estén completas: tickets, x.")
        assert _("The books begin at {day}: nothing is known of earlier days.", day=DAY).startswith(
            "Los libros empiezan el 21/11/2026"
        )
        assert current().weekday(DAY) == "s\u00e1bado"
        assert shown("Shop") == "Shop", "what the shop calls a thing is no sentence of ours"
    assert current().weekday(DAY) == "Saturday"


def test_an_empty_text_is_empty_in_any_language():
    assert DisplaySettings(language="es-GT").to_language().say(Text("")) == ""


def test_a_catalogue_of_ones_own_says_what_it_has(tmp_path):
    own = tmp_path / "pt.po"
    own.write_text('msgid ""\nmsgstr ""\n\nmsgid "Sold"\nmsgstr "Vendido aqui"\n')
    with use(DisplaySettings(language="pt-BR", catalogue=str(own)).to_language()):
        assert (_("Sold"), _("Shop")) == ("Vendido aqui", "Shop")


def _png(size: tuple[int, int]) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, "red").save(out, "PNG")
    return out.getvalue()


def test_a_logo_is_drawn_anew_and_a_file_that_is_none_refused(tmp_path, monkeypatch):
    logo = tmp_path / "logo.png"
    monkeypatch.setenv("DISPLAY__LOGO", str(logo))
    logo.write_bytes(_png((2000, 500)) + b"<script>alert(1)</script>")
    picture = DisplaySettings.load().picture
    assert picture is not None and b"script" not in picture
    assert Image.open(io.BytesIO(picture)).size == (640, 160)
    for content in (b"<svg onload='alert(1)'/>", b"", _png((40, 40))[:50]):
        other = tmp_path / f"{len(content)}.png"
        other.write_bytes(content)
        monkeypatch.setenv("DISPLAY__LOGO", str(other))
        with pytest.raises(SettingsError, match="no picture that can be read"):
            DisplaySettings.load().picture  # noqa: B018 - reading it is what fails
    monkeypatch.setenv("DISPLAY__LOGO", str(tmp_path / "none.png"))
    with pytest.raises(SettingsError, match="no picture"):
        DisplaySettings.load().picture  # noqa: B018 - as above


def test_a_catalogue_with_a_wrong_place_falls_back_to_english(tmp_path):
    own = tmp_path / "pt.po"
    own.write_text(
        'msgid ""\nmsgstr ""\n\nmsgid "in {n} of {all} periods"\nmsgstr "{de} {n.real.x} {"\n'
    )
    with use(DisplaySettings(language="pt", catalogue=str(own)).to_language()):
        assert _("in {n} of {all} periods", n=1, all=1234) == "in 1 of 1.234 periods"


def test_notebooks_are_written_once(tmp_path):
    assert main(["notebooks", "--to", str(tmp_path)]) == 0
    for path in Path(notebooks.__path__[0]).glob("*.ipynb"):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
    assert main(["notebooks", "--to", str(tmp_path)]) == 2, "somebody works in them"
