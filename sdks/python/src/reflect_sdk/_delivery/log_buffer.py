"""Log messages of delivery. They never contain the body of a run or a key."""

from __future__ import annotations

import logging
import time
from collections import deque

logger = logging.getLogger("reflect_sdk.delivery")

_MINUTE = 60.0


class LogBuffer:
    """Collects messages while the guard is held: log handlers are user code and must run without the lock."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, str]] = deque()
        self._last: dict[str, float] = {}
        self._suppressed: dict[str, int] = {}

    def add(self, level: int, text: str) -> None:
        """Adds a message."""
        self._waiting.append((level, text))

    def add_rate_limited(self, kind: str, level: int, text: str, count: int = 1) -> None:
        """Adds a message unless one of this kind was logged within the last minute."""
        now = time.monotonic()
        total = self._suppressed.pop(kind, 0) + count
        if now - self._last.get(kind, -_MINUTE) < _MINUTE:
            self._suppressed[kind] = total
            return
        self._last[kind] = now
        more = f" ({total} since the last such message)" if total > 1 else ""
        self._waiting.append((level, text + more))

    def emit(self) -> None:
        """Logs the collected messages. Must not be called while the guard is held."""
        while self._waiting:
            try:
                level, text = self._waiting.popleft()
            except IndexError:  # another thread took it
                return
            logger.log(level, "%s", text)
