"""What is logged. Never the body of a run, never a key."""

from __future__ import annotations

import logging
import time
from collections import deque

logger = logging.getLogger("reflect_sdk.delivery")

_MINUTE = 60.0


class Notices:
    """Collects what is to be logged while the guard is held, because a handler of the log may do anything."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, str]] = deque()
        self._last: dict[str, float] = {}
        self._held_back: dict[str, int] = {}

    def say(self, level: int, text: str) -> None:
        """Logs it soon."""
        self._waiting.append((level, text))

    def say_rarely(self, kind: str, level: int, text: str, count: int = 1) -> None:
        """Logs it soon, unless something of this kind was logged within the last minute."""
        now = time.monotonic()
        total = self._held_back.pop(kind, 0) + count
        if now - self._last.get(kind, -_MINUTE) < _MINUTE:
            self._held_back[kind] = total
            return
        self._last[kind] = now
        more = f" ({total} since the last such message)" if total > 1 else ""
        self._waiting.append((level, text + more))

    def emit(self) -> None:
        """Logs what has been collected. Not while the guard is held."""
        while self._waiting:
            try:
                level, text = self._waiting.popleft()
            except IndexError:  # another thread was faster
                return
            logger.log(level, "%s", text)
