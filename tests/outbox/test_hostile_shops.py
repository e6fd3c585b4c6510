"""What a service answers is material: a place or an amount in its answers leads nowhere else."""

import pytest


@pytest.mark.parametrize("place", ["..", ".", "a?b", "../../users/1"])
def test_a_file_goes_nowhere_but_below_the_path_of_its_record(desk, tmp_path, place):
    photo = tmp_path / "photo.png"
    photo.write_bytes(b"picture")
    desk.begin()
    desk.shop.free_ids.append(place)
    desk.queue("tickets", "upload", None, "1", file=photo)
    assert desk.push().exit_code == 1
    assert desk.shop.files == {} and desk.shop.writes == []
    assert desk.states() != ["done"]


@pytest.mark.parametrize("amount", ["1E+9999999", "1E+999990", "9" * 90, "NaN", {"a": 1}])
def test_an_amount_that_is_none_ends_no_push(desk, amount):
    desk.begin()
    invoice = desk.shop.invoice()
    desk.shop.take(invoice, 1)
    for payment in desk.shop.payments_of(invoice):
        payment["amount"] = amount
    desk.pay(invoice, 30)
    desk.queue("brands", "create", {"name": "Acme"})
    assert desk.push().exit_code in (0, 1)
    assert desk.states()[1] == "done"
