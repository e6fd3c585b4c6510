"""What a service answers is material: a place or an amount in its answers leads nowhere else."""

import pytest


@pytest.mark.parametrize("place", ["..", ".", "a?b", "../../users/1"])
def test_a_file_goes_nowhere_but_below_the_path_of_its_record(desk, photo, place):
    desk.begin()
    desk.shop.free_ids.append(place)
    desk.queue("tickets", "upload", None, "1", file=photo)
    assert desk.push().exit_code == 1
    assert desk.shop.files == {} and desk.shop.writes == []
    assert desk.states() != ["done"]


@pytest.mark.parametrize("place", ["upload/7", "https://b.example/v1/tickets/1/upload/7/", "7"])
def test_a_place_may_be_relative_or_of_another_name_of_the_service(desk, photo, place):
    record = desk.shop.put("tickets", name="Old")
    desk.queue("tickets", "upload", None, record, file=photo)
    write = desk.shop._write
    desk.shop._write = lambda method, path, *more: (
        (201, (place,)) if path.endswith("/upload") else write(method, path, *more)
    )
    assert desk.push().exit_code == 0
    assert [*desk.shop.files] == [f"tickets/{record}/upload/7"]


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
