"""``shopmirror queue`` and ``shopmirror push`` as people type them."""

import json
import shutil

import pytest

from shopmirror.main import main


@pytest.fixture
def shop(served, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOPMIRROR_HOME", str(tmp_path / "data"))
    prefix = "SOURCES__REPAIR_SHOP__"
    monkeypatch.setenv(prefix + "BASE_URL", served.base_url)
    monkeypatch.setenv(prefix + "API_KEY", "key-of-main")
    monkeypatch.setenv(prefix + "MINUTE_SECONDS", "0.2")
    monkeypatch.setenv(prefix + "REQUESTS_PER_MINUTE", "100000")
    served.shop.put("customers", name="Old")
    return served.shop


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_from_adding_to_done(shop, capsys):
    code, out, _ = run(
        capsys, "queue", "add", "customers", "--op", "create", "--json", '{"name": "Ann"}'
    )
    assert (code, out) == (0, "Queued as 1.\n")
    code, out, _ = run(capsys, "push", "--dry-run", "--json")
    plan = json.loads(out)
    assert (code, plan["requests"]) == (0, 2)
    assert shop.requests == []
    code, out, err = run(capsys, "push")
    assert code == 0
    assert "1 done; 2 requests" in out
    assert "change 1 (create customers): done" in err
    code, out, _ = run(capsys, "queue", "list", "--shop", "MAIN", "--json")
    [row] = json.loads(out)
    wanted = {"number": 1, "resource": "customers", "op": "create", "state": "done", "reason": ""}
    assert wanted.items() <= row.items()
    assert row["id"] in shop.tables["customers"]
    code, out, _ = run(capsys, "queue", "show", "1", "--json")
    assert [entry["event"] for entry in json.loads(out)["history"]] == ["queued", "sending", "done"]
    code, out, _ = run(capsys, "queue", "show", "1")
    assert (code, "History" in out) == (0, True)


def test_a_photo_for_a_ticket_just_queued(shop, capsys, tmp_path):
    (tmp_path / "photo.png").write_bytes(b"x")
    customer = shop.put("customers", name="Ann")
    fields = json.dumps({"customerId": customer, "shortInfo": "Screen"})
    run(capsys, "queue", "add", "tickets", "--op", "create", "--json", fields)
    code, out, _ = run(capsys, "queue", "add", "tickets", "--id", "@1", "--upload", "photo.png")
    assert (code, out) == (0, "Queued as 2.\n")
    assert run(capsys, "push", "--json")[0] == 0
    assert len(shop.files) == 1


def test_a_file_of_changes(shop, capsys, tmp_path):
    (tmp_path / "brands.csv").write_text("name\nAcme\nZenith\n")
    add = ("queue", "add", "brands", "--op", "create", "--file", "brands.csv")
    queued = "2 creates of brands.\nQueued as 1.\nQueued as 2.\n"
    assert run(capsys, *add, "--key", "name")[:2] == (0, queued)
    again = "0 creates of brands.\nQueued before, by its key, and not again: 1, 2.\n"
    assert run(capsys, *add, "--key", "name")[:2] == (0, again)
    run(capsys, "queue", "discard", "2")
    parked = "Look at 2 (rejected): 'shopmirror queue list' says what to do.\n"
    assert run(capsys, *add, "--key", "name")[:2] == (0, again + parked)
    assert "there is no column 'sku', which --key names" in run(capsys, *add, "--key", "sku")[2]
    (tmp_path / "brands.csv").write_text("name,sku\nAcme,1\n")
    assert "If 'sku' makes a row unique, add --key sku." in run(capsys, *add)[2]
    (tmp_path / "brands.csv").write_text("name\nAcme\n" + "x" * 101 + "\n")
    code, out, err = run(capsys, *add)
    assert (code, out) == (2, "")
    assert "line 3: brands create: name: has 101 characters" in err


def test_what_needs_a_person_is_listed_however_many_others_there_are(shop, capsys, tmp_path):
    fields = json.dumps({"email": "a@example.org"})
    add = ("queue", "add", "customers", "--op", "update")
    run(capsys, *add, "--id", "nobody", "--json", fields, "--no-check")
    old = shop.put("customers", name="Ann")
    (tmp_path / "many.jsonl").write_text(f'{{"id": "{old}", "city": "x"}}\n' * 45)
    run(capsys, *add, "--file", "many.jsonl")
    assert run(capsys, "push", "--max-requests", "6")[0] == 4
    code, out, _ = run(capsys, "queue", "list")
    assert (code, "has no customers with id nobody" in out) == (0, True)
    assert "... 40 of 46; --json lists all." in out
    (tmp_path / "none.jsonl").write_text('{"id": "nobody", "city": "x"}\n' * 61)
    run(capsys, *add, "--file", "none.jsonl", "--no-check")
    assert "... and 1 more." in run(capsys, "push")[1]


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["add", "customers", "--json", "{}"], "--op is missing"),
        (["add", "customers", "--op", "create"], "--json or --file"),
        (["add", "customers", "--op", "create", "--json", "{"], "no JSON object"),
        (["add", "customers", "--op", "create", "--json", "[]"], "must be an object"),
        (["add", "customers", "--op", "create", "--json", "{}", "--file", "x.csv"], "exclude"),
        (["add", "customers", "--op", "destroy", "--id", "1"], "has no 'destroy'"),
        (["add", "customers", "--id", "1", "--upload", "x.png"], "has no 'upload'"),
        (["add", "customers", "--op", "create", "--json", "{}", "--shop", "x"], "no shop 'x'"),
        (["list", "--state", "lost"], "no state 'lost'"),
        (["show", "4"], "no change 4"),
        (["retry", "4"], "no change 4"),
        (["retry", "9" * 20], "no change 99999999999999999999"),
        (["discard", "4"], "no change 4"),
        (["show", "x"], "valid integer"),
    ],
)
def test_wrong_input_is_two_and_sends_nothing(shop, capsys, arguments, part):
    code, out, err = run(capsys, "queue", *arguments)
    assert (code, out) == (2, "")
    assert part in err
    assert "Traceback" not in err
    assert shop.requests == []


def test_what_is_not_done_is_one(shop, capsys):
    run(capsys, "queue", "add", "customers", "--op", "delete", "--id", "nobody")
    code, out, _ = run(capsys, "push")
    assert code == 1
    assert "rejected" in out
    record = shop.put("customers", name="Ann")
    run(
        capsys,
        *("queue", "add", "customers", "--op", "update", "--id", record),
        *("--json", '{"name": "Bob"}', "--based-on", '{"name": "Cid"}'),
    )
    code, out, _ = run(capsys, "push", "--json")
    assert code == 1
    assert [change["state"] for change in json.loads(out)["changes"]] == ["conflict"]
    assert json.loads(out)["troubles"] == ["change 2: conflict"]
    assert run(capsys, "push")[0] == 1, "parked stays until it is decided"
    assert "queue retry 2' writes yours over it" in run(capsys, "queue", "list", "--json")[1]
    assert "queued again" in run(capsys, "queue", "retry", "2")[1]
    assert run(capsys, "push")[0] == 0
    assert shop.tables["customers"][record]["name"] == "Bob"


def test_what_waits_for_a_rejected_change_is_told(shop, capsys):
    shop.faults.append("400 before")
    add = "queue", "add"
    body = '{"customerId": "@1", "shortInfo": "x"}'
    run(capsys, *add, "customers", "--op", "create", "--json", '{"name": "Ann"}')
    run(capsys, *add, "tickets", "--op", "create", "--json", body)
    run(capsys, "push")
    run(capsys, "queue", "discard", "1")
    code, out, _ = run(capsys, "push", "--json")
    assert (code, "Not done: 1 queued." in json.loads(out)["message"]) == (1, True)
    assert "1 change(s) that wait for a rejected one" in run(capsys, "status")[1]


def test_away_is_three_and_stopped_is_four(shop, served, capsys):
    for name in ("a", "b"):
        run(
            capsys, "queue", "add", "brands", "--op", "create", "--json", json.dumps({"name": name})
        )
    assert run(capsys, "push", "--max-requests", "2")[0] == 4
    served.__exit__()
    code, _, err = run(capsys, "push")
    assert code == 3
    assert "cannot be reached" in err
    assert "key-of-main" not in err


def test_an_empty_queue(shop, capsys):
    assert run(capsys, "push")[0] == 0
    assert run(capsys, "queue", "list")[:2] == (0, "The queue is empty.\n")
    assert run(capsys, "push", "--dry-run")[:2] == (0, "Nothing is queued.\n")
    assert shop.requests == []


def test_changes_of_a_shop_that_is_gone_are_not_passed_over(shop, capsys, monkeypatch):
    brand = ("queue", "add", "brands", "--op", "create", "--json", '{"name": "Acme"}')
    run(capsys, *brand)
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__SHOPS__NORTH__API_KEY", "key-of-north")
    for dry in ([], ["--dry-run"]):
        code, _, err = run(capsys, "push", *dry)
        assert code == 1
        assert "wait for the shop 'main', which the settings do not name" in err
    assert run(capsys, "queue", "discard", "1")[0] == 0
    assert run(capsys, "push")[0] == 0


def test_list_and_status_say_what_the_settings_keep_from_being_sent(shop, capsys, monkeypatch):
    for name in "AB":
        run(capsys, "queue", "add", "brands", "--op", "create", "--json", f'{{"name": "{name}"}}')
    assert "The queue is empty" not in run(capsys, "queue", "list", "--shop", "other")[1]
    shop.faults.append("lost after")
    run(capsys, "push", "--max-requests", "2")

    def told(words):
        waits = [row["next"] for row in json.loads(run(capsys, "queue", "list", "--json")[1])]
        assert [words in one for one in waits] == [True, True], "in doubt or queued"
        assert words in run(capsys, "queue", "show", "1", "--json")[1]
        assert f"2 change(s) not sent: {waits[1]}" in run(capsys, "status", "--check")[1]
        assert "Nothing is queued" not in run(capsys, "push", "--dry-run")[1]

    monkeypatch.setenv("SOURCES__REPAIR_SHOP__API_KEY", "another-key")
    told("queued for another address or key")
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__SHOPS__NORTH__API_KEY", "key-of-north")
    told("which the settings do not name")


def test_a_wrong_address_is_two_and_keeps_the_queue(shop, served, capsys, monkeypatch):
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__BASE_URL", f"{served.base_url}/brands/of/v1")
    run(capsys, "queue", "add", "brands", "--op", "create", "--json", '{"name": "Acme"}')
    monkeypatch.setattr(shop, "_read", lambda path, query: (404, {"error": "Not here."}))
    code, _, err = run(capsys, "push")
    assert (code, "base_url does not look like the service" in err) == (2, True)
    [row] = json.loads(run(capsys, "queue", "list", "--json")[1])
    assert row["state"] == "queued"


def test_what_the_queue_holds_is_for_its_owner_only(shop, capsys, tmp_path):
    run(capsys, "queue", "add", "brands", "--op", "create", "--json", '{"name": "Acme"}')
    run(capsys, "push")
    home = tmp_path / "data"
    open_to_others = [path.name for path in (home, *home.iterdir()) if path.stat().st_mode & 0o077]
    assert open_to_others == []


def test_the_list_says_what_comes_before_a_send_in_a_queue_put_back_and_in_a_copy(
    shop, capsys, monkeypatch, tmp_path
):
    home, spare = tmp_path / "data", tmp_path / "spare"
    for name in "ab":
        run(capsys, *f'queue add brands --op create --json {{"name":"{name}"}}'.split())
        if name == "a":
            run(capsys, "push")
    assert "the next push sends it" in run(capsys, "queue", "list", "--json")[1]
    shutil.copytree(home, spare)
    run(capsys, "push")
    shutil.rmtree(home)
    shutil.copytree(spare, home)
    told = json.loads(run(capsys, "queue", "list", "--json")[1])[1]["next"]
    assert told == "may have been sent: the next push looks for it first"
    monkeypatch.setenv("SHOPMIRROR_HOME", str(spare))
    assert "waits for 'queue adopt'" in run(capsys, "queue", "list", "--json")[1]
    run(capsys, "queue", "adopt")
    assert "the next push looks for it first" in run(capsys, "queue", "show", "2", "--json")[1]
