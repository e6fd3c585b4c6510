"""``shopmirror init``: settings that work, or none at all."""

import io
import stat

import pytest

from pipelines.settings import SettingsError, is_in_the_clear, load_settings
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from shopmirror.main import main
from tests.promises import promise

AT_UTC = ("--base-url", "http://127.0.0.1:9/v1", "--timezone", "UTC", "--no-test")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def folder(plain_folder):
    return plain_folder


@pytest.fixture(scope="module")
def server():
    shops = [ShopSpec("main", timezone="America/Guatemala"), ShopSpec("north", timezone="UTC")]
    with SandboxServer(shops, size="tiny", minute_seconds=0.5) as running:
        yield running


@pytest.fixture
def begin(folder, monkeypatch):
    # The sandbox's minute is short; a real service has the default.
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__MINUTE_SECONDS", "0.5")

    def run(*arguments, key=None):
        if key is not None:
            monkeypatch.setattr("sys.stdin", io.StringIO(key + "\n"))
            arguments += ("--key-file", "-")
        else:
            monkeypatch.setattr("sys.stdin", io.StringIO())
        return main(["init", *arguments])

    return run


@promise("a key is in no log, error, table or file")
def test_it_writes_settings_that_load_and_tells_no_key(begin, folder, server, capsys):
    code = begin(
        "--base-url", server.base_url, "--timezone", "America/Guatemala", key=server.keys["main"]
    )
    printed = capsys.readouterr()
    assert code == 0, printed.err
    shop = load_settings().shop("main")
    assert (shop.base_url, shop.timezone) == (server.base_url, "America/Guatemala")
    assert shop.api_key.get_secret_value() == server.keys["main"]
    assert server.keys["main"] not in (folder / ".dlt/config.toml").read_text()
    assert stat.S_IMODE((folder / ".dlt/secrets.toml").stat().st_mode) == 0o600
    assert stat.S_IMODE((folder / ".dlt").stat().st_mode) == 0o700
    assert (folder / ".dlt/.gitignore").read_text() == "secrets.toml\n"
    assert "schedule --install" in printed.out
    assert server.keys["main"] not in printed.out + printed.err
    for path in (folder / "data").rglob("*"):
        if path.is_file():
            assert server.keys["main"].encode() not in path.read_bytes(), path


def test_zone_and_currency_are_the_services_own(begin, folder, server, capsys):
    code = begin("--base-url", server.base_url, key=server.keys["main"])
    told = capsys.readouterr()
    assert code == 0, told.err
    assert "The service says of the shop: time zone America/Guatemala, currency GTQ." in told.out
    shop = load_settings().shop("main")
    assert (shop.timezone, shop.currency) == ("America/Guatemala", "GTQ")
    arguments = ("--base-url", server.base_url, "--timezone", "UTC", "--currency", "USD")
    assert begin(*arguments, "--replace", "--no-test", key=server.keys["main"]) == 0
    shop = load_settings().shop("main")
    assert (shop.timezone, shop.currency) == ("UTC", "USD")


def test_a_zone_that_is_not_the_services_names_the_shop(begin, folder, server, capsys):
    arguments = ("--base-url", server.base_url, "--timezone", "America/Guatemala", "--no-sync")
    assert begin(*arguments, "--shop", "north", key=server.keys["north"]) == 1
    assert capsys.readouterr().out.count("Set timezone of shop 'north'") == 2


def test_a_wrong_key_writes_nothing_and_asks_once(begin, folder, server, capsys):
    before = len(server.requests("main"))
    code = begin("--base-url", server.base_url, "--timezone", "UTC", key="no-such-key-at-all")
    assert code == 3
    assert not (folder / ".dlt").exists()
    assert "No settings were written" in capsys.readouterr().err
    assert len(server.requests("main")) == before


def test_a_service_that_answers_nothing_but_errors_was_not_tried_out(begin, folder, capsys):
    shops = [ShopSpec("main", "America/Guatemala", limit=None)]
    with SandboxServer(shops, size="tiny", minute_seconds=0.5) as down:
        down.faults.next("html_502", times=1000)
        url = ("--base-url", down.base_url, "--timezone", "America/Guatemala")
        assert begin(*url, key=down.keys["main"]) == 3
    assert "502" in capsys.readouterr().err
    assert not (folder / ".dlt").exists()


def test_an_address_where_nobody_answers(begin, folder, capsys):
    code = begin("--base-url", "http://127.0.0.1:9/v1", "--timezone", "UTC", key="some-key-1234")
    assert code in (2, 3)
    assert not (folder / ".dlt").exists()


@pytest.mark.parametrize(
    ("arguments", "key", "word"),
    [
        (("--timezone", "UTC"), "some-key-1234", "base address"),
        (("--base-url", "http://127.0.0.1:9/v1", "--no-test"), "some-key-1234", "time zone"),
        (("--base-url", "http://127.0.0.1:9/v1", "--timezone", "UTC"), None, "key"),
        (("--base-url", "shop/v1", "--timezone", "UTC"), "some-key-1234", "base_url"),
        (("--base-url", "http://shop.invalid/v1", "--timezone", "UTC"), "key-1234", "--allow-http"),
        (("--base-url", "http://127.0.0.1:9/v1", "--timezone", "Mars/X"), "some-key-1234", "zone"),
        (("--base-url", "http://127.0.0.1:9/v1", "--timezone", "UTC"), "two\nlines", "api_key"),
        (("--base-url", "http://127.0.0.1:9/v1", "--timezone", "UTC"), "", "api_key"),
    ],
)
def test_bad_input_is_named_and_nothing_is_sent(begin, folder, capsys, arguments, key, word):
    assert begin(*arguments, key=key) == 2
    assert word in capsys.readouterr().err
    assert not (folder / ".dlt").exists()


def test_http_to_another_machine_is_asked_twice(begin, folder, monkeypatch, capsys):
    arguments = ("--base-url", "http://shop.invalid/v1", "--timezone", "UTC", "--no-test")
    assert begin(*arguments, "--allow-http", key="some-key-1234") == 0
    shop = load_settings().shops[0]
    assert (shop.base_url, shop.allow_http) == ("http://shop.invalid/v1", True)
    # Said once, it holds for the next time.
    assert begin(*arguments, "--replace", key="another-key-1234") == 0
    config = folder / ".dlt" / "config.toml"
    config.write_text(config.read_text().replace("allow_http", "# allow_http"))
    with pytest.raises(SettingsError, match=r"base_url: http:// sends .* allow_http = true"):
        load_settings()
    monkeypatch.setattr("sys.stdin", _Terminal())
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    assert main(["init", *arguments, "--replace"]) == 2
    assert "No settings were written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("url", "clear"),
    [
        ("http://127.0.0.1:9/v1", False),
        ("http://127.9.9.9/v1", False),
        ("http://[::1]:9/v1", False),
        ("http://LOCALHOST/v1", False),
        ("https://shop.invalid/v1", False),
        ("http://127.shop.invalid/v1", True),
        ("http://localhost.shop.invalid/v1", True),
        ("http://10.0.0.1/v1", True),
        ("HTTP://shop.invalid/v1", True),
        ("http://127.0.0.1@shop.invalid/v1", True),
    ],
)
def test_what_sends_everything_readable(url, clear):
    assert is_in_the_clear(url) is clear


def test_what_is_set_is_not_replaced_silently(begin, folder, capsys):
    (folder / ".dlt").mkdir()
    config = folder / ".dlt/config.toml"
    config.write_text('[sources.repair_shop]\nbase_url = "http://127.0.0.1:8/v1"\n')
    before = config.read_text()
    assert begin(*AT_UTC, key="some-key-1234") == 2
    assert "--replace" in capsys.readouterr().err
    assert config.read_text() == before
    assert begin(*AT_UTC, "--replace", key="some-key-1234") == 0
    assert load_settings().shops[0].base_url == "http://127.0.0.1:9/v1"


def test_comments_and_other_sections_stay(begin, folder):
    (folder / ".dlt").mkdir()
    config, secrets = folder / ".dlt/config.toml", folder / ".dlt/secrets.toml"
    config.write_text(
        '# ours\n[runtime]\nlog_level = "WARNING"  # quiet\n\n[schedule]\nsync_at = "23:00"\n'
    )
    secrets.write_text('[notify]\nsmtp_password = "pass-word-1"\n')
    secrets.chmod(0o644)
    assert begin(*AT_UTC, key="some-key-1234") == 0
    text = config.read_text()
    assert "# ours" in text and "# quiet" in text and 'sync_at = "23:00"' in text
    assert 'smtp_password = "pass-word-1"' in secrets.read_text()
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600


def test_a_second_shop_gives_the_first_a_name(begin, folder):
    first = ("--base-url", "http://127.0.0.1:9/v1", "--timezone", "America/Lima", "--no-test")
    assert begin(*first, key="key-of-the-first") == 0
    assert begin(*AT_UTC, "--shop", "North", key="key-of-the-second") == 0
    shops = {shop.name: shop for shop in load_settings().shops}
    assert set(shops) == {"main", "north"}
    assert shops["main"].api_key.get_secret_value() == "key-of-the-first"
    assert shops["main"].timezone == "America/Lima"
    assert shops["north"].api_key.get_secret_value() == "key-of-the-second"
    assert shops["north"].timezone == "UTC"


@pytest.mark.parametrize("first", ["main", "norte"])
def test_the_key_of_another_shop_is_refused(begin, folder, capsys, first):
    assert begin(*AT_UTC, "--shop", first, key="key-of-the-first") == 0
    assert begin(*AT_UTC, "--shop", "centro", key="key-of-the-first") == 2
    assert f"Shop '{first}' has this key already" in capsys.readouterr().err
    assert [shop.name for shop in load_settings().shops] == [first]
    again = (*AT_UTC[:3], "Asia/Tokyo", "--no-test", "--replace")
    assert begin(*again, "--shop", first, key="key-of-the-first") == 0


def test_with_named_shops_the_shop_must_be_said(begin, folder, capsys):
    assert begin(*AT_UTC, "--shop", "north", key="key-of-the-first") == 0
    assert begin(*AT_UTC, key="key-of-another") == 2
    assert "north" in capsys.readouterr().err


def test_a_damaged_file_is_named_without_its_content(begin, folder, capsys):
    (folder / ".dlt").mkdir()
    secrets = folder / ".dlt/secrets.toml"
    secrets.write_text('[sources.repair_shop]\napi_key = "hush-hush-hush\n')
    assert begin(*AT_UTC, key="some-key-1234") == 2
    told = capsys.readouterr()
    assert "secrets.toml" in told.err and "hush" not in told.err + told.out
    assert "hush" in secrets.read_text()


def test_a_variable_that_is_stronger_is_named(begin, folder, monkeypatch, capsys):
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__API_KEY", "key-of-the-environment")
    assert begin(*AT_UTC, key="some-key-1234") == 0
    told = capsys.readouterr()
    assert "SOURCES__REPAIR_SHOP__API_KEY" in told.err
    assert "key-of-the-environment" not in told.err + told.out


def test_a_person_is_asked_and_the_first_sync_is_offered(folder, server, monkeypatch, capsys):
    monkeypatch.setenv("SOURCES__REPAIR_SHOP__MINUTE_SECONDS", "0.5")
    answers = iter([server.base_url, "UTC"])
    monkeypatch.setattr("sys.stdin", _Terminal())
    asked: list[str] = []

    def prompt(text, **options):
        asked.append(text)
        return server.keys["north"] if options.get("hide_input") else next(answers)

    def confirm(text, **options):
        asked.append(text)
        return True

    monkeypatch.setattr("typer.prompt", prompt)
    monkeypatch.setattr("typer.confirm", confirm)
    synced: list[str | None] = []
    # The sync itself has tests of its own; here it only has to begin.
    monkeypatch.setattr("shopmirror.commands.sync.sync", lambda shop: synced.append(shop) or 0)
    code = main(["init"])
    told = capsys.readouterr()
    assert code == 0, told.err
    assert [text.split()[0] for text in asked] == ["Base", "API", "Time", "Make"]
    assert "requests" in asked[-1]
    assert synced == [None]


def test_a_key_replaced_at_the_service_is_followed(begin, folder, capsys):
    arguments = ("--timezone", "America/Guatemala")
    with SandboxServer([ShopSpec("main", timezone="America/Guatemala")], size="tiny",
                       minute_seconds=0.5) as server:  # fmt: skip
        assert begin("--base-url", server.base_url, *arguments, key=server.keys["main"]) == 0
        new_key = server.reset_key("main")
        # Refused in words, twice: no block, so nothing is waited for.
        assert main(["doctor"]) == 3
        asked = len(server.requests("main"))
        assert main(["doctor"]) == 3
        assert len(server.requests("main")) - asked <= 2
        capsys.readouterr()
        code = begin("--base-url", server.base_url, *arguments, "--replace", key=new_key)
        assert code == 0, capsys.readouterr().err
        assert main(["doctor"]) == 0
