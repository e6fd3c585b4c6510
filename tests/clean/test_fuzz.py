"""Random odd answers: none stops a page, and no words of the service take long."""

import time

import pytest

from bench.fuzz_answers import Chance, changed, direct
from pipelines.monitor.scrub import scrub
from sources.repair_shop.http.answers import read_answer


@pytest.mark.seeds(1)
def test_no_changed_row_stops_a_page_or_the_healed_one_after_it(capsys, seed):
    assert direct(250, seed) == 0, capsys.readouterr().out


def test_the_fuzzer_repeats_itself():
    row = {"id": 1, "customer": {"name": "Ann"}, "lines": [{"total": 3}]}
    texts = [{changed(row, Chance(seed)) for seed in range(50)} for _ in range(2)]
    assert texts[0] == texts[1]
    assert len(texts[0]) > 40


@pytest.mark.parametrize(
    "text",
    ["(saw: " * 9000, "a." * 30_000, "://" + "a:" * 30_000, "1 " * 30_000 + "x", "a@b." * 15_000]
    + ["token" + " " * 50_000, "rate " * 12_000, "requests   a " * 5000, "'a" * 30_000],
)
def test_no_words_of_the_service_take_long_to_tell_or_to_mask(text):
    began = time.process_time()
    scrub(text)
    read_answer(400, {}, f'{{"error": "{text}"}}'.encode())
    assert time.process_time() - began < 10  # more than linear takes minutes
