"""A chain of shops in one process: requests a second, CPU, memory, threads, open files.

``python -m bench.chain [SHOPS ...] [--seconds 30]`` reads so many tiny shops for the
first time, each within its own 30 requests a minute. It stops after so many seconds. One shop in
ten is out: its answers never come. The service runs in a process of its own, and what that costs is
told apart. ``even``: requests of the shop that got fewest, of those that answer, over those of the
one that got most.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from bench.processes import peak_mb, service
from pipelines.settings import ShopSettings
from sandbox.generator import generate
from sandbox.quirks import Quirks
from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from sources.repair_shop.mirror import Mirror
from sources.repair_shop.schema.endpoints import ENDPOINTS

ZONE = "America/Guatemala"
LIMIT = 30


def serve(count: int) -> None:
    """The service, until the other end of stdin is closed; first its address and keys, last its
    costs, as lines of JSON."""
    records = list(generate(seed=1, size="tiny", shop="main", timezone=ZONE, until=None))
    late = Quirks(latency_seconds=600.0)
    specs = [
        ShopSpec(
            f"shop{n}", timezone=ZONE, records=records, quirks=late if n % 10 == 9 else Quirks()
        )
        for n in range(count)
    ]
    with SandboxServer(specs) as server:
        began = time.process_time()
        print(json.dumps([server.base_url, server.keys]), flush=True)
        sys.stdin.read()
        asked = {spec.name: len(server.requests(spec.name)) for spec in specs}
        errors = sum(server.rate_errors(spec.name) for spec in specs)
        print(json.dumps([time.process_time() - began, asked, errors]), flush=True)
        os._exit(0)  # answers that never come are not waited for


def fetch(count: int, seconds: float) -> None:
    """Read all shops for ``seconds`` in this process, and print a line."""
    with (
        service("bench.chain", str(count)) as (tell, told),
        tempfile.TemporaryDirectory() as folder,
    ):
        base_url, keys = json.loads(told.readline())
        shops = [
            ShopSettings(name=name, base_url=base_url, api_key=key, timezone=ZONE)
            for name, key in keys.items()
        ]
        peak = {"threads": 0, "files": 0}
        with Mirror(Path(folder), shops) as mirror:
            began, cpu = time.monotonic(), time.process_time()
            reading = threading.Thread(target=mirror.read, args=(ENDPOINTS,))
            reading.start()
            while reading.is_alive() and time.monotonic() - began < seconds:
                time.sleep(0.1)
                for name, kind in (("threads", "task"), ("files", "fd")):
                    peak[name] = max(peak[name], sum(1 for _ in Path("/proc/self", kind).iterdir()))
            took, cpu = time.monotonic() - began, time.process_time() - cpu
            tell.close()
            theirs, asked, errors = json.loads(told.readline())
            answering = [asked[name] for n, name in enumerate(keys) if n % 10 != 9]
            total = sum(answering)
            print(
                f"{count} shops: {total} requests in {took:.0f} s, {total / took:.1f}/s (allowed "
                f"{len(answering) * LIMIT / 60:.1f}/s, and {LIMIT} of each shop at once); "
                f"{1000 * cpu / total:.1f} ms CPU "
                f"a request (the service {1000 * theirs / total:.1f}); {peak_mb()} MB, "
                f"{peak['threads']} threads, {peak['files']} files; even "
                f"{min(answering) / max(answering):.2f}; rate errors {errors}",
                flush=True,
            )
            os._exit(0)


def main() -> None:
    """Each number of shops in a process of its own, so that its peaks are its own too."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shops", nargs="*", type=int, default=[5, 50, 200])
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.serve)
    elif len(given.shops) == 1:
        fetch(given.shops[0], given.seconds)
    else:
        for count in given.shops:
            words = ["bench.chain", str(count), "--seconds", str(given.seconds)]
            subprocess.run([sys.executable, "-m", *words], check=True)


if __name__ == "__main__":
    main()
