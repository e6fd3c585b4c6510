"""What every answer says anew is no edit: it costs no requests and no reloads at night."""

import itertools

import pytest

COUNTER = itertools.count()


def models(count=1010):
    photo, manual = "https://photos.invalid/{}.jpg", "https://files.invalid/manual.pdf"
    return [
        {"id": n, "model": f"Model {n}", "photourls": {"large": photo.format(n)}, "manual": manual}
        for n in range(count)
    ]


def signed_photo(row):
    return row | {"photourls": {"large": f"{row['photourls']['large']}?v={next(COUNTER)}"}}


def signed_elsewhere(row):
    sign = f"X-Amz-Date=2026&X-Amz-Signature={next(COUNTER):x}&Expires={next(COUNTER)}"
    return row | {"manual": f"{row['manual']}?page=1&{sign}"}


def answered_at(row):
    return row | {"served_at": f"2026-11-24T10:00:00.{next(COUNTER):09}Z"}


def nested_request(row):
    return row | {"meta": {"request": next(COUNTER), "kind": "model"}}


@pytest.mark.parametrize(
    "shown", [dict, signed_photo, signed_elsewhere, answered_at, nested_request]
)
def test_what_differs_in_each_answer_makes_no_night_a_full_read(stranger, shown):
    stranger.lists["/models"], stranger.shown = models(), shown
    stranger.sync("models")
    night = stranger.sync("models")
    assert night.requests < 12, "of 21 pages"
    assert night.rows == 0


@pytest.mark.parametrize(
    ("shown", "edit"),
    [
        (signed_photo, {"photourls": {"large": "https://photos.invalid/other.jpg"}}),
        (signed_elsewhere, {"manual": "https://files.invalid/other.pdf"}),
    ],
)
def test_an_edit_of_a_signed_address_is_loaded(stranger, shown, edit):
    stranger.lists["/models"], stranger.shown = models(60), shown
    for _ in range(2):
        stranger.sync("models")
    stranger.lists["/models"][3] |= edit
    stranger.sync("models", full=True)
    assert "other" in str(stranger.recorder.live("models", "main")["3"])


def test_an_edit_beside_a_field_that_differs_in_each_answer_is_loaded(stranger):
    stranger.lists["/models"], stranger.shown = models(160), answered_at
    stranger.sync("models")
    stranger.sync("models")
    stranger.lists["/models"][150]["model"] = "Renamed"
    stranger.lists["/models"].append({"id": 160, "model": "New", "photourls": {}})
    stranger.sync("models")
    held = stranger.recorder.live("models", "main")
    assert [held[one]["model"] for one in ("150", "160")] == ["Renamed", "New"]


@pytest.mark.parametrize("moves", [False, True])
def test_a_field_that_was_edited_in_all_rows_is_loaded(stranger, moves):
    """Edited twice, too: only what differs between two answers of one moment is no edit.

    ``moves``: rows move to other places between the two.
    """
    rows = stranger.lists["/models"] = models(60)

    def answer(seen):
        reply = stranger.answer(seen)
        if moves and rows[0]["id"] == 0:
            rows.append(rows.pop(0) | {"id": rows[-1]["id"] + 1})
        return reply

    for tier in ("gold", "silver"):
        stranger.sync("models")
        for row in rows:
            row["tier"] = f"{tier} {row['id']}"
    stranger.loopback.otherwise = answer
    stranger.sync("models")
    stranger.heal()
    for edited in rows[5], rows[6]:
        stranger.sync("models", full=True)
        edited["tier"] = "bronze"
    stranger.sync("models", full=True)
    held = stranger.recorder.live("models", "main")
    assert all(held[str(row["id"])]["tier"] == row["tier"] for row in rows)
