"""How a destination is doing, and when it may be tried again."""

from __future__ import annotations

import enum
import random

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0
LONGEST_RETRY_AFTER = 60.0
REFUSED_PAUSE = 30.0


class Health(enum.Enum):
    """What the last attempt showed."""

    GOOD = "good"
    BUSY = "busy"
    """It answers, and asks to come back later."""
    DOWN = "down"
    """It does not answer."""
    REFUSING = "refusing"
    """It answers and lets nobody in, which somebody has to mend."""


class Trouble:
    """Counts failures in a row and says how long to wait after each."""

    def __init__(self) -> None:
        self.health = Health.GOOD
        self.not_before = 0.0
        self._failures = 0

    @property
    def hopeless(self) -> bool:
        """Whether waiting a few seconds for it is in vain."""
        return self.health in (Health.DOWN, Health.REFUSING)

    def over(self) -> None:
        """An attempt succeeded."""
        self.health = Health.GOOD
        self.not_before = 0.0
        self._failures = 0

    def failed(self, health: Health, now: float, retry_after: float | None = None) -> None:
        """An attempt failed; the server may have said when to come back."""
        self.health = health
        if health is Health.REFUSING:
            self.not_before = now + REFUSED_PAUSE
            return
        pause = pause_after(self._failures)
        if retry_after is not None:
            pause = max(pause, min(retry_after, LONGEST_RETRY_AFTER))
        self._failures += 1
        self.not_before = now + pause


def pause_after(failures: int) -> float:
    """A pause by lot, below a bound that doubles: clients that failed together do not come back together."""
    bound = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(failures, 16))
    return random.uniform(0.0, bound)
