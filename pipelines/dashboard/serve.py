"""Runs Streamlit in this process, on loopback only, with nothing sent anywhere."""

from __future__ import annotations

import ipaddress
import os
import socket
import threading
from pathlib import Path

APP = Path(__file__).with_name("app.py")
HOME_VARIABLE = "SHOPMIRROR_HOME"


class DashboardError(Exception):
    """The page cannot be served; the message says why. Exit code 2."""

    exit_code = 2


def free_port(host: str = "127.0.0.1") -> int:
    """A port nobody uses at the moment."""
    with _socket(host) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def serve(home: Path, *, port: int = 8501, host: str = "127.0.0.1") -> None:
    """Serve the page of the warehouse in ``home`` until the process is told to stop.

    Raises :class:`DashboardError` when ``host`` is no loopback address (the page knows no
    passwords and shows customers) or the port is taken.
    """
    _check(host, port)
    os.environ[HOME_VARIABLE] = str(Path(home).absolute())
    # Loaded before the first visitor comes, who else would wait for them.
    import altair  # noqa: F401 - for the time it takes
    import pandas  # noqa: F401 - for the time it takes
    from streamlit.web import cli

    from pipelines.dashboard import view

    threading.Thread(target=view.warm, args=(Path(home).absolute(),), daemon=True).start()
    options = {
        "server.address": host,
        "server.port": port,
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "browser.serverAddress": host,
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "none",
        "theme.base": "",
    }
    arguments = [f"--{name}={value}" for name, value in options.items() if value != ""]
    cli.main(["run", str(APP), *arguments], standalone_mode=False)


def _check(host: str, port: int) -> None:
    try:
        is_local = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_local = False
    if not is_local:
        raise DashboardError(
            f"'{host}' is not this machine: the page asks no password and shows customers' names, "
            "so it is served on 127.0.0.1 only. Reach it from elsewhere through SSH (ssh -L)."
        )
    try:
        with _socket(host) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except (OSError, OverflowError) as error:
        raise DashboardError(
            f"Port {port} on {host} cannot be used: choose another with --port."
        ) from error


def _socket(host: str) -> socket.socket:
    return socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
