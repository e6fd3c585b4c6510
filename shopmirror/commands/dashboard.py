"""``shopmirror dashboard``: the warehouse as a page in the browser, on this machine only."""

from __future__ import annotations

from typing import Annotated

import typer

from shopmirror.consoles import out


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("dashboard")(dashboard)


def dashboard(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8501,
    host: Annotated[str, typer.Option(help="A loopback address.")] = "127.0.0.1",
) -> None:
    """Serve the page of the published warehouse until stopped with Ctrl-C."""
    from pipelines.dashboard import free_port, serve
    from sources.repair_shop.settings import home_folder

    chosen = port or free_port(host)
    out().print(f"The page is at http://{host}:{chosen} (Ctrl-C ends it).", soft_wrap=True)
    serve(home_folder(), port=chosen, host=host)
