"""Runs Streamlit in this process behind the gate, with nothing sent anywhere."""

import asyncio
import logging
import os
import socket
from collections.abc import Callable
from pathlib import Path
from secrets import token_bytes

from pipelines.dashboard.access import DashboardSettings, Keys, load_seal
from pipelines.settings import SettingsError

APP = Path(__file__).with_name("app.py")
HOME_VARIABLE = "SHOPMIRROR_HOME"
_SEAL = "page.key"
_CACHE = "streamlit.runtime.caching.cache_data_api"
_OURS = "127.0.0.1,::1"
"""Whose word of the visitor's address is believed: a proxy on this machine."""


def serve(
    home: Path, access: DashboardSettings, ready: Callable[[str], None] = lambda _address: None
) -> None:
    """Serve the page of the warehouse in ``home`` until the process is told to stop.

    ``ready`` gets the page's address, with its key if it has one. Raises
    :class:`~pipelines.settings.SettingsError` when others could reach the page without a password
    (it shows customers) or the port is taken.
    """
    access.check()
    visitors = _listening(access)
    access = access.model_copy(update={"port": visitors.getsockname()[1]})
    home = Path(home).absolute()
    os.environ[HOME_VARIABLE] = str(home)
    # Its caches are made before its server runs, which is meant and nothing to be told.
    logging.getLogger(_CACHE).addFilter(lambda said: "No runtime found" not in said.getMessage())
    # Loaded before the first visitor comes, who else would wait for them.
    import uvicorn
    from starlette.middleware import Middleware
    from streamlit import config, net_util
    from streamlit.starlette import App
    from streamlit.web.bootstrap import load_config_options

    from pipelines.dashboard import parts  # noqa: F401 - for the time it takes
    from pipelines.dashboard.gate import Gate

    # Whatever folder the command is given in: its `.streamlit` says nothing about our page.
    config.get_config_files = lambda file_name: []
    # Streamlit may ask a server outside for its address. Nobody outside is told that we are here.
    net_util.get_external_ip = lambda: None
    load_config_options(_options(access))
    # A start without a password makes a key, so its cookies need not outlive it.
    has_password = bool(access.password.get_secret_value())
    keys = Keys(access, load_seal(home / _SEAL) if has_password else token_bytes(32))
    server = uvicorn.Server(
        uvicorn.Config(
            App(APP, middleware=[Middleware(Gate, settings=access, keys=keys)]),
            log_level="warning",
            # It would hold the key of the address.
            access_log=False,
            server_header=False,
            proxy_headers=bool(access.public_url),
            forwarded_allow_ips=_OURS,
            timeout_graceful_shutdown=3,
        )
    )
    host = f"[{access.address}]" if ":" in access.address else access.address
    ready(f"http://{host}:{access.port}/" + (f"?key={keys.key}" if keys.key else ""))
    asyncio.run(server.serve(sockets=[visitors]))


def _options(access: DashboardSettings) -> dict[str, object]:
    """Streamlit's options; what keeps it safe is said, though it is the default of today."""
    return {
        "server.address": access.address,
        "server.port": access.port,
        "server.headless": True,
        "server.fileWatcherType": "none",
        "server.allowedHosts": list(access.hosts),
        "server.corsAllowedOrigins": [access.public_url] if access.public_url else [],
        "server.enableCORS": True,
        "server.enableXsrfProtection": True,
        "server.enableAgentApi": False,
        "server.enableStaticServing": False,
        "server.baseUrlPath": "",
        "global.developmentMode": False,
        "browser.gatherUsageStats": False,
        "theme.light.primaryColor": "#2f5d8a",
        "theme.dark.primaryColor": "#7fb0de",
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "none",
        # It prints addresses, some of them looked for outside; the command has said its own.
        "logger.hideWelcomeMessage": True,
    }


def _listening(access: DashboardSettings) -> socket.socket:
    """The page's port; who comes before the server is ready waits."""
    family = socket.AF_INET6 if ":" in access.address else socket.AF_INET
    try:
        return socket.create_server((access.address, access.port), family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        raise SettingsError(
            f"Port {access.port} on {access.address} cannot be used: choose another with --port."
        ) from error
