"""How fast one key may go, and when it must not go at all: rules without clock, file or network.

What flows in: what the service answered and when. What flows out: how many requests fit in the
window now, how many may be in flight, until when everything is silent. The budget
(:mod:`repair_shop.budget`) stores a :class:`Pace` for each key and applies it.

The rules (specification, Limits: 30 requests a minute; after a rate error none for one minute;
ignoring it 10 times blocks the key and the address for 6 to 8 hours):

- A rate error begins an *incident*: a full minute of silence for every process of the key. Answers
  to requests that were already in flight prolong the silence and belong to the same incident.
- An incident is a *strike*. Strikes are forgotten after an hour without one. At the third the key
  stops for an hour, then two, four, eight; after such a rest one more incident is again the third.
  So there is never a fourth.
- After an incident one request goes alone. Then the pace is what we were measured to get beside
  the other clients of the key, less a fifth, and recovers by a tenth of the limit every three
  minutes up to what we got (the *ceiling*). The ceiling rises by a tenth of the limit every hour
  without an incident; each new incident doubles that hour, up to a day. So a neighbour who came
  once is forgotten the same day, and one who stays costs an incident a day, not one an hour.
- As long as there is a ceiling at most two requests are in flight, after a second strike one: what
  is in flight when a rate error comes counts as ignoring it.

All times are seconds of the budget's own clock; ``minute`` is the length of the limit's minute.
"""

import json
from dataclasses import dataclass, field
from typing import Self

MARGIN = 1.003
"""A window is this much longer than a minute, so that clocks that tick differently do no harm."""
STRIKES = 3
"""Where we stop by ourselves; the service blocks at ten (specification, Limits)."""
FORGET_MINUTES = 60
"""Strikes are forgotten after so many minutes without an incident; also the first rest."""
LONGEST_REST_MINUTES = 480
"""A block lasts 6 to 8 hours (specification, Limits); no rest need be longer."""
DAY_MINUTES = 1440
"""The longest rests are forgotten after a day without an incident; also the slowest rise."""
STEP_MINUTES = 3
"""How often a slowed pace grows by a tenth of the limit."""
MOST_UNANSWERED = 3
"""Requests of a key on their way at once: two at most follow one that meets the limit."""


@dataclass
class Pace:
    """One key's standing with the service."""

    worked: bool = False
    strikes: int = 0
    proven: bool = True
    incident_at: float = 0.0
    cooldown_until: float = 0.0
    share: int | None = None
    ceiling: int | None = None
    rise_minutes: int = FORGET_MINUTES
    risen_at: float = 0.0
    stepped_at: float = 0.0
    rests: int = 0
    rest_until: float = 0.0
    careful_since: float = 0.0
    """Another key of the address was blocked then, and this one was not answered since."""
    wordings: list[str] = field(default_factory=list)
    """How reads were told of the rate limit, where the status alone does not say so."""
    denied: list[str] = field(default_factory=list)
    """Requests that were refused in a block and not answered since, the newest last."""

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read what :meth:`to_text` wrote."""
        return cls(**json.loads(text))

    def to_text(self) -> str:
        """One line of JSON."""
        return json.dumps(vars(self))

    def refresh(self, now: float, minute: float, allowed: int) -> None:
        """Let time pass: forget strikes, end a rest, take the next steps of a recovery."""
        if self.strikes >= STRIKES and self.rest_until <= now:
            self.strikes, self.proven = STRIKES - 1, False
        clean = (now - max(self.incident_at, self.rest_until)) / minute if self.proven else 0.0
        if clean >= FORGET_MINUTES:
            self.strikes = 0
        if clean >= DAY_MINUTES:
            self.rests = 0
        step = max(1, allowed // 10)
        while self.ceiling is not None and now - self.risen_at >= self.rise_minutes * minute:
            self.risen_at += self.rise_minutes * minute
            self.ceiling += step
            if self.ceiling >= allowed:
                self.ceiling = None
        if self.ceiling is None and clean >= 2 * self.rise_minutes:
            self.rise_minutes = FORGET_MINUTES
        top = allowed if self.ceiling is None else self.ceiling
        while self.share is not None and now - self.stepped_at >= STEP_MINUTES * minute:
            self.stepped_at += STEP_MINUTES * minute
            if self.share >= top:
                # Nothing more is dared; the next step counts from when more is.
                self.stepped_at = now
                break
            self.share = min(self.share + step, top)
        if self.share is not None and self.share >= allowed:
            self.share = None

    def limit(self, allowed: int) -> int:
        """Requests that may stand in one window now."""
        return allowed if self.share is None else max(1, min(self.share, allowed))

    def in_flight_cap(self) -> int:
        """Requests that may be on their way at once.

        One until the key has worked, so that a wrong key costs one request.
        """
        unproven = not self.worked or not self.proven or self.careful_since
        if unproven or self.strikes >= STRIKES - 1:
            return 1
        return 2 if self.strikes or self.ceiling is not None else MOST_UNANSWERED

    def on_ok(self, taken: float) -> None:
        """A request of ours, granted at ``taken``, was answered properly."""
        self.worked = True
        if taken > self.incident_at:
            self.proven = True
        if taken > self.careful_since:
            self.careful_since = 0.0

    def on_rate_error(
        self,
        now: float,
        taken: float,
        *,
        minute: float,
        allowed: int,
        used: int,
        retry_after: float = 0.0,
        is_strike: bool = True,
    ) -> None:
        """A request granted at ``taken`` met the rate limit.

        ``used`` is how many of ours stood in the window: that many the service let through.
        ``is_strike`` False: it failed and was told when to come back, perhaps for another reason.
        """
        self.cooldown_until = max(self.cooldown_until, now + max(minute * MARGIN, retry_after))
        if taken <= self.incident_at:
            self.stepped_at = max(self.stepped_at, self.cooldown_until)
            return
        step = max(1, allowed // 10)
        level = self.limit(allowed)
        if is_strike:
            self.strikes = min(self.strikes + 1, STRIKES)
        if self.ceiling is not None or self.share is not None:
            self.rise_minutes = min(2 * self.rise_minutes, DAY_MINUTES)
        self.incident_at, self.proven = now, False
        self.ceiling = _between(max(1, allowed // 4), used, max(1, level - step))
        self.share = _between(max(1, allowed // 5), int(used * 0.8), max(1, level // 2))
        self.share = min(self.share, self.ceiling)
        self.stepped_at = self.risen_at = self.cooldown_until
        if is_strike and self.strikes >= STRIKES:
            self.rests += 1
            rest = min(FORGET_MINUTES * 2 ** (self.rests - 1), LONGEST_REST_MINUTES)
            self.rest_until = max(now + rest * minute, self.cooldown_until)

    def on_new_boot(self, now: float, minute: float) -> None:
        """The machine started anew: what happened last may be lost, so keep silent a minute."""
        self.cooldown_until = max(self.cooldown_until, now + minute * MARGIN)


def _between(low: int, value: int, high: int) -> int:
    return max(min(low, high), min(value, high))
