"""The explorer: the base address in a browser is a page that lists and runs every endpoint.

Its assets come from the installed package, so it works without the internet. It needs no key to
open, only to run a request (its Authorize button takes one).
"""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sandbox.openapi import document
from sandbox.routes import PREFIX

_TYPES = {".js": "text/javascript", ".css": "text/css", ".png": "image/png"}
_PAGE = Path(__file__).with_suffix(".html").read_text(encoding="utf-8")


class Asset(NamedTuple):
    """A page or file that needs no key."""

    content: bytes
    content_type: str


def page(method: str, path: str) -> Asset | None:
    """Give the explorer's file at this path; None when the path is none of its own."""
    if method != "GET":
        return None
    if path.rstrip("/") in ("", PREFIX):
        return Asset(_PAGE.replace("PREFIX", PREFIX).encode(), "text/html; charset=utf-8")
    if path == f"{PREFIX}/openapi.json":
        return Asset(_description(), "application/json")
    name = path.removeprefix(f"{PREFIX}/explorer/")
    return None if name == path else _assets().get(name)


@cache
def _description() -> bytes:
    return json.dumps(document()).encode()


@cache
def _assets() -> dict[str, Asset]:
    # Only here: the sandbox answers without its explorer, too.
    try:
        import swagger_ui_bundle
    except ModuleNotFoundError:
        return {}
    folder = Path(swagger_ui_bundle.swagger_ui_path)
    return {
        file.name: Asset(file.read_bytes(), _TYPES[file.suffix])
        for file in sorted(folder.iterdir())
        if file.suffix in _TYPES
    }
