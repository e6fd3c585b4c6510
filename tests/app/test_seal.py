"""What a closing report says of its own trust: its seal, and what it warns of."""

import shutil
from datetime import date, timedelta

import pytest

from pipelines.home import Home
from pipelines.monitor.severity import Severity
from pipelines.report import Period, SealState, closing_report
from pipelines.report.trust import Seal
from sources.repair_shop.ledger import Ledger
from tests.app.warehouse import NOW, TODAY, change, report, texts
from tests.ledgers import ran


@pytest.mark.parametrize(
    ("state", "compared", "differing", "said"),
    [
        (SealState.UNKNOWN, 0, 0, "with the service's own reports"),
        (SealState.UNKNOWN, 28, 0, "in every shop"),
        (SealState.DIFFERS, 28, 3, "in 3 of 28 periods"),
        (SealState.IN_DOUBT, 28, 0, "though 28 of 28 periods agreed"),
        (SealState.AGREES, 28, 0, "in 28 of 28 periods"),
    ],
)
def test_a_seal_says_of_how_many_periods_it_is(state, compared, differing, said):
    assert Seal(state=state, compared=compared, differing=differing).detail == said


def test_the_seal_tells_agreeing_differing_and_not_compared_apart(home):
    assert report(home).seal is SealState.AGREES
    change(home, "delete from marts.reconciliation where shop_id = 'norte'")
    assert report(home).seal is SealState.UNKNOWN
    assert report(home, shop="centro").seal is SealState.AGREES
    change(home, "update marts.reconciliation set matches = false, theirs = theirs + 1 "
                 "where shop_id = 'centro' and period = '2026-03-01'")  # fmt: skip
    made = report(home)
    assert made.seal is SealState.DIFFERS
    (difference,) = made.pages[0].seal.differences
    assert (difference["shop"], difference["period"]) == ("centro", date(2026, 3, 1))
    assert difference["theirs"] - difference["ours"] == 1
    assert [line.seal for line in made.pages[0].lines] == [SealState.DIFFERS, SealState.UNKNOWN]
    # A sync of some lists asks no report: what they brought was never compared.
    change(home, "update marts.reconciliation set fetched_at = '2026-01-01 00:00:00+00'")
    made = report(home, shop="centro")
    assert (made.seal, made.pages[0].seal.differing) == (SealState.IN_DOUBT, 0)
    anew = "1 period(s) of the reports are to be compared anew: documents came since."
    assert texts(made.pages[0])[-1] == anew
    assert f"Centro: {anew}" in texts(report(home).pages[0]), "of several shops it says which"
    change(home, "delete from marts.reconciliation")
    assert report(home).seal is SealState.UNKNOWN


def test_doubts_are_noted(home):
    change(
        home,
        "insert into ops.completeness by name select 'centro' as shop_id, 'tickets' as resource, "
        "false as is_proven",
        "update marts.shop_days set unreadable_payments = 1, unreadable_documents = 1 "
        "where is_today and shop_id = 'centro'",
    )
    page = report(home, str(TODAY)).pages[0]
    assert texts(page) == ["Not proven complete at the last sync: tickets (centro)."]
    notes = page.notes
    assert any("1 payment(s) have an amount that could not be read" in note for note in notes)
    assert any("1 document(s) have no amount that could be read" in note for note in notes)


def test_of_many_lists_in_doubt_six_are_named(home):
    change(home, "update ops.completeness set is_proven = false where shop_id = 'centro'")
    (line,) = (one for one in texts(report(home, shop="centro").pages[0]) if "proven" in one)
    assert line.count(",") == 6 and line.endswith("others.")


def test_runs_that_were_published_count_where_there_is_no_ledger(home):
    change(home, "update ops.runs set outcome = 'failed', exit_code = 3, message = 'no answer'")
    (line,) = texts(report(home, shop="centro").pages[0])
    assert line == "The last run (sync) ended failed: no answer."
    assert not (home / "mirror.sqlite").exists()


def test_no_seal_is_green_after_a_failed_sync_or_one_that_was_cut_off(home):
    """They publish nothing: the file is as whole as it was, and no longer tonight's."""
    ran(home, 0)
    made = report(home)
    assert (made.seal, made.pages[0].cautions) == (SealState.AGREES, ())
    ran(home, 2)
    for shop in (None, "centro"):
        made = report(home, shop=shop)
        (caution,) = made.pages[0].cautions
        assert caution.severity is Severity.FAULT
        assert caution.shown == "The last run (sync) ended failed: no answer."
        assert made.seal is SealState.IN_DOUBT
    assert {line.seal for line in report(home).pages[0].lines} == {SealState.IN_DOUBT}
    ran(home, None)
    assert "was cut off" in texts(report(home).pages[0])[0]
    with Home(home).sync_lock():
        # It is at work; what failed before it is not made good yet.
        assert "no answer" in texts(report(home).pages[0])[0]
    ran(home, 0)
    assert report(home).seal is SealState.AGREES


def test_what_one_shop_was_refused_leaves_the_others_their_seal(home):
    ran(home, 3, "incomplete", centro=True, norte=False)
    assert report(home, shop="centro").seal is SealState.AGREES
    both = [line.seal for line in report(home).pages[0].lines]
    assert both == [SealState.AGREES, SealState.IN_DOUBT]
    ran(home, 3, "incomplete", centro=False, norte=False)
    assert report(home, shop="centro").seal is SealState.IN_DOUBT


@pytest.mark.parametrize("ends", [{"exit_code": 3, "norte": False}, {"exit_code": None}])
def test_what_a_run_of_one_shop_came_to_leaves_the_others_their_seal(home, ends):
    """A chain in several time zones has such a run for each shop."""
    ran(home, **ends, outcome="incomplete", command="sync --shop norte")
    assert report(home, shop="centro").seal is SealState.AGREES
    assert report(home, shop="norte").seal is SealState.IN_DOUBT


def test_no_seal_is_green_when_a_night_was_missed(chain):
    made = closing_report(chain, period=Period.of("day", TODAY), now=NOW + timedelta(hours=40))
    (caution,) = made.pages[0].cautions
    assert (caution.severity, caution.shown) == (Severity.DOUBT, "The mirror is 40 hours old.")
    assert made.seal is SealState.IN_DOUBT


def test_a_disk_so_full_that_no_failure_is_noted_leaves_no_seal_green(home, monkeypatch):
    Ledger(home / "mirror.sqlite").close()
    assert report(home).seal is SealState.AGREES
    usage = shutil.disk_usage(home)._replace(free=2**19)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    made = report(home)
    assert made.seal is SealState.IN_DOUBT
    assert "the disk is full" in texts(made.pages[0])[0]


def test_rows_that_vanished_and_are_kept_leave_the_seal_in_doubt(home):
    change(home, "update ops.completeness set reason = '9 of 20 rows vanished at once' "
                 "where shop_id = 'centro' and resource = 'brands'")  # fmt: skip
    made = report(home, shop="centro")
    (told,) = texts(made.pages[0])
    assert told.startswith("Rows that the service no longer shows still count here"), told
    assert told.endswith(": brands.")
    assert made.seal is SealState.IN_DOUBT
    assert report(home, shop="norte").seal is SealState.AGREES


def test_the_seal_counts_periods_with_business(home):
    before = report(home, shop="norte").pages[0].seal.compared
    for period, ours in (("2019-01-01", 0), ("2026-12-01", 5)):
        change(home, "insert into marts.reconciliation by name select 'norte' as shop_id, "
                     f"'monthly_sales' as report, date '{period}' as period, {ours} as ours, "
                     f"{ours} as theirs, 0 as difference, true as matches")  # fmt: skip
    assert report(home, shop="norte").pages[0].seal.compared == before + 1
    change(home, "update marts.reconciliation set matches = false, theirs = 6 "
                 "where period = '2026-12-01'")  # fmt: skip
    assert report(home, shop="norte").seal is SealState.DIFFERS, "none is hidden"


@pytest.mark.parametrize("kind", ["day", "month"])
def test_a_period_that_was_read_before_it_ended_says_how_far(home, kind):
    """Else the next morning half a day looks like a whole one, and its books agree."""
    period = Period.of(kind, TODAY)
    morning = closing_report(home, now=NOW + timedelta(hours=12), period=period)
    notes = [note for page in morning.pages for note in map(str, page.notes)]
    assert any("2026" in note and "20:00: what came later" in note for note in notes), notes
    evening = closing_report(home, now=NOW, period=period)
    assert not any("what came later" in str(note) for page in evening.pages for note in page.notes)
