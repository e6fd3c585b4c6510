"""What people get wrong, or what goes wrong around us: a plain sentence and the right exit code."""

import errno
import os
import shutil
import subprocess
import sys

import pytest

from pipelines.home import Home
from sandbox.server import SandboxServer
from shopmirror.lazy import COMMANDS
from shopmirror.main import main
from tests.app.command_line import PREFIX, point_at
from tests.app.command_line import home_of_its_own as home_of_its_own
from tests.homes import shop_of


def spent(server: SandboxServer) -> int:
    return len(server.requests("main"))


def test_every_command_has_help(run):
    code, out, _ = run("--help")
    assert code == 0
    for name in COMMANDS:
        assert f" {name} " in out
        code, help_text, _ = run(name, "--help")
        assert code == 0
        assert "Usage" in help_text


def test_the_list_of_commands_imports_none_of_them():
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "shopmirror", "--help"],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert "shopmirror.lazy" in told.stderr
    assert "shopmirror.commands" not in told.stderr


def test_the_version(run):
    assert run("--version")[1].startswith("shopmirror ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["sync", "--nonsense"],
        ["sync", "--max-requests", "0"],
        ["sync", "--max-requests"],
        ["reconcile", "--year", "soon"],
        [],
    ],
)
def test_a_wrong_command_line(run, arguments):
    code, _, err = run(*arguments)
    assert code == 2
    assert "Traceback" not in err


@pytest.mark.parametrize("command", ["sync", "plan", "status", "reconcile", "doctor"])
def test_settings_that_are_missing(run, command):
    code, out, err = run(command)
    assert (code, out) == (2, "")
    assert "No shop is set up in this folder" in err
    assert PREFIX + "BASE_URL" in err


@pytest.mark.parametrize("command", [("sync",), ("config", "show")])
@pytest.mark.parametrize(
    ("also", "kind", "said"),
    [
        ("postgrs", "", "[warehouse] also: dlt knows no destination 'postgrs'. Did you mean 'post"),
        ("company", "", "A name of your own needs a destination_type, [destination.NAME]"),
        ("company", "PostgreSQL", "[destination.company] destination_type: dlt knows no"),
        ("postgres://u:hush@host/db", "", "[warehouse] also: dlt knows no destination 'postgres:"),
    ],
)
def test_a_further_destination_that_is_none(run, shop, monkeypatch, command, also, kind, said):
    monkeypatch.setenv("WAREHOUSE__ALSO", also)
    if kind:
        monkeypatch.setenv("DESTINATION__COMPANY__DESTINATION_TYPE", kind)
    before = spent(shop)
    code, out, err = run(*command)
    assert code == 2
    assert said in err
    assert "hush" not in out + err
    assert spent(shop) == before


def test_hours_and_closed_days_are_read_as_people_write_them():
    shop = shop_of(
        opening_hours="9:00 - 18:30",
        closed_weekdays="Saturday, SUN",
        closed_days="2026-12-25, 2027-01-01",
    )
    assert shop.opening_hours == "09:00-18:30"
    assert (shop.closed_weekdays, shop.closed_days) == ("sat,sun", "2026-12-25,2027-01-01")
    with pytest.raises(ValueError, match="must be some of"):
        shop_of(closed_weekdays="sat; sun")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["sync", "invoices"], "There is no resource 'invoices'. Known: users"),
        (["sync", "--shop", "norte"], "There is no shop 'norte'. Configured: main"),
        (["sync", "--shop", "mian"], "There is no shop 'mian'. Did you mean 'main'?"),
        (["plan", "invoices"], "There is no resource"),
        (["reconcile", "--shop", "norte"], "There is no shop"),
        (["reconcile"], "Run 'shopmirror sync'"),
        (["reconcile", "--year", "20"], "no year"),
        (["restore", "."], ". is a folder; name the file that 'backup' wrote"),
        (["restore", "nofile"], "There is no file nofile"),
        (["notebooks", "--to", sys.executable], "python cannot be used: File exists"),
    ],
)
def test_names_that_do_not_exist(run, shop, arguments, said):
    before = spent(shop)
    code, _, err = run(*arguments)
    assert code == 2
    assert said in err
    assert spent(shop) == before


@pytest.mark.parametrize("command", ["doctor", "sync", "push"])
def test_a_key_that_the_service_refuses(run, shop, monkeypatch, tmp_path, command):
    monkeypatch.setenv(PREFIX + "API_KEY", "wrong-key-of-mine-12345")
    if command == "push":
        assert run("queue", "add", "brands", "--op", "create", "--json", '{"name": "Ana"}')[0] == 0
    code, out, err = run(command)
    assert code == 3
    assert "It never worked before: check api_key." in " ".join(err.split())
    assert "wrong-key-of-mine" not in out + err
    # An empty warehouse would show a shop that sold nothing.
    assert not (tmp_path / "home" / "warehouse.duckdb").exists()
    code, _, err = run("report")
    assert code == 2 and "shopmirror sync" in err


def test_a_wrong_address_of_the_right_host_costs_one_request(run, shop, monkeypatch):
    monkeypatch.setenv(PREFIX + "BASE_URL", f"{shop.base_url}/shop")
    before = spent(shop)
    code, _, err = run("doctor")
    assert code == 2
    assert "base_url does not look like the service" in err
    assert spent(shop) == before + 1


@pytest.mark.parametrize(
    ("name", "value", "command", "ended", "said"),
    [
        (PREFIX + "BASE_URL", "http://127.0.0.1:9/v1", "doctor", 3, "cannot be reached"),
        ("SHOPMIRROR_HOME", sys.executable, "sync", 2, "cannot be used"),
        ("SHOPMIRROR_HOME", "o'brien", "sync", 2, "path has ' in it; set SHOPMIRROR_HOME"),
        ("SHOPMIRROR_HOME", "50%/why?", "sync", 2, "path has % or ? in it"),
        (PREFIX + "TIMEZON", "UTC", "sync", 2, "timezon: there is no such setting"),
        (
            "WAREHOUSE__MODELS",
            "nowhere",
            "sync",
            2,
            "models: there is no dbt_project.yml in nowhere",
        ),
    ],
)
def test_one_variable_that_is_wrong(run, shop, monkeypatch, name, value, command, ended, said):
    monkeypatch.setenv(name, value)
    before = spent(shop)
    code, _, err = run(command)
    assert code == ended
    assert said in err
    assert spent(shop) == before


def test_a_damaged_warehouse_file(run, shop, tmp_path):
    Home(tmp_path / "home").build_warehouse.write_bytes(b"scrambled" * 500)
    code, _, err = run("sync")
    assert code == 2
    assert "damaged" in err
    assert "sync'" in err and "--full" not in err  # which would cost a large shop hours
    Home(tmp_path / "home").warehouse.write_bytes(b"scrambled" * 500)
    code, out, err = run("doctor")
    assert (code, err) == (0, "")
    assert "by page number" in out


def test_a_second_sync_leaves(run, shop, tmp_path):
    before = spent(shop)
    with Home(tmp_path / "home").sync_lock():
        code, _, err = run("sync")
    assert code == 4
    assert f"process {os.getpid()}" in err
    assert spent(shop) == before


def test_a_full_disk_is_no_surprise(shop, run, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("shopmirror.commands.plan.work_out", full)
    code, _, err = run("plan")
    assert code == 2
    assert "make room" in err and "unexpected" not in err


def test_models_that_find_no_room_leave_no_half_of_them(run, tmp_path, monkeypatch):
    def full(_project, folder, **_):
        folder.mkdir()
        raise shutil.Error([("a.sql", "b.sql", "[Errno 28] No space left on device: 'a.sql'")] * 9)

    monkeypatch.setattr("pipelines.transform.models.shutil.copytree", full)
    code, _, err = run("models", "--to", str(tmp_path / "mine"))
    assert (code, err.count("No space left on device")) == (2, 1)
    assert not (tmp_path / "mine").exists()


def test_ctrl_c_before_anything_began(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("shopmirror.runs.load_settings", interrupted)
    assert main(["status"]) == 4


def test_several_shops_need_their_own_keys(run, server, monkeypatch, tmp_path):
    point_at(server, monkeypatch, tmp_path / "home")
    for shop in ("CENTRO", "NORTE"):
        monkeypatch.setenv(f"{PREFIX}SHOPS__{shop}__TIMEZONE", "UTC")
    code, _, err = run("status")
    assert code == 2
    assert "has no api_key of its own" in err


def test_two_shops_whose_names_differ_in_capitals(tmp_path, monkeypatch, capsys):
    (tmp_path / ".dlt").mkdir()
    shops = "".join(
        f'[sources.repair_shop.shops.{name}]\nbase_url = "http://nowhere/v1"\napi_key = "{key}"\n'
        for name, key in (("North", "one"), ("north", "two"))
    )
    (tmp_path / ".dlt" / "config.toml").write_text(shops, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["push"]) == 2
    assert "North twice" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xef\xbb\xbf[mail]\r\n", "byte order mark"), ("[mail]".encode("utf-16"), "not UTF-8"),
        (b"[mail]\na = 1\na = 2\n", "line 3"), (b"[mail]\na = 1\na = 2", "end of document"),
    ],
)  # fmt: skip
def test_why_settings_cannot_be_read_is_told(tmp_path, monkeypatch, capsys, content, told):
    (tmp_path / ".dlt").mkdir()
    (tmp_path / ".dlt" / "config.toml").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    assert main(["plan"]) == 2
    assert told in capsys.readouterr().err


def test_keys_that_others_can_read_are_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    secrets = tmp_path / ".dlt" / "secrets.toml"
    secrets.parent.mkdir()
    secrets.write_text("", encoding="utf-8")
    for mode, told in ((0o600, False), (0o640, True), (0o604, True)):
        secrets.chmod(mode)
        main(["report"])
        assert ("chmod 600" in capsys.readouterr().err) is told


def test_a_name_nearly_right_is_guessed(run, shop):
    for words, meant in ((["sycn"], "sync"), (["plan", "tikcets"], "tickets")):
        code, _, err = run(*words)
        assert (code, f"Did you mean '{meant}'?" in err) == (2, True)
