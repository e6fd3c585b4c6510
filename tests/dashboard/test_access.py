"""Who may see the page, and whom it asks for what."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import httpx
from streamlit.testing.v1 import AppTest

from pipelines.dashboard import access, free_port, load_access
from pipelines.dashboard.serve import APP
from shopmirror.main import main
from tests.app.warehouse import change

PASSWORD = "counter and till"


def test_a_password_is_asked_before_anything_is_shown(chain, monkeypatch):
    monkeypatch.setenv("SHOPMIRROR_HOME", str(chain))
    monkeypatch.setenv("DASHBOARD__PASSWORD", PASSWORD)
    monkeypatch.setattr(access, "_PAUSE_SECONDS", 0.01)
    page = AppTest.from_file(str(APP), default_timeout=60).run()
    assert not page.metric and not page.selectbox and not page.dataframe
    for given in ("", "counter", PASSWORD + " ", "\u00e9"):
        page.text_input[0].set_value(given)
        page.button[0].click().run()
        assert not page.exception and not page.metric
        assert "not the password" in page.error[0].value
    page.text_input[0].set_value(PASSWORD)
    page.button[0].click().run()
    assert page.metric and [box.key for box in page.text_input] == ["q"]
    # Another password from now on: who gave the old one has to give the new one.
    monkeypatch.setenv("DASHBOARD__PASSWORD", "another one")
    assert not page.run().metric


def test_a_wrong_password_costs_time_however_many_try_at_once(monkeypatch):
    monkeypatch.setenv("DASHBOARD__PASSWORD", PASSWORD)
    monkeypatch.setattr(access, "_PAUSE_SECONDS", 0.05)
    settings = load_access()
    began = time.monotonic()
    trying = [threading.Thread(target=settings.opens, args=(f"{n}",)) for n in range(6)]
    for thread in trying:
        thread.start()
    for thread in trying:
        thread.join()
    assert time.monotonic() - began >= 0.3
    assert settings.opens(PASSWORD)
    assert PASSWORD not in repr(settings)


def test_another_address_needs_a_password_and_says_how_to_encrypt(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SHOPMIRROR_HOME", str(tmp_path))
    monkeypatch.setenv("DASHBOARD__ADDRESS", "0.0.0.0")
    assert main(["dashboard"]) == 2
    assert "set a password under [dashboard]" in capsys.readouterr().err
    monkeypatch.setenv("DASHBOARD__PASSWORD", PASSWORD)
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        assert main(["dashboard", "--port", str(taken.getsockname()[1])]) == 2
    said = capsys.readouterr().err
    assert "not encrypted" in said and "public_url" in said and "cannot be used" in said


def test_a_cell_that_looks_like_a_formula_is_a_text(home, monkeypatch):
    change(home, "update marts.receivables set customer_name = '=cmd|''/c calc''!A1'")
    monkeypatch.setenv("SHOPMIRROR_HOME", str(home))
    page = AppTest.from_file(str(APP), default_timeout=60)
    page.query_params["part"] = "due"
    page.run()
    assert set(page.dataframe[0].value["Customer"]) == {"'=cmd|'/c calc'!A1"}


def test_nobody_outside_is_asked_for_our_address(tmp_path):
    """Streamlit asks one when a page of another origin connects; a proxy would see it."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        threading.Thread(target=_answer, args=(proxy, asked), daemon=True).start()
        through = f"http://127.0.0.1:{proxy.getsockname()[1]}"
        port = free_port()
        names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY")
        page = subprocess.Popen(
            [sys.executable, "-m", "shopmirror", "dashboard", "--port", str(port)],
            env={**os.environ, **dict.fromkeys(names, through), "SHOPMIRROR_HOME": str(tmp_path)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(f"{address}/_stcore/health", page)
            answer = httpx.get(
                f"{address}/_stcore/stream",
                headers={
                    "Connection": "Upgrade",
                    "Upgrade": "websocket",
                    "Origin": "http://elsewhere.example",
                    "Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw==",
                    "Sec-WebSocket-Version": "13",
                },
                trust_env=False,
                timeout=30,
            )
            assert answer.status_code == 403
        finally:
            page.send_signal(signal.SIGINT)
            page.wait(timeout=30)
    assert asked == []


def _answer(proxy: socket.socket, asked: list[bytes]) -> None:
    while True:
        try:
            connection, _ = proxy.accept()
        except OSError:
            return
        with connection:
            asked.append(connection.recv(300))
            connection.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")


def _wait_for(address: str, page: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        assert page.poll() is None, "it ended by itself"
        try:
            if httpx.get(address, trust_env=False, timeout=5).is_success:
                return
        except httpx.HTTPError:
            time.sleep(0.1)
    raise AssertionError("the page did not come up")
