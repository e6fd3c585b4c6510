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


@pytest.mark.parametrize("shown", [dict, signed_photo, signed_elsewhere])
def test_a_signed_address_makes_no_night_a_full_read(lists, shown):
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
