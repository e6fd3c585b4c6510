"""A clock that stands still."""

from sources.repair_shop.budget.clock import SystemClock


class FakeClock(SystemClock):
    """Time that moves only when told to, or when someone sleeps."""

    def __init__(self) -> None:
        self.ticks = 1000.0
        self.wall_offset = 1_790_000_000.0
        self.boot_id = "first boot"
        self.unlived = 0.0
        """Seconds that went by elsewhere while this machine stood still, or was put back."""

    def monotonic(self) -> float:
        return self.ticks - self.unlived

    def wall(self) -> float:
        return self.ticks + self.wall_offset

    def boot(self) -> str:
        return self.boot_id

    def sleep(self, seconds: float) -> None:
        self.ticks += seconds
