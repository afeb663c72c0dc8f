"""The health of a destination, and retry backoff."""

from __future__ import annotations

import enum
import random

FIRST_PAUSE = 0.5
MAX_PAUSE = 8.0
MAX_RETRY_AFTER = 60.0
REFUSED_PAUSE = 30.0


class Health(enum.Enum):
    """The result of the last attempt."""

    GOOD = "good"
    BUSY = "busy"
    """It responds with a temporary error."""
    DOWN = "down"
    """It does not respond."""
    REFUSING = "refusing"
    """It rejects the client, for example because of an invalid key. The user has to fix the cause."""


class Backoff:
    """Counts consecutive failures and computes the pause after each."""

    def __init__(self) -> None:
        self.health = Health.GOOD
        self.not_before = 0.0
        self._failures = 0

    @property
    def unavailable(self) -> bool:
        """Whether the destination is unlikely to recover within seconds."""
        return self.health in (Health.DOWN, Health.REFUSING)

    def reset(self) -> None:
        """An attempt succeeded."""
        self.health = Health.GOOD
        self.not_before = 0.0
        self._failures = 0

    def record_failure(self, health: Health, now: float, retry_after: float | None = None) -> None:
        """An attempt failed; `retry_after` is the server's value, if any."""
        self.health = health
        if health is Health.REFUSING:
            self.not_before = now + REFUSED_PAUSE
            return
        pause = pause_after(self._failures)
        if retry_after is not None:
            pause = max(pause, min(retry_after, MAX_RETRY_AFTER))
        self._failures += 1
        self.not_before = now + pause


def pause_after(failures: int) -> float:
    """Exponential backoff with full jitter, which spreads the retries of clients that failed at the same time."""
    bound = min(MAX_PAUSE, FIRST_PAUSE * 2 ** min(failures, 16))
    return random.uniform(0.0, bound)
