"""The lock of an outbox, with support for reentrant calls.

A signal handler or a finalizer may run while its thread holds the lock, and may queue a run. `__enter__` then
returns False: the handler must not change the state. It appends the run to `deferred`, and the interrupted
call accepts it when it releases the lock.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Generic, TypeVar

T = TypeVar("T")


class Guard(Generic[T]):
    """A lock for the state of an outbox. As a context manager, it returns whether changes are allowed."""

    def __init__(self, accept: Callable[[T], None]) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        self._accept = accept
        self.deferred: deque[T] = deque()
        # Sending threads wait for `work`; threads that wait for delivery wait for `progress`.
        self.work = threading.Condition(self._lock)
        self.progress = threading.Condition(self._lock)

    def __enter__(self) -> bool:
        self._lock.acquire()
        self._depth += 1
        return self._depth == 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._depth == 1:
                while self.deferred:
                    self._accept(self.deferred.popleft())
        finally:
            self._depth -= 1
            self._lock.release()

    def wait(self, condition: threading.Condition, timeout: float) -> None:
        """Releases the lock until the condition is notified or the timeout has passed."""
        depth, self._depth = self._depth, 0
        try:
            condition.wait(timeout)
        finally:
            self._depth = depth
