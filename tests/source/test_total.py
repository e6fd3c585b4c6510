"""No answer stops the mirror: whatever JSON a row holds, it becomes a row, and nothing is lost."""

import itertools
import json
import time
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import hypothesis
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.masking import scrub
from sources.repair_shop.change_log import ChangeLog
from sources.repair_shop.http.answers import detail_of, rows_of
from sources.repair_shop.http.classify import classify
from sources.repair_shop.http.json_body import parse_json
from sources.repair_shop.ledger import Ledger, Row
from sources.repair_shop.scan.service_pages import day_of
from sources.repair_shop.schema.arrow import tables_of
from sources.repair_shop.schema.clean import clean_row, made_up_id, parse_amount, row_id
from sources.repair_shop.schema.dates import parse_moment
from sources.repair_shop.schema.digest import digest
from sources.repair_shop.schema.endpoints import ENDPOINTS
from sources.repair_shop.schema.names import LONGEST, snake_case
from tests.homes import shop_of
from tests.promises import promise
from tests.source.test_arrow import change

ZONE = ZoneInfo("America/Guatemala")


def cleaned(body: str, table: str = "customers") -> dict[str, Any]:
    """One row, all the way that a stored answer goes."""
    (row,) = rows_of(parse_json(f"[{body}]".encode()), "/list")
    digest(row), day_of(row, ENDPOINTS[table], ZONE)
    told = change(body.encode(), table)
    (loaded,) = tables_of(table, [told], "main", ZONE)[table].to_pylist()
    return loaded


@promise("no answer stops a list, whatever JSON it holds")
@pytest.mark.parametrize(
    ("field", "column", "kept"),
    [
        ('"created_date": 1700000000.5', "created_date", "2023-11-14T16:13:20.500000-06:00"),
        ('"creditlimit": 1e9999999', "_unreadable", '{"credit_limit": "1E+9999999"}'),
        ('"creditlimit": 1e-9999999', "credit_limit", Decimal("0.0000")),
        (
            '"creditlimit": 1e99999999999999999999',
            "_unreadable",
            '{"credit_limit": "1e99999999999999999999"}',
        ),
        ('"tags": ["\\ud83d"]', "tags", '["\N{REPLACEMENT CHARACTER}"]'),
        ('"name": "a\\u0000b"', "name", "a\N{REPLACEMENT CHARACTER}b"),
        ('"name": "\\ud83d\\ude00"', "name", "\N{GRINNING FACE}"),
        ('"engine": {"v_type": "x"}', "engine", '{"v_type": "x"}'),
        ('"_unreadable": "mine"', "_unreadable", '{"_unreadable": "mine"}'),
        ('"_seq": 99', "_unreadable", '{"_seq": "99"}'),
        ('"颜色": "red", "型号": "X1"', "颜色", "red"),
        ('"颜色": "red", "型号": "X1"', "型号", "X1"),
        ('"Name": "b", "name": "a", "NAME": "c"', "name_3", "b"),
        ('"name": "a", "NAME": "c", "Name": "b"', "name_2", "c"),
        ('"name": 1, "name": 2', "name", "2"),
        ('"a": {"b": [{"e": 1}]}', "a", '{"b": [{"e": 1}]}'),
        ('"": 1', "x", "1"),
        ('"2nd": 1', "_2nd", "1"),
        ('"due_date": "0001-01-01T00:00:00+00:00"', "due_date", "0001-01-01T00:00:00+00:00"),
    ],
)
def test_an_odd_value_is_kept_in_its_column_or_word_for_word(field, column, kept):
    assert cleaned('{"id": 1, ' + field + "}")[column] == kept


def test_numbers_of_any_length_are_kept():
    row = cleaned('{"id": ' + "9" * 5000 + ', "visits": ' + "7" * 6000 + "}")
    assert row["id"] == "9" * 5000
    assert row["visits"] == "7" * 6000


def test_a_key_of_thousands_of_digits_is_a_column_of_bounded_name():
    key = "1" * 5000
    row = cleaned(json.dumps({"id": 1, key: "a", key + "1": "b"}))
    names = [name for name in row if row[name] in ("a", "b")]
    assert len(names) == 2
    assert all(len(name) <= LONGEST for name in names)


@pytest.mark.parametrize("levels", [40, 800])
def test_a_value_many_levels_down_is_kept_as_text(levels):
    row = cleaned(
        '{"id": 1, "deep": ' + '[{"a":' * (levels // 2) + "1" + "}]" * (levels // 2) + "}"
    )
    assert "a" in json.dumps(row, default=str)
    assert row["id"] == "1"


def test_ten_thousand_fields_make_no_ten_thousand_columns_and_are_kept():
    row = cleaned(json.dumps({"id": 1, "by": {f"k{n}": n for n in range(10_000)}}))
    assert json.loads(row["by"])["k9999"] == 9999
    row = cleaned(json.dumps({"id": 1} | {f"k{n}": n for n in range(10_000)}))
    assert len(row) < 1_100
    kept = row | json.loads(row["_unreadable"])
    assert all(kept[f"k{n}"] == str(n) for n in range(10_000))


def test_two_lists_that_could_be_the_lines_are_both_kept():
    row = {"id": 1, "items": [{"id": "i"}], "lines": [{"id": "l"}], "Lines": "none"}
    tables = tables_of("ticket_invoices", [change(row)], "main", ZONE)
    assert tables["ticket_invoices__lines"]["id"].to_pylist() == ["l"]
    assert tables["ticket_invoices"]["items"].to_pylist() == ['[{"id": "i"}]']
    assert tables["ticket_invoices"]["lines_2"].to_pylist() == ["none"]


@pytest.mark.parametrize("text", ["(" + " " * 800, "(" * 800, "-" * 5000, "1" + ",1" * 5000])
def test_no_text_takes_long(text):
    began = time.process_time()
    for _ in range(20):
        with pytest.raises(ValueError):
            parse_amount(text)
        assert parse_moment("2026-01-01 10:00" + " " * len(text) + "x", ZONE) is None
        snake_case(text)
    assert time.process_time() - began < 10  # more than linear takes minutes


@pytest.mark.parametrize(
    "text",
    ["(saw: " * 9000, "a." * 30_000, "://" + "a:" * 30_000, "1 " * 30_000 + "x", "a@b." * 15_000]
    + ["token" + " " * 50_000, "rate " * 12_000, "requests   a " * 5000, "'a" * 30_000],
)
def test_no_words_of_the_service_take_long_to_tell_or_to_mask(text):
    began = time.process_time()
    scrub(text)
    classify(400, {}, f'{{"error": "{text}"}}'.encode())
    assert time.process_time() - began < 10


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
    | st.sampled_from(["", "Q1,234.50", "2026-01-01T10:00:00", "0000-00-00", "yes", "\0", "\ud83d"])
)
KEYS = st.text(max_size=6) | st.sampled_from(
    """
    id Id ID _id uuid name Name NAME createdDate created_date date amount total lines items Lines
    payments returns customer customer_id customer__id customerName status label value _seq type
    shop_id parent_id _unreadable _dlt_id x x_2 fulladdress address 颜色 credit_limit
    """.split()
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)
ROWS = st.dictionaries(KEYS, JSON, max_size=8)
TABLES = st.sampled_from(["customers", "ticket_invoices", "payments", "custom_fields", "products"])


def body_of(rows: Any) -> bytes:
    """JSON of rows whose decimals are numbers."""
    found: list[Decimal] = []

    def number(value: Any) -> str:
        found.append(value)
        return f"\ufdd0{len(found) - 1}\ufdd0"

    text = json.dumps(rows, default=number)
    for place, value in enumerate(found):
        text = text.replace(f'"\\ufdd0{place}\\ufdd0"', str(value))
    return text.encode()


def texts_of(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts_of(item)]
    if isinstance(value, list):
        return [text for item in value for text in texts_of(item)]
    return [value] if isinstance(value, str) else []


@settings(max_examples=50, deadline=None)
@given(ROWS, TABLES)
def test_any_row_becomes_a_row_and_every_word_of_it_is_kept(row, table):
    (read,) = parse_json(body_of([row]))
    digest(read), day_of(read, ENDPOINTS[table], ZONE)
    out = clean_row(read, table, ZONE)
    kept = json.dumps(out, ensure_ascii=False, default=str)
    kept.encode()
    for text in texts_of(read):
        words = json.dumps(text.strip(), ensure_ascii=False)[1:-1]
        # What is no text there was read as the date, the amount or the flag that it is; and quotes
        # in a text in a text are escaped once more.
        read_as_such = parse_moment(text, ZONE) or _amount(text) or text in ("yes", "0000-00-00")
        assert words in kept or read_as_such or "\\" in words, text


def _amount(text: str) -> bool:
    try:
        parse_amount(text)
    except ValueError:
        return False
    return True


def _says_something(rows: list[object]) -> bool:
    return [{}] not in (rows, rows[4:])  # on a page alone, some services' way to say "no row"


ODD_TEXTS = [
    *(" ", "(" + " " * 800, "1" * 400, "null", "NaN", "-", "1.2.3", "1e999999", "' OR 1=1", "=1+1"),
    *("31-Feb-2026", "2026-13-45T99:99:99Z", "0001-01-01T00:00:00+00:00", "{}", "[]", "../.."),
    *("\x1b[31m", "\u202e", "\ufeff", "\U0001f600", "x" * 100_000, "٣٤٥", "İstanbul", "\u2028"),
    *("9999-12-31T23:59:59-12:00", 'a\nb\tc\\d"e', "\x7f"),
]
ODD_NUMBERS = [
    *("-0", "-0.0", "1e9999999", "1e-9999999", "9" * 5000, "1700000000.5", "1700000000000"),
    *("123456789012345678901234567890.12345", "-1E+400", "99999999999999999999999.99995"),
]
ODD_KEYS = [
    *("", " ", "हिन्दी", "Größe", "engine", "id ", "__", "a__b", "a.b", "2nd", "x" * 5000),
    *("1" * 5000, "select", '"', "_dlt_load_id", "_deleted_at", "_seen_at", "\0k", "error"),
    *("data", "0", "v_text", "payments__amount", "🔧"),
]
ODD = st.recursive(
    SCALARS | st.sampled_from(ODD_TEXTS) | st.sampled_from(ODD_NUMBERS).map(Decimal),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(KEYS | st.sampled_from(ODD_KEYS), inner, max_size=5)
        | st.sampled_from((40, 300)).map(lambda depth: json.loads("[" * depth + "]" * depth))
    ),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    with duckdb.connect() as database:
        ledger = Ledger(tmp_path_factory.mktemp("ledger") / "mirror.sqlite")
        yield ledger, database, itertools.count()
        ledger.close()


def keep_and_load(kept, rows, table):
    """A page as a scan keeps it and a load takes it."""
    ledger, database, numbers = kept
    body, endpoint, number = body_of(rows), ENDPOINTS[table], next(numbers)
    known = [
        Row(row_id(row, table) or made_up_id(row), day_of(row, endpoint, ZONE), digest(row), row)
        for row in rows_of(parse_json(body), endpoint.path)
    ]
    scan = ledger.open_scan(1, "main", table, "full", {})
    after = ledger.last_change()
    ledger.put(scan, str(number), known, datetime.now(UTC))
    log = ChangeLog(ledger, [shop_of(timezone=ZONE.key)])
    for name, found in (
        pair for tables in log.read(table, {"main": after}, log.end()) for pair in tables.items()
    ):
        # Rows that an earlier example brought, and that are as they were, are not told again.
        assert "__" in name or set(found["id"].to_pylist()) <= {row.id for row in known}
        database.register("found", found)
        database.execute("CREATE OR REPLACE TABLE kept AS SELECT * FROM found")
        names = [column[0] for column in database.execute("FROM kept").description or ()]
        assert names == found.schema.names


@pytest.mark.seeds(1)
def test_any_page_and_the_healed_one_after_it_are_kept_and_loaded(kept, seed):
    @settings(max_examples=25, deadline=None, database=None)
    @hypothesis.seed(seed)
    @given(
        st.lists(st.dictionaries(KEYS | st.sampled_from(ODD_KEYS), ODD, max_size=8), max_size=4)
        .filter(_says_something),
        TABLES,
    )  # fmt: skip
    def run(rows, table):
        keep_and_load(kept, rows, table)
        keep_and_load(kept, [{"id": 1, "name": "Ann"}, {"id": 2, "lines": [{"id": 3}]}], table)

    run()


@given(st.text(max_size=300))
def test_any_key_is_one_name_that_stays_itself(key):
    name = snake_case(key)
    assert name
    assert len(name.encode()) <= LONGEST
    assert snake_case(name) == name
    assert not name.startswith("_dlt")


def test_a_detail_of_odd_fields_is_read():
    assert detail_of(parse_json(b'{"1%b": 2}' % (b"1" * 5000)), "/x")


def test_a_row_of_the_first_day_of_the_calendar_stops_no_scan():
    row = {"id": 1, "created_date": "0001-01-01T00:00:00+00:00", "date": "2026-01-01"}
    assert day_of(row, ENDPOINTS["ticket_invoices"], ZONE) == date(2026, 1, 1)
