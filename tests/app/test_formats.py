import re
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from zoneinfo import ZoneInfo

import altair as alt
import pandas as pd
import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st

from pipelines.dashboard import charts
from pipelines.language import MINUS, Language, use
from pipelines.report import formats

pytestmark = pytest.mark.core

AMOUNTS = st.decimals(
    min_value=Decimal("-1e15"), max_value=Decimal("1e15"), allow_nan=False, places=4
)


@given(AMOUNTS)
def test_money_says_the_amount_to_the_cent_whatever_it_is(amount):
    text = formats.money(amount)
    read = Decimal(text.replace(",", "").replace(MINUS, "-"))
    assert read == amount.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
    assert not text.startswith(f"{MINUS}0.00"), "nothing is a negative zero"


@pytest.mark.parametrize(
    ("amount", "text"),
    [("1234567.5", "1,234,567.50"), ("-0.005", "−0.01"), ("0.0049", "0.00"), ("-0.001", "0.00")],
)
def test_money_is_grouped_and_rounded_half_up(amount, text):
    assert formats.money(Decimal(amount)) == text


@pytest.mark.parametrize(
    ("now", "before", "text"),
    [
        ("112", "100", "+12 %"),
        ("88", "100", "−12 %"),
        ("100.4", "100", "±0 %"),
        ("5", "0", "–"),
        ("5", "-3", "–"),
        ("5", None, "–"),
    ],
)
def test_change_is_a_share_only_where_one_means_something(now, before, text):
    said = formats.share(formats.change(Decimal(now), None if before is None else Decimal(before)))
    assert said.replace("\u202f", " ") == text


def test_moments_name_the_offset_of_the_clock_they_show():
    winter = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    assert formats.moment(winter, ZoneInfo("America/New_York")) == "2026-01-01 22:04 −05:00"
    assert formats.moment(winter, ZoneInfo("Asia/Kolkata")) == "2026-01-02 08:34 +05:30"
    assert formats.moment(None, UTC) == "an unknown time"


def test_hours_are_short():
    assert [formats.hours(value) for value in (None, 0.04, 9.96, 1234.5)] == [
        "–",
        "0.0\u202fh",
        "10.0\u202fh",
        "1,234\u202fh",
    ]


@pytest.mark.parametrize(
    ("locale", "most", "told"),
    [
        ("es_CL", 2_000_000, ("\u22122.000.000", "1.000.000")),
        ("es_CL", 1, ("\u22120,5", "1,0")),
        ("es_GT", 2_000_000, ("\u22122,000,000", "1,000,000")),
    ],
)
def test_the_axis_of_a_chart_writes_amounts_as_the_tables_do(locale, most, told):
    with use(Language(locale)):
        axis = charts.amounts(4)
    drawn = alt.Chart(pd.DataFrame({"amount": [-most, most]})).mark_point()
    picture = vl_convert.vegalite_to_svg(drawn.encode(y=alt.Y("amount:Q", axis=axis)).to_dict())
    assert set(told) <= set(re.findall(r"<text[^>]*>([^<]*)<", picture))
