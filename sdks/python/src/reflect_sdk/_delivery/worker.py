"""The threads that send.

One destination has one thread. A second destination gets another one, up to four, so that a server
which hangs does not hold up the others.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from reflect_sdk._delivery.chores import INTERVAL, do_chores
from reflect_sdk._delivery.lane import Lane
from reflect_sdk._delivery.sending import Sending, call_hook
from reflect_sdk._delivery.state import State

MOST_THREADS = 4


class Workers:
    """Starts threads when there is something to do; where none can be started, a caller can do their work."""

    def __init__(self, state: State, sending: Sending, periodic: list[Callable[[], None]]) -> None:
        self._state = state
        self._sending = sending
        self._periodic = periodic
        self._threads: list[threading.Thread] = []
        self._chores_at = time.monotonic() + INTERVAL
        self._stopping = False

    def ensure(self) -> None:
        """Starts a thread if one is missing. The caller holds the guard."""
        wanted = min(MOST_THREADS, len(self._state.lanes))
        if len(self._threads) >= wanted or self._stopping:
            return
        thread = threading.Thread(target=self._run, name="reflect-delivery", daemon=True)
        try:
            thread.start()
        except RuntimeError as problem:  # no more threads, or the interpreter is about to end
            self._state.notices.say_rarely(
                "thread", logging.INFO, f"No thread could be started to send runs: {problem}."
            )
            return
        self._threads.append(thread)

    @property
    def running(self) -> bool:
        """Whether somebody sends in the background."""
        return any(thread.is_alive() for thread in self._threads)

    def is_current(self) -> bool:
        """Whether the caller is one of the threads."""
        return threading.current_thread() in self._threads

    def stop(self, timeout: float) -> None:
        """Asks the threads to end and waits for them; one that is still sending ends after that."""
        with self._state.guard:
            self._stopping = True
            threads, self._threads = self._threads, []
            self._state.guard.work.notify_all()
        deadline = time.monotonic() + timeout
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))

    def restart(self) -> None:
        """Lets threads be started again. The caller holds the guard."""
        self._stopping = False

    def help(self, until: float) -> None:
        """Does one piece of the threads' work in the calling thread, waiting for it until then."""
        self._step(until, lambda: False)

    def _run(self) -> None:
        me = threading.current_thread()
        while self._step(None, lambda: me not in self._threads):
            pass

    def _step(self, until: float | None, leave: Callable[[], bool]) -> bool:
        """Waits for something to do and does it; False when it is time to leave."""
        guard = self._state.guard
        lane: Lane | None = None
        with guard:
            while lane is None:
                if leave():
                    return False
                now = time.monotonic()
                if until is None and now >= self._chores_at:
                    self._chores_at = now + INTERVAL
                    break
                lane, at = self._next(now)
                if lane is not None:
                    lane.busy = True
                    break
                if until is not None:
                    if now >= until:
                        return False
                    at = min(at, until)
                guard.wait(guard.work, max(0.0, min(at, self._chores_at) - now) if until is None else at - now)
        if lane is not None:
            self._sending.serve(lane)
        else:
            do_chores(self._state)
            for hook in list(self._periodic):
                call_hook(hook)
        return True

    def _next(self, now: float) -> tuple[Lane | None, float]:
        """The lane that is due for longest, or when one will be."""
        earliest, found = now + INTERVAL, None
        for lane in self._state.lanes.values():
            at = None if lane.busy else lane.due(now)
            if at is not None and at < earliest:
                earliest, found = at, lane
        return (found if earliest <= now else None), earliest
