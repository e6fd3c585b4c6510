"""What benches measure with: a service in a process of its own, peaks of memory."""

import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO


@contextmanager
def service(module: str, *arguments: str) -> Iterator[tuple[IO[str], IO[str]]]:
    """A bench's ``--serve`` in a process of its own, which ends when its input is closed."""
    command, pipe = [sys.executable, "-m", module, "--serve", *arguments], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdin, process.stdout


def peak_mb() -> int:
    """The most memory that this process held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
