"""What the service's answers mean for a key: rules without a clock, a file or a network.

The service allows 30 requests a minute and wants silence for a minute after a rate error. It blocks
key and address for 6 to 8 hours after ten ignored ones (specification, Limits). So:

- At most three requests of a key are unanswered: two at most follow one that meets the limit. For
  a week after a rate error it is one, because whoever else uses the key may come again.
- A rate error is a strike, and begins a minute of silence. Answers to what was on its way then
  prolong the silence and are no strike of their own.
- The rate falls to what we were measured to get, less a fifth, or to a fifth of the limit, but to
  half of itself at least: the limit may have fallen. It rises by a tenth of the limit an hour; each
  further strike before it is whole again doubles that hour, up to a day.
- Strikes are forgotten after an hour without one in which the service answered. The third one stops
  the key for an hour, then for two, four and eight. So there never is a fourth.
- A block stops its key for eight hours, and the other keys of the address for a minute. Then one
  request of one of them tells whether the address is shut too: refused, it is silent for one hour,
  then two, four, eight (field notes: three of five keys of an address were refused).

Times are seconds of the budget's own clock; ``minute`` is the length of the limit's minute.
"""

from dataclasses import dataclass, field, replace

MARGIN = 1.003
"""A window is this much longer than a minute, so that clocks that tick differently do no harm."""
STRIKES = 3
"""Where we stop by ourselves; the service blocks at ten (specification, Limits)."""
MOST_UNANSWERED = 3
HOUR, DAY, WEEK = 60, 1440, 7 * 1440
"""In minutes of the limit, as all silences are."""
LONGEST_SILENCE = 480
"""A block lasts 6 to 8 hours (specification, Limits)."""


@dataclass
class Standing:
    """How a key stands with the service: its row in the budget's file."""

    key: str
    address: str
    shop: str
    minute: float
    answered_at: float = 0.0
    """When the newest request that was answered properly was granted; 0: the key never worked."""
    silent_until: float = 0.0
    why: str = ""
    """Of the silence: ``limit``, ``strikes``, ``block``; ``replaced``: the key works no longer."""
    strikes: int = 0
    strike_at: float = 0.0
    pace: int | None = None
    """Requests a minute after the newest strike; None: as many as the limit allows."""
    rise: int = HOUR
    rests: int = 0
    good: str = ""
    """A list that was answered."""
    wordings: list[str] = field(default_factory=list)
    """How reads were told of the rate limit."""
    denied: list[str] = field(default_factory=list)
    """Requests, like ``GET /statuses``, that this key has no right to, though others are
    answered."""

    @property
    def worked(self) -> bool:
        """Whether the service ever answered this key properly."""
        return self.answered_at > 0

    def quiet(self, now: float) -> float:
        """Minutes since the newest strike and its silence."""
        return (now - max(self.strike_at, self.silent_until)) / self.minute

    def counted(self, now: float) -> int:
        """Strikes that are not forgotten."""
        is_over = self.answered_at > self.strike_at and self.quiet(now) >= HOUR
        return 0 if is_over else self.strikes

    def limit(self, now: float, allowed: int) -> int:
        """Requests that may stand in one window now."""
        if self.pace is None:
            return allowed
        steps = max(0, int(self.quiet(now) // self.rise))
        return min(allowed, self.pace + steps * max(1, allowed // 10))

    def most_unanswered(self, now: float, shut_at: float) -> int:
        """Requests that may be on their way at once; ``shut_at``: the newest block's moment."""
        struck = self.strikes and now - self.strike_at < WEEK * self.minute
        is_proven = self.worked and self.answered_at > max(self.strike_at, shut_at)
        return MOST_UNANSWERED if is_proven and not struck else 1

    def silence(self, until: float, why: str) -> None:
        """Ask nothing until then."""
        if until > self.silent_until:
            self.silent_until, self.why = until, why

    def rate_error(self, now: float, taken: float, *, allowed: int, used: int) -> None:
        """A request granted at ``taken`` met the limit, and ``used`` of ours in its window had not.

        What was granted before the newest strike belongs to it.
        """
        before = replace(self)
        self.silence(now + self.minute * MARGIN, "limit")
        if taken <= before.strike_at:
            return
        level = before.limit(now, allowed)
        self.rise = min(2 * before.rise, DAY) if level < allowed else HOUR
        self.pace = max(1, min(max(int(used * 0.8), allowed // 5), level // 2))
        self.strikes, self.strike_at = min(before.counted(now) + 1, STRIKES), now
        if before.quiet(now) >= DAY:
            self.rests = 0
        if self.strikes == STRIKES:
            self.rests += 1
            rest = min(HOUR * 2 ** (self.rests - 1), LONGEST_SILENCE)
            self.silence(now + rest * self.minute, "strikes")

    def forgive(self) -> None:
        """The newest strike was none: only this request is refused, whatever the rate."""
        self.strikes = max(0, self.strikes - 1)
        if not self.strikes:
            self.pace, self.rise, self.strike_at = None, HOUR, 0.0

    def answered(self, taken: float) -> None:
        """A request granted at ``taken`` was answered properly."""
        self.answered_at = max(self.answered_at, taken)
        if taken >= self.silent_until:
            self.why = ""


@dataclass
class Address:
    """How an address stands, whichever of its keys is asked with: its row in the file."""

    address: str
    silent_until: float = 0.0
    shut_at: float = 0.0
    """When a key of it was blocked last."""
    in_doubt: bool = False
    """Nobody knows since whether the address is shut: one request at a time, of all its keys."""
    refusals: int = 0
    skew: float | None = None
    """Seconds that the service's clock was ahead of this machine's."""

    def block(self, now: float, taken: float, minute: float) -> None:
        """A key of the address was blocked, on a request granted at ``taken``."""
        rest = MARGIN
        if self.in_doubt and taken >= self.silent_until:
            self.refusals += 1
        if self.refusals:
            rest = min(HOUR * 2 ** (self.refusals - 1), LONGEST_SILENCE)
        self.shut_at, self.in_doubt = now, True
        self.silent_until = max(self.silent_until, now + rest * minute)

    def answered(self, taken: float) -> None:
        """A request granted at ``taken`` was answered; one that was made after the silence proves
        that the address is open."""
        if taken >= self.silent_until:
            self.in_doubt, self.refusals = False, 0
