"""What every answer says anew is no edit: it costs no requests and no reloads at night."""

import itertools

import pytest

PHOTO = "https://photos.invalid/{id}.jpg"
COUNTER = itertools.count()


def models(count=1010):
    return [
        {"id": n, "model": f"Model {n}", "photourls": {"large": PHOTO.format(id=n)}}
        for n in range(count)
    ]


def signed_photo(row):
    return row | {"photourls": {"large": f"{row['photourls']['large']}?v={next(COUNTER)}"}}


def signed_elsewhere(row):
    sign = f"X-Amz-Date=2026&X-Amz-Signature={next(COUNTER):x}&Expires={next(COUNTER)}"
    return row | {"manual": f"https://files.invalid/{row['id']}.pdf?page=1&{sign}"}


def answered_at(row):
    return row | {"served_at": f"2026-11-24T10:00:00.{next(COUNTER):09}Z"}


def nested_request(row):
    return row | {"meta": {"request": next(COUNTER), "kind": "model"}}


@pytest.mark.parametrize(
    "shown", [dict, signed_photo, signed_elsewhere, answered_at, nested_request]
)
def test_what_differs_in_each_answer_makes_no_night_a_full_read(lists, shown):
    lists.rows["/models"], lists.shown = models(), shown
    lists.run("models")
    loaded = lists.query("SELECT max(_seq) FROM raw.models")
    assert lists.run("models") < 12, "of 21 pages"
    assert lists.query("SELECT max(_seq) FROM raw.models") == loaded


def test_an_edit_of_a_signed_row_is_loaded(lists):
    lists.rows["/models"], lists.shown = models(60), signed_photo
    lists.run("models")
    lists.rows["/models"][3]["photourls"] = {"large": "https://photos.invalid/other.jpg"}
    lists.rows["/models"][4]["model"] = "Renamed"
    lists.run("models", full=True)
    sql = "SELECT id FROM raw.models WHERE model = 'Renamed' OR photourls__large LIKE '%other%'"
    assert sorted(lists.query(sql)) == [("3",), ("4",)]


def test_an_edit_beside_a_field_that_differs_in_each_answer_is_loaded(lists):
    lists.rows["/models"], lists.shown = models(160), answered_at
    lists.run("models")
    lists.run("models")
    lists.rows["/models"][150]["model"] = "Renamed"
    lists.rows["/models"].append({"id": 160, "model": "New", "photourls": {}})
    lists.run("models")
    names = lists.query("SELECT model FROM raw.models WHERE id IN ('150', '160') ORDER BY id")
    assert names == [("Renamed",), ("New",)]


def test_a_field_that_was_edited_in_all_rows_is_loaded(lists):
    """Edited twice, too: only what differs between two answers of one moment is no edit."""
    lists.rows["/models"] = models(30)
    for tier in ("gold", "silver"):
        lists.run("models")
        for row in lists.rows["/models"]:
            row["tier"] = tier
    lists.run("models")
    assert lists.query("SELECT DISTINCT tier FROM raw.models") == [("silver",)]
