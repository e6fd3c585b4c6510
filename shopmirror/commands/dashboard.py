"""``shopmirror dashboard``: the warehouse as a page in the browser."""

from typing import Annotated

import typer

from pipelines.dashboard import DashboardSettings, free_port, serve
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
    access = DashboardSettings.load()
    address = access.address if host is None else host
    chosen = access.port if port is None else port
    if not chosen:
        chosen = free_port(address) if is_loopback(address) else DashboardSettings().port
    access = access.model_copy(update={"address": address, "port": chosen})
    access.check()
    if not is_loopback(address) and not access.public_url.startswith("https://"):
        fault(
            "It is not encrypted: whoever shares the network can read password and figures. Put a "
            "proxy with TLS before it, such as 'caddy reverse-proxy --from desk.example --to "
            f"127.0.0.1:{chosen}', and set public_url under [dashboard]."
        )
    serve(home_folder(), access, lambda page: say(f"The page is at {page} (Ctrl-C ends it)."))
