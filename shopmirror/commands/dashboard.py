"""``shopmirror dashboard``: the warehouse as a page in the browser."""

from typing import Annotated

import typer

from pipelines.dashboard import DashboardSettings, serve
from pipelines.settings import home_folder, is_loopback
from shopmirror.consoles import fault, say


def dashboard(
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="8501 by default; 0 takes a free one.")
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(help="By default this machine only; another address needs a password."),
    ] = None,
) -> None:
    """Serve the page of the published warehouse until stopped with Ctrl-C."""
    given = {"address": host, "port": port}
    access = DashboardSettings.load().model_copy(
        update={name: value for name, value in given.items() if value is not None}
    )
    access.check()
    if not is_loopback(access.address) and not access.public_url.startswith("https://"):
        fault(
            "It is not encrypted: whoever shares the network can read password and figures. Put a "
            "proxy with TLS before it, such as 'caddy reverse-proxy --from desk.example --to "
            f"127.0.0.1:{access.port}', and set public_url under [dashboard]."
        )
    serve(home_folder(), access, lambda page: say(f"The page is at {page} (Ctrl-C ends it)."))
