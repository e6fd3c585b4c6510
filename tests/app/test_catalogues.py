"""Every sentence of ours is in the catalogue, and none goes by it."""

import ast
import functools
import gettext
import re
from html import unescape

import pytest
from babel.messages.pofile import read_po
from PIL import Image

from pipelines.language import Language, use
from pipelines.language.display import FOLDER, DisplaySettings
from pipelines.monitor.notify import Incidents, NotifySettings
from pipelines.report import Period, closing_report
from pipelines.report.render import html as render
from pipelines.report.render import mail_html, text
from shopmirror.main import main
from tests.app.catalogue import messages, notebooks
from tests.app.receivers import HookServer
from tests.app.test_page import shown
from tests.app.warehouse import NOW, ask, chain_home, change
from tests.promises import promise

_PLACES = re.compile(r"\{(\w+)\}")


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.po")), ids=lambda path: path.stem)
def test_nothing_is_missing_in_a_catalogue(path):
    with path.open("rb") as file:
        known = {one.id: one.string for one in read_po(file) if one.id}
    said = messages()
    assert {text: place for text, place in said.items() if text not in known} == {}
    assert set(known) - set(said) == set(), "nobody says this any more"
    for english, other in known.items():
        assert set(_PLACES.findall(english)) == set(_PLACES.findall(other)), english


@pytest.mark.parametrize("name", notebooks())
def test_a_charts_labels_are_said_in_the_language_at_work(name):
    given = [
        one.value
        for node in ast.walk(ast.parse(notebooks()[name]))
        if isinstance(node, ast.Call)
        for one in node.keywords
        if one.arg == "title"
    ]
    assert given
    by_itself = [one for one in given if isinstance(one, ast.Constant | ast.JoinedStr)]
    assert [ast.unparse(one) for one in by_itself if ast.unparse(one) != "None"] == []


class Greek(gettext.NullTranslations):
    """Every word is Greek to us: what still reads English went by the catalogue."""

    def gettext(self, message: str) -> str:
        return greek().get(message, message)


@functools.cache
def greek() -> dict[str, str]:
    letters = str.maketrans({chr(n): chr(n - ord("a") + ord("\u03b1")) for n in range(97, 123)})
    return {
        text: re.sub(r"\{\w+\}|\w", lambda found: found[0].lower().translate(letters)
                     if len(found[0]) == 1 else found[0], text)
        for text in messages()
    }  # fmt: skip


def strange() -> Language:
    return Language("el", Greek())


def english_in(text: str, *own: str) -> list[str]:
    """Words in our letters that are neither the shop's ``own`` nor a unit."""
    for name in sorted(own, key=len, reverse=True):
        text = text.replace(name, " ")
    return [word for word in re.findall(r"[A-Za-z]{2,}", text) if word != "GTQ"]


@promise("reports, page and notices are said in Spanish")
def test_a_report_says_nothing_by_the_catalogue(tmp_path_factory, tmp_path):
    (tmp_path / "warehouse.duckdb").write_bytes(
        (chain_home(tmp_path_factory) / "warehouse.duckdb").read_bytes()
    )
    change(
        tmp_path,
        "update marts.reconciliation set matches = false where period >= '2026-01-01'",
        "update ops.completeness set is_proven = false where resource = 'tickets'",
        "update marts.payments set payment_method = null where day = '2026-07-15'",
    )
    for period in ("2026-07-15", "2026-07", "2026-W28", "2026-Q3"):
        made = closing_report(tmp_path, now=NOW, period=Period.read(period))
        own = [line["name"] or "" for page in made.pages for line in page.technicians]
        own += [line["name"] for page in made.pages for line in page.methods]
        with use(strange()):
            html, mail = render(made) + mail_html(made, ""), text(made)
        html = re.sub(r"<style>.*?</style>", "", html, flags=re.S)
        texts = unescape(re.sub(r"<[^>]*>", " ", html))
        labels = " ".join(re.findall(r'(?:alt|title)="([^"]*)"', html))
        for words in (texts, labels, mail):
            assert english_in(words, "centro", "norte", *filter(None, own)) == []


@promise("reports, page and notices are said in Spanish")
@pytest.mark.parametrize(
    "part", ["sales", "breakdown", "cash", "tickets", "due", "stock", "people", "books", "mirror"]
)
def test_the_page_says_nothing_by_the_catalogue(part, chain, monkeypatch):
    monkeypatch.setattr(DisplaySettings, "to_language", lambda _settings: strange())
    ((customer, *names),) = ask(
        chain,
        "select (select customer_id from marts.documents where shop_id = 'centro' and "
        "customer_id is not null order by document_number limit 1), "
        "(select string_agg(distinct technician, '|') from marts.tickets)",
    )
    address = {"period": "2026-05", "open": f"centro/customer/{customer}", "q": "a"}
    page = shown(chain, monkeypatch, part=part, **address)
    said = [str(text.value) for kind in ("title", "subheader", "warning", "error", "info")
            for text in page.get(kind)]  # fmt: skip
    said += [f"{one.label} {one.value} {one.delta}" for one in page.metric]
    said += [box.label for box in (*page.selectbox, *page.multiselect, *page.text_input)]
    said += [option for box in page.selectbox for option in box.options]
    said += [re.sub("<[^>]*>", "", str(one.value)) for one in page.caption]
    said += [one.label for one in page.button]
    said += [heading for table in page.dataframe for heading in table.value.columns]
    said += [
        str(value)
        for table in page.dataframe
        for heading in table.value.columns
        if heading in {greek()[text] for text in ("Kind", "Agree", "Outcome", "List")}
        for value in table.value[heading]
    ]
    own = [name for line in names for name in str(line).split("|")]
    # Numbers of documents have letters.
    found = english_in(" ".join(said), "centro", "norte", *own)
    assert [word for word in found if word not in {"INV", "POS", "None"}] == []


@promise("reports, page and notices are said in Spanish")
@pytest.mark.parametrize(
    ("language", "title", "told"),
    [
        ("es", "taller: sync falla", "el servicio nos rechazó o no se pudo alcanzar"),
        # Settings at fault hide no trouble.
        ("nobody's", "taller: sync fails", "the service refused us or could not be reached"),
    ],
)
def test_a_notice_is_said_in_the_language_of_the_settings(
    tmp_path, monkeypatch, language, title, told
):
    monkeypatch.setenv("DISPLAY__LANGUAGE", language)
    with HookServer() as hook:
        settings = NotifySettings.model_validate({"webhook_url": hook.url, "name": "taller"})
        incidents = Incidents(tmp_path, settings)
        incidents.failed("sync", 3, "x")
        incidents.recovered("sync")
    failed, works = hook.posts
    assert failed["subject"] == title and told in failed["body"]
    assert works["subject"].startswith("taller: sync f" if language == "es" else "taller: sync w")


def test_a_report_of_a_spanish_shop_and_the_command_stays_english(
    tmp_path_factory, tmp_path, monkeypatch, capsys
):
    logo = tmp_path / "logo.png"
    Image.new("RGB", (300, 100), "red").save(logo)
    monkeypatch.setenv("SHOPMIRROR_HOME", str(chain_home(tmp_path_factory)))
    monkeypatch.setenv("DISPLAY__LANGUAGE", "es-GT")
    monkeypatch.setenv("DISPLAY__LOGO", str(logo))
    for ending in ("html", "pdf"):
        out = tmp_path / f"out.{ending}"
        assert main(["report", "--day", "2026-07-16", "--out", str(out)]) == 1
    assert "The mirror is" in capsys.readouterr().err, "commands are English"
    page = (tmp_path / "out.html").read_text()
    assert '<html lang="es">' in page and "Dinero recibido" in page and "jueves" in page
    assert "16/07/2026" in page and ">Q" in page
    assert 'src="data:image/png;base64,' in page
    monkeypatch.setenv("DISPLAY__LANGUAGE", "fr")
    assert main(["report", "--out", str(tmp_path / "no.html")]) == 2
    assert "come along" in capsys.readouterr().err
