"""``make bench``: every measure the documentation quotes, one after the other."""

import subprocess
import sys

PARTS = (
    ("bench.wire",),
    ("bench.models",),
    ("bench.chain", "5", "50", "200", "--seconds", "75"),
)

if __name__ == "__main__":
    # Each in a process of its own, so that peak memory and caches are its own too.
    sys.exit(max(subprocess.run([sys.executable, "-m", *part]).returncode for part in PARTS))
