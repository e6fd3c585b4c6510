"""Time that every process of a machine agrees on and that nobody can set.

The rate budget lives in a file shared by processes, so a process's own monotonic clock is of no
use. The wall clock may be set back or forward at any moment. A machine has a clock that only its
boot resets; together with an identity of that boot it is safe to store.
"""

import os
import time
from functools import cache
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class SystemClock:
    """The machine's clocks: all that the budget needs to know about time."""

    def monotonic(self) -> float:
        """Seconds since boot, the same in every process, time asleep included where the system
        counts it."""
        identifier = getattr(time, "CLOCK_BOOTTIME", None)
        return time.monotonic() if identifier is None else time.clock_gettime(identifier)

    def wall(self) -> float:
        """Seconds since 1970 as the machine believes; used for people and across boots only."""
        return time.time()

    def boot(self) -> str:
        """What changes when :meth:`monotonic` starts anew: the kernel's boot id; elsewhere the
        minute of the boot as the wall clock has it.

        The latter changes when the wall clock is set, which then looks like a boot: that costs a
        minute of silence and breaks nothing.
        """
        return _boot_id() or f"minute {round((self.wall() - self.monotonic()) / 60)}"


@cache
def _boot_id() -> str | None:
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return None


def process_born(pid: int) -> str | None:
    """When a process started, as an opaque text; None if there is no such process.

    With the pid it tells a process from a later one that got the same number.
    """
    try:
        # The second field is the command in brackets and may hold anything; "start" is the 22nd.
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        return stat.rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass  # it is there, and another user's
    return "unknown"
