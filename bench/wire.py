"""What a request of a first load costs, and the way from the service's answers to the file.

``python -m bench.wire [SIZE]`` loads a shop without a limit from nothing, twice, and then has a
night without a change. The service is a process of its own. It gives the answers of the first load
again in the second, so fast that it is not what is measured. CPU seconds are of the whole process,
rows a second are of the clock on the wall.

``python -m bench.wire [SIZE] --ten`` loads the ten longest lists alone, each time into a new home:
by a sync, by dlt with the source by itself, and by dlt's own ``rest_api`` source.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
from email.utils import formatdate
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit

from bench.processes import peak_mb, service

if TYPE_CHECKING:
    from sandbox.generator import Size

ZONE = "America/Guatemala"
LISTS = (
    *("tickets", "ticket_invoices", "pos_orders", "payments", "customers", "products"),
    *("ticket_comments", "appointments", "stock", "purchase_orders"),
)
_RATE: dict[str, Any] = {
    "minute_seconds": 3000.0,
    "requests_per_minute": 30_000,
    "timezone": ZONE,
}
"""Without a limit, but not so fast that an answer takes long beside the rate."""


class _Answering(socketserver.StreamRequestHandler):
    """Answers of a sandbox, each made once."""

    disable_nagle_algorithm = True
    kept: ClassVar[dict[bytes, tuple[int, str, bytes]]] = {}
    sandbox: ClassVar[str] = ""

    def handle(self) -> None:
        while line := self.rfile.readline():
            head = dict(http.client.parse_headers(self.rfile))
            if line not in self.kept:
                asking = http.client.HTTPConnection(self.sandbox)
                asking.request("GET", line.split()[1].decode(), headers=head)
                came = asking.getresponse()
                self.kept[line] = came.status, came.headers.get_content_type(), came.read()
                asking.close()
            status, kind, body = self.kept[line]
            said = (
                f"HTTP/1.1 {status} \r\nDate: {formatdate(usegmt=True)}\r\n"
                f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            self.wfile.write(said.encode() + body)


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 64


def serve(size: Size) -> None:
    """The service, until the other end of stdin is closed; says its address and keys as JSON."""
    from sandbox.server import SandboxServer  # not in the process that is measured
    from sandbox.shops import ShopSpec

    spec = ShopSpec("main", limit=None, timezone=ZONE)
    with SandboxServer([spec], size=size) as sandbox:
        at = urlsplit(sandbox.base_url)
        _Answering.sandbox = at.netloc
        with _Server(("127.0.0.1", 0), _Answering) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_address[1]}{at.path}"
            print(json.dumps([address, sandbox.keys]), flush=True)
            sys.stdin.read()
            os._exit(0)


def measure(home: Path, served: str, what: str, by: str) -> None:
    """One load of a home in this process; prints what it cost."""
    address, keys = json.loads(served)
    if by != "sync":
        began = time.monotonic()
        rows = {"source": _by_source, "rest_api": _by_rest}[by](home, address, keys["main"])
        took = time.monotonic() - began
        _told(what, rows, time.process_time(), took)
        return
    from pipelines.settings import Settings, ShopSettings
    from pipelines.sync.run import sync
    from shopmirror.runs import light

    shops = tuple(
        ShopSettings.model_validate({"name": name, "base_url": address, "api_key": key, **_RATE})
        for name, key in keys.items()
    )
    began = time.monotonic()
    with light():  # as the command
        report = sync(Settings(home=home, shops=shops), resources=LISTS if "ten" in what else None)
    took, cpu = time.monotonic() - began, time.process_time()
    _told(f"{what}: {report.outcome}", report.rows, cpu, took)
    print(
        f"  {report.requests} requests, {1000 * cpu / report.requests:.2f} CPU ms each", flush=True
    )


def _told(what: str, rows: int, cpu: float, clock: float) -> None:
    print(
        f"{what}: {rows} rows, {cpu:.1f} CPU s, {clock:.1f} s, {rows / clock:.0f} rows a second, "
        f"{rows / cpu:.0f} a CPU second; peak {peak_mb()} MB",
        flush=True,
    )


def _by_source(home: Path, address: str, key: str) -> int:
    """The ten lists by dlt and the source alone; their rows."""
    import dlt

    from sources.repair_shop import repair_shop

    dlt.config["extract.next_item_mode"], dlt.config["load.workers"] = "fifo", 2  # its README
    rate = {name: value for name, value in _RATE.items() if name != "timezone"}
    source = repair_shop(address, key, ZONE, ledger_folder=str(home), **rate)
    return _run(home, source.with_resources(*LISTS))


def _by_rest(home: Path, address: str, key: str) -> int:
    """The ten lists by dlt's own source for such services, page after page; their rows."""
    from dlt.sources.rest_api import rest_api_source

    from sources.repair_shop.schema.endpoints import ENDPOINTS

    paging = {"type": "page_number", "base_page": 1, "page_param": "page", "total_path": None}
    config: Any = {
        "client": {"base_url": address, "headers": {"Authorization": key}, "paginator": paging},
        "resource_defaults": {
            "primary_key": "id",
            "write_disposition": "merge",
            "endpoint": {"data_selector": "$", "params": {"pageSize": 50}},
        },
        "resources": [
            {"name": name, "endpoint": {"path": ENDPOINTS[name].path.lstrip("/")}} for name in LISTS
        ],
    }
    return _run(home, rest_api_source(config))


def _run(home: Path, source: Any) -> int:
    import dlt

    from pipelines.load.loader import row_counts

    destination = dlt.destinations.duckdb(
        str(home / "shop.duckdb"), preferred_loader_file_format="parquet"
    )
    pipeline = dlt.pipeline("wire", str(home / "dlt"), destination=destination, dataset_name="raw")
    pipeline.run(source)
    counts = row_counts(pipeline)
    return sum(counts.get(name, 0) for name in LISTS)


_QUIET = {"RUNTIME__LOG_LEVEL": "CRITICAL", "RUNTIME__DLTHUB_TELEMETRY": "false"}
_WHOLE = (
    *(("a", "answers made", "sync"), ("b", "first load", "sync")),
    ("b", "quiet night", "sync"),
)
_TEN = (
    *(("a", "ten lists, answers made", "sync"), ("b", "ten lists by sync", "sync")),
    ("c", "ten lists by dlt and this source", "source"),
    *(("d", "ten lists by rest_api, answers made", "rest_api"),),
    ("e", "ten lists by dlt's rest_api", "rest_api"),
)
"""Folder of a home, what is done, and by what."""


def main() -> None:
    """The service and each sync in processes of their own."""
    command = [sys.executable, "-m", "bench.wire"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", nargs="?", default="medium")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--ten", action="store_true", help="the ten longest lists alone")
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.size)
        return
    if given.measure:
        measure(Path(given.measure[0]), *given.measure[1:])
        return
    with service("bench.wire", given.size) as (tell, told), tempfile.TemporaryDirectory() as folder:
        address = told.readline()
        for home, what, by in _TEN if given.ten else _WHOLE:
            asked = ["--measure", f"{folder}/{home}", address, f"{given.size}, {what}", by]
            subprocess.run([*command, *asked], check=True, env=os.environ | _QUIET)
        tell.close()


if __name__ == "__main__":
    main()
