"""The one lock of an outbox, which a thread may also meet while it has it.

A signal handler, or a finalizer, may run in the middle of a change and put a run itself. It then
finds `entered` false: it must change nothing, and what it brings is taken in at the end of the
change that it interrupted.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Generic, TypeVar

T = TypeVar("T")


class Guard(Generic[T]):
    """A lock around all that an outbox knows; a context manager that says whether changes are allowed."""

    def __init__(self, take_in: Callable[[T], None]) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        self._take_in = take_in
        self.late: deque[T] = deque()
        # Threads that send wait on the one, threads that wait for arrivals on the other.
        self.work = threading.Condition(self._lock)
        self.news = threading.Condition(self._lock)

    def __enter__(self) -> bool:
        self._lock.acquire()
        self._depth += 1
        return self._depth == 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._depth == 1:
                while self.late:
                    self._take_in(self.late.popleft())
        finally:
            self._depth -= 1
            self._lock.release()

    def wait(self, condition: threading.Condition, timeout: float) -> None:
        """Lets others in until the condition is notified or the time is up."""
        depth, self._depth = self._depth, 0
        try:
            condition.wait(timeout)
        finally:
            self._depth = depth
