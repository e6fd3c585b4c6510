"""Who gets into the page, tried as clients outside would try."""

import asyncio
import socket
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pipelines.dashboard import DashboardSettings, serve
from pipelines.dashboard.gate import Tries
from pipelines.settings import SettingsError
from shopmirror.main import main
from tests.app import page as pages
from tests.app import warehouse
from tests.app.nights import wait_for
from tests.app.page import ask, base_of, cookies_of, handshake, open_socket, page, sign_in, visitor
from tests.app.test_page import shown
from tests.engines.ports import free_port

PASSWORD = "counter and till"
STAFF = "only the counter"


@pytest.fixture(scope="module")
def with_key(chain):
    with page(chain) as address:
        yield address


PUBLIC = {
    "DASHBOARD__PASSWORD": PASSWORD,
    "DASHBOARD__STAFF_PASSWORD": STAFF,
    "DASHBOARD__PUBLIC_URL": "https://desk.example",
}


@pytest.fixture(scope="module")
def with_password(chain, tmp_path_factory):
    """The page behind a proxy, in a folder of foreign settings; what it asked of others."""
    folder, asked = tmp_path_factory.mktemp("folder"), list[bytes]()
    (folder / ".streamlit").mkdir()
    (folder / ".streamlit" / "config.toml").write_text(
        '[server]\nbaseUrlPath = "elsewhere"\nenableStaticServing = true\nallowedHosts = ["*"]\n'
        'enableAgentApi = true\n[client]\nshowErrorDetails = "full"\n'
    )
    with socket.create_server(("127.0.0.1", 0)) as outside:
        threading.Thread(target=_answer, args=(outside, asked), daemon=True).start()
        through = f"http://127.0.0.1:{outside.getsockname()[1]}"
        names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
        with page(chain, folder, **dict.fromkeys(names, through), **PUBLIC) as address:
            yield address, pages.last_said[-1], asked


def settings(folder: Path, text: str) -> Path:
    path = folder / ".dlt" / "secrets.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o600)
    return path


def test_without_a_password_each_start_has_a_key_of_its_own(with_key, chain):
    assert "?key=" in with_key
    with page(chain) as another:
        assert pages.last_said[-1].text() == ""
        assert another.partition("?key=")[2] != with_key.partition("?key=")[2]


def test_nobody_gets_in_without_the_key(with_key):
    with visitor(with_key) as stranger:
        for path in ("/", "/?key=", "/?key=guessed", "/anything", "/_stcore/host-config"):
            answer = stranger.get(path)
            assert answer.status_code == 401, path
            assert "streamlit" not in answer.text.lower()
        assert not stranger.cookies
        assert stranger.get("/_stcore/health").status_code == 200
    assert handshake(with_key) == 403
    assert handshake(with_key, cookies="shopmirror-1=owner; other=1") == 403


def test_who_has_the_key_sees_the_figures_and_the_address_forgets_it(with_key):
    with visitor(with_key) as owner:
        answer = owner.get(with_key + "&part=due")
        assert answer.status_code == 200
        assert str(answer.url) == f"{base_of(with_key)}/?part=due"
        (cookie,) = answer.history[0].headers.get_list("set-cookie")
        assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Max-Age" in cookie
        with open_socket(with_key, cookies=cookies_of(owner)) as socket:
            assert "metric" in {kind for kind, _text in ask(socket)}


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("evil.example:{port}", "http://evil.example:{port}"),
        ("evil.example", "http://evil.example"),
        ("127.0.0.1:{port}", "http://127.0.0.1:9999"),
        ("127.0.0.1:{port}", "http://evil.example"),
        ("127.0.0.1:{port}", "null"),
        ("127.0.0.1.evil.example:{port}", "http://127.0.0.1.evil.example:{port}"),
        ("192.0.2.7:{port}", "http://192.0.2.7:{port}"),
    ],
)
def test_another_host_or_origin_gets_403_even_with_the_cookie(with_key, host, origin):
    port = with_key.rpartition(":")[2].partition("/")[0]
    with visitor(with_key) as owner:
        owner.get(with_key)
        how = {"host": host.format(port=port), "origin": origin.format(port=port)}
        assert handshake(with_key, cookies=cookies_of(owner), **how) == 403
        headers = {"Host": how["host"], "Origin": how["origin"]}
        assert owner.get("/", headers=headers).status_code == 403
        assert handshake(with_key, cookies=cookies_of(owner)) == 101


def test_behind_a_proxy_the_owners_password_is_required_and_a_free_port(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOPMIRROR_HOME", str(tmp_path))
    monkeypatch.setenv("DASHBOARD__PUBLIC_URL", "https://desk.example")
    assert main(["dashboard"]) == 2
    assert "set a password under [dashboard]" in capsys.readouterr().err
    monkeypatch.delenv("DASHBOARD__PUBLIC_URL")
    monkeypatch.setenv("DASHBOARD__ADDRESS", "0.0.0.0")
    assert main(["dashboard"]) == 2
    assert "set a password under [dashboard]" in capsys.readouterr().err
    monkeypatch.setenv("DASHBOARD__PASSWORD", PASSWORD)
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["dashboard", "--port", str(port)]) == 2
    said = capsys.readouterr().err
    assert "not encrypted" in said and "public_url" in said
    assert f"Port {port} on 0.0.0.0 cannot be used" in said
    assert PASSWORD not in said


def test_the_proxys_visitors_sign_in_and_stay_signed_in(chain, tmp_path, with_password):
    address, _said, _asked = with_password
    with visitor(address) as owner:
        assert "key=" not in address
        answer = owner.post(
            "/login",
            data={"secret": PASSWORD, "next": "//evil.example/"},
            headers={"Host": "desk.example", "Origin": "https://desk.example"},
            follow_redirects=False,
        )
    assert answer.status_code == 303 and answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"]
    assert "Secure" in cookie and PASSWORD not in cookie
    cookies = cookie.partition(";")[0]
    here = {"host": "desk.example", "origin": "https://desk.example"}
    assert handshake(address, cookies=cookies, **here) == 101
    assert handshake(address, **here) == 403
    # A proxy that sends its own Host.
    assert handshake(address, cookies=cookies, origin="https://desk.example") == 101
    assert (chain / "page.key").stat().st_mode & 0o777 == 0o600
    port = free_port()
    with page(chain, tmp_path, port, **PUBLIC) as again:
        moved = cookies.replace(str(urlsplit(address).port), str(port), 1)
        assert handshake(again, cookies=moved) == 101, "another start, the same password"


def test_staff_open_the_page_as_staff(with_password):
    with visitor(with_password[0]) as staff:
        assert sign_in(staff, STAFF).status_code == 200
        assert handshake(with_password[0], cookies=cookies_of(staff)) == 101


def test_wrong_passwords_are_logged_without_what_was_given(with_password):
    address, said, _asked = with_password
    with visitor(address) as stranger:
        stranger.headers["X-Forwarded-For"] = "192.0.2.7"
        for given in ("", "counter", PASSWORD + " ", "\u00e9", "x" * 5000):
            assert sign_in(stranger, given).status_code in (401, 413)
            assert not stranger.cookies
    wait_for(lambda: said.text().count("192.0.2.7") >= 4)
    assert "counter" not in said.text()


def test_streamlit_settings_of_the_current_folder_have_no_effect(with_password):
    address, _said, _asked = with_password
    with visitor(address) as owner:
        assert sign_in(owner, PASSWORD).status_code == 200
        assert owner.get("/_stcore/health").status_code == 200
        assert owner.get("/_stcore/agent/mcp").status_code in (403, 404, 405)
        evil = {"host": "evil.example", "origin": "http://evil.example"}
        assert handshake(address, cookies=cookies_of(owner), **evil) == 403


def test_nobody_outside_is_asked_for_our_address(with_password):
    address, _said, asked = with_password
    assert handshake(address, origin="http://elsewhere.example") == 403
    with visitor(address) as owner:
        sign_in(owner, PASSWORD)
        assert handshake(address, cookies=cookies_of(owner)) == 101
    assert asked == []


def test_secrets_that_vanish_or_change_close_the_page(chain, tmp_path):
    secrets = settings(tmp_path, f'[dashboard]\npassword = "{PASSWORD}"\n')
    with page(chain, tmp_path) as address, visitor(address) as owner:
        assert sign_in(owner, PASSWORD).status_code == 200
        cookies = cookies_of(owner)
        with open_socket(address, cookies=cookies) as open_page:
            assert ask(open_page)
            secrets.rename(tmp_path / "away")
            wait_for(lambda: owner.get("/").status_code == 401)
            assert sign_in(owner, PASSWORD).status_code == 401
            assert sign_in(owner, "").status_code == 401
            assert handshake(address, cookies=cookies) == 403
            assert not ask(open_page), "a page that is open closes, too"
        secrets.write_text("[dashboard\n")
        assert sign_in(owner, "").status_code == 401, "a file that cannot be read"
        (tmp_path / "away").rename(secrets)
        wait_for(lambda: owner.get("/").status_code == 200)
        secrets.write_text('[dashboard]\npassword = "another word for it"\n')
        wait_for(lambda: owner.get("/").status_code == 401)
        assert handshake(address, cookies=cookies) == 403, "a changed password ends cookies"


def test_a_wrong_try_costs_its_own_address_alone():
    now, slept = [0.0], []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def tried() -> list[bool]:
        tries = Tries(1.0, 10.0, clock=lambda: now[0], sleep=sleep)
        assert await tries.turn("192.0.2.1") and not slept
        for _try in range(20):
            tries.wrong("192.0.2.1")
        allowed = [await tries.turn("192.0.2.1"), await tries.turn("198.51.100.9")]
        now[0] = 15.0
        return [*allowed, await tries.turn("192.0.2.1"), await tries.turn("192.0.2.1")]

    assert asyncio.run(tried()) == [False, True, True, True]
    assert slept == [5.0, 6.0], "what waits is counted, and nobody else waits with it"


def test_what_the_service_says_is_shown_as_plain_text(home, monkeypatch):
    text = (
        "T1 ![x](https://evil.example/b.png) [pay here](https://evil.example/pay) "
        ":material/home: :red[x] $a$ `b` <b>c</b> www.evil.example"
    )
    warehouse.change(home, "update marts.tickets set ticket_ref = '" + text + "'")
    sql = "select shop_id, id from marts.tickets order by 1, 2 limit 1"
    ((shop, number),) = warehouse.ask(home, sql)
    (drawer,) = shown(home, monkeypatch, open=f"{shop}/ticket/{number}").get("dialog")
    heading = drawer.proto.dialog.title
    assert "T1" in heading
    for mark in ("![", "](", "://", " :red[", " $a$", " `b`", "<b>", "www."):
        assert mark not in heading


def _answer(proxy: socket.socket, asked: list[bytes]) -> None:
    while True:
        try:
            connection, _ = proxy.accept()
        except OSError:
            return
        with connection:
            asked.append(connection.recv(300))
            connection.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7", "example.com", "::"])
def test_only_this_machine_is_served(tmp_path, host):
    with pytest.raises(SettingsError, match=r"127\.0\.0\.1 only"):
        serve(tmp_path, DashboardSettings(address=host))
