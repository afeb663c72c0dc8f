"""The sending threads.

Each destination gets one thread, up to four threads in total. A server that hangs does not block the other
destinations.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from reflect_sdk._delivery.destination_queue import DestinationQueue
from reflect_sdk._delivery.maintenance import INTERVAL, run_maintenance
from reflect_sdk._delivery.sender import Sender, call_hook
from reflect_sdk._delivery.state import State

MAX_THREADS = 4


class Workers:
    """Starts threads on demand. If no thread can be started, the calling thread can do the work."""

    def __init__(self, state: State, sender: Sender, periodic: list[Callable[[], None]]) -> None:
        self._state = state
        self._sender = sender
        self._periodic = periodic
        self._threads: list[threading.Thread] = []
        self._maintenance_at = time.monotonic() + INTERVAL
        self._stopping = False

    def ensure(self) -> None:
        """Starts a thread if needed. The caller holds the guard."""
        wanted = min(MAX_THREADS, len(self._state.queues))
        if len(self._threads) >= wanted or self._stopping:
            return
        thread = threading.Thread(target=self._run, name="reflect-delivery", daemon=True)
        try:
            thread.start()
        except RuntimeError as problem:  # thread limit reached, or the interpreter is shutting down
            self._state.log_buffer.add_rate_limited(
                "thread", logging.INFO, f"Could not start a thread to send runs: {problem}."
            )
            return
        self._threads.append(thread)

    @property
    def running(self) -> bool:
        """Whether a background thread is running."""
        return any(thread.is_alive() for thread in self._threads)

    def is_current(self) -> bool:
        """Whether the calling thread is one of the sending threads."""
        return threading.current_thread() in self._threads

    def stop(self, timeout: float) -> None:
        """Stops the threads and waits for them; a thread that is still sending stops afterwards."""
        with self._state.guard:
            self._stopping = True
            threads, self._threads = self._threads, []
            self._state.guard.work.notify_all()
        deadline = time.monotonic() + timeout
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))

    def restart(self) -> None:
        """Allows threads to start again. The caller holds the guard."""
        self._stopping = False

    def run_one(self, until: float) -> None:
        """Does one unit of work in the calling thread, waiting for it until the given time."""
        self._step(until, lambda: False)

    def _run(self) -> None:
        me = threading.current_thread()
        while self._step(None, lambda: me not in self._threads):
            pass

    def _step(self, until: float | None, stopped: Callable[[], bool]) -> bool:
        """Waits for work and does it; False if the thread must stop."""
        guard = self._state.guard
        queue: DestinationQueue | None = None
        with guard:
            while queue is None:
                if stopped():
                    return False
                now = time.monotonic()
                if until is None and now >= self._maintenance_at:
                    self._maintenance_at = now + INTERVAL
                    break
                queue, at = self._next(now)
                if queue is not None:
                    queue.busy = True
                    break
                if until is not None:
                    if now >= until:
                        return False
                    at = min(at, until)
                guard.wait(guard.work, max(0.0, min(at, self._maintenance_at) - now) if until is None else at - now)
        if queue is not None:
            self._sender.send_batch(queue)
        else:
            run_maintenance(self._state)
            for hook in list(self._periodic):
                call_hook(hook)
        return True

    def _next(self, now: float) -> tuple[DestinationQueue | None, float]:
        """The queue with the earliest due time, and that time."""
        earliest, found = now + INTERVAL, None
        for queue in self._state.queues.values():
            at = None if queue.busy else queue.due(now)
            if at is not None and at < earliest:
                earliest, found = at, queue
        return (found if earliest <= now else None), earliest
