"""What a request of a first load and of a night costs: ``python -m bench.wire [SIZE]``.

A shop without a limit is read from nothing, and once more without a change. The service is a
process of its own, and so is each sync: CPU seconds and memory are of the sync alone.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.processes import peak_mb, service

ZONE = "America/Guatemala"


def serve(size: str) -> None:
    """The service, until the other end of stdin is closed; says its address and key as JSON."""
    from sandbox.server import SandboxServer  # not in the process that is measured
    from sandbox.shops import ShopSpec

    with SandboxServer([ShopSpec("main", limit=None, timezone=ZONE)], size=size) as sandbox:
        print(json.dumps([sandbox.base_url, sandbox.keys["main"]]), flush=True)
        sys.stdin.read()


def measure(home: Path, served: str, what: str) -> None:
    """One sync of a home in this process; prints what it cost."""
    from pipelines.settings import Settings, ShopSettings
    from pipelines.sync.run import sync
    from shopmirror.lazy import light

    address, key = json.loads(served)
    # Without a limit, but not so fast that an answer takes long beside the rate.
    rate = {"minute_seconds": 3000.0, "requests_per_minute": 30_000}
    told = {"name": "main", "base_url": address, "api_key": key, "timezone": ZONE, **rate}
    with light():  # as the command
        report = sync(Settings(home=home, shops=(ShopSettings.model_validate(told),)))
    cpu = time.process_time()
    print(
        f"{what}: {report.outcome}, {report.rows} rows, {report.requests} requests, {cpu:.1f} CPU "
        f"s, {1000 * cpu / report.requests:.2f} CPU ms a request; peak {peak_mb()} MB",
        flush=True,
    )


def main() -> None:
    """The service and each sync in processes of their own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size", nargs="?", default="medium")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.size)
        return
    if given.measure:
        measure(Path(given.measure[0]), *given.measure[1:])
        return
    quiet = {"RUNTIME__LOG_LEVEL": "CRITICAL", "RUNTIME__DLTHUB_TELEMETRY": "false"}
    with service("bench.wire", given.size) as (tell, told), tempfile.TemporaryDirectory() as home:
        served = told.readline()
        for what in (f"{given.size}, first load", f"{given.size}, quiet night"):
            command = [sys.executable, "-m", "bench.wire", "--measure", home, served, what]
            subprocess.run(command, check=True, env=os.environ | quiet)
        tell.close()


if __name__ == "__main__":
    main()
