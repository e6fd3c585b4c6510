"""Runs Streamlit in this process, with nothing sent anywhere."""

import contextlib
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from pipelines.dashboard.access import DashboardSettings
from pipelines.settings import is_loopback

APP = Path(__file__).with_name("app.py")
HOME_VARIABLE = "SHOPMIRROR_HOME"
_PATIENCE_SECONDS = 5
"""What the first figures may take before the page's address is told all the same."""


class DashboardError(Exception):
    """The page cannot be served; the message says why. Exit code 2."""

    exit_code = 2


def free_port(host: str = "127.0.0.1") -> int:
    """A port nobody uses at the moment."""
    with _socket(host) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def serve(home: Path, access: DashboardSettings, ready: Callable[[], None] = lambda: None) -> None:
    """Serve the page of the warehouse in ``home`` until the process is told to stop.

    ``ready`` is called once the first visitor need not wait. Raises :class:`DashboardError` when
    others could reach it without a password (it shows customers) or the port is taken.
    """
    _check(access)
    home = Path(home).absolute()
    os.environ[HOME_VARIABLE] = str(home)
    # What jsonschema, which altair loads, has for texts of a kind that no chart has: 0.8 s.
    sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]  # as Python's manual has it
    from pipelines.dashboard import view

    asked = threading.Thread(target=view.warm, args=(home,), daemon=True)
    asked.start()
    threading.Thread(target=_tell, args=(asked, access, ready), daemon=True).start()
    # Loaded before the first visitor comes, who else would wait for them.
    from click import Abort
    from streamlit import net_util
    from streamlit.web import cli

    from pipelines.dashboard import opened, sections  # noqa: F401 - for the time it takes

    # Streamlit asks a server outside for its address, at the start and whenever a page of another
    # origin tries to connect. Nobody outside is told that we are here.
    net_util.get_external_ip = lambda: None
    arguments = [f"--{name}={value}" for name, value in _options(access).items()]
    # Until its server has handlers of its own; there is nothing to clear away.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with contextlib.suppress(Abort):
        cli.main(["run", str(APP), *arguments], standalone_mode=False)


def _tell(asked: threading.Thread, access: DashboardSettings, ready: Callable[[], None]) -> None:
    """Call ``ready`` once the figures are known and the server answers."""
    asked.join(_PATIENCE_SECONDS)
    while True:
        with _socket(access.address) as caller:
            if not caller.connect_ex((access.address, access.port)):
                return ready()
        time.sleep(0.02)


def _options(access: DashboardSettings) -> dict[str, object]:
    options: dict[str, object] = {
        "server.address": access.address,
        "server.port": access.port,
        "server.headless": "true",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "none",
        # It prints addresses, some of them looked for outside; the command has said its own.
        "logger.hideWelcomeMessage": "true",
    }
    if is_loopback(access.address):
        options["browser.serverAddress"] = access.address
    if access.public_url:
        options["server.corsAllowedOrigins"] = access.public_url
    return options


def _check(access: DashboardSettings) -> None:
    if not is_loopback(access.address) and not access.token:
        raise DashboardError(
            f"'{access.address}' can be reached from other machines, and the page shows customers' "
            "names: set a password under [dashboard] in .dlt/secrets.toml (or DASHBOARD__PASSWORD)."
            " Without one it is served on 127.0.0.1 only; reach that through SSH (ssh -L)."
        )
    try:
        with _socket(access.address) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((access.address, access.port))
    except (OSError, OverflowError) as error:
        raise DashboardError(
            f"Port {access.port} on {access.address} cannot be used: choose another with --port."
        ) from error


def _socket(host: str) -> socket.socket:
    return socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
