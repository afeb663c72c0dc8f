"""The interface of delivery to the rest of the package."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import ClassVar

from reflect_sdk._delivery import lifecycle
from reflect_sdk._delivery.counters import DeliveryCounters, FlushResult
from reflect_sdk._delivery.destination_queue import DestinationQueue
from reflect_sdk._delivery.log_buffer import logger
from reflect_sdk._delivery.post import PostBatch
from reflect_sdk._delivery.record import Record
from reflect_sdk._delivery.sender import Sender
from reflect_sdk._delivery.settings import DeliverySettings, Destination
from reflect_sdk._delivery.state import State
from reflect_sdk._delivery.waiting import wait_until_flushed, wait_until_own_sent
from reflect_sdk._delivery.worker import Workers


class Outbox:
    """Queues runs and delivers them in the background.

    `put` writes a run to disk before it returns, so the run survives a crash of the process.
    It never waits for the network and never raises.
    """

    _shared: ClassVar[dict[tuple[DeliverySettings, PostBatch], Outbox]] = {}

    def __init__(self, settings: DeliverySettings, post: PostBatch) -> None:
        self._settings = settings
        self._post = post
        self._root = settings.spool_root()
        self.on_accepted: list[Callable[[Destination], None]] = []
        """Called in the sending thread after the server accepted runs of a destination."""
        self.periodic: list[Callable[[], None]] = []
        """Called in a sending thread about once a minute."""
        self._reset()
        lifecycle.register(self)

    @classmethod
    def shared(cls, settings: DeliverySettings, post: PostBatch) -> Outbox:
        """The outbox of this process. Clients with the same settings and transport share it."""
        key = (settings, post)
        found = cls._shared.get(key)
        if found is None:
            # Two threads may create one at the same time; `setdefault` selects one of them.
            found = cls._shared.setdefault(key, cls(settings, post))
        return found

    def _reset(self) -> None:
        """Creates a new state: no entries, no threads, all locks free."""
        self._pid = os.getpid()
        self._state = State(self._settings, self._root)
        self._sender = Sender(self._state, self._post, self.on_accepted)
        self._workers = Workers(self._state, self._sender, self.periodic)
        # Set during process exit: the deadline for sending.
        self._shutdown_deadline: float | None = None

    def after_fork(self) -> None:
        """In a forked child: the pending runs and their files belong to the parent."""
        parent = self._state
        self._reset()
        for queue in list(parent.queues.values()):
            if queue.journal is not None:
                queue.journal.disown()

    def put(self, destination: Destination, record: Record) -> None:
        """Writes a run to disk and queues it."""
        self._reset_if_forked()
        state = self._state
        try:
            with state.guard as entered:
                if not entered:
                    state.guard.deferred.append((destination, record))
                    return
                queue = state.accept(destination, record)
                self._workers.ensure()
                # Notify only for the first run and for a full batch: the thread waits for the rest by time.
                if queue.ready_items == 1 or queue.ready_items == queue.batch_items:
                    state.guard.work.notify()
            state.log_buffer.emit()
            if self._shutdown_deadline is not None:
                # The sending threads have stopped.
                self._close(self._shutdown_deadline, patience=0.0)
        except Exception:
            # A failure of delivery must not raise in the application.
            self.count_dropped("error")
            logger.exception("A run could not be queued for delivery and is lost.")

    def flush(self, timeout: float = 10.0, *, destination: Destination | None = None) -> FlushResult:
        """Sends all runs now and waits until the server has them or the timeout has passed."""
        self._reset_if_forked()
        state = self._state
        with state.guard as entered:
            queues = self._lanes(destination)
        # A sending thread, or a thread that holds the guard, would wait for itself.
        if entered and not self._workers.is_current():
            wait_until_flushed(state, self._workers, queues, time.monotonic() + timeout)
        with state.guard as entered:
            for queue in queues:
                if entered and queue.journal is not None:
                    queue.journal.tidy()
            result = _result(state, queues)
        if entered:
            state.log_buffer.emit()
        return result

    def push(self, timeout: float, *, destination: Destination) -> None:
        """Sends the runs that this process queued for a destination, and waits unless the server is unavailable.

        Returns no counts: the next `flush` reports them.
        """
        self._reset_if_forked()
        state = self._state
        with state.guard as entered:
            queues = self._lanes(destination)
        if entered and not self._workers.is_current():
            wait_until_own_sent(state, self._workers, queues, time.monotonic() + timeout)

    def is_pending(self, trace_id: str) -> bool:
        """Whether a run is queued and not acknowledged by the server."""
        self._reset_if_forked()
        with self._state.guard:
            return self._state.is_waiting(trace_id)

    def has_pending(self) -> bool:
        """Whether any run of this process is not acknowledged by the server."""
        self._reset_if_forked()
        with self._state.guard:
            return any(queue.own_waiting for queue in self._state.queues.values())

    def count_dropped(self, reason: str) -> None:
        """Counts a run that was dropped before it was queued."""
        self._reset_if_forked()
        with self._state.guard:
            self._state.lost[reason] += 1

    def count_empty(self) -> None:
        """Counts a run that had nothing to send."""
        self._reset_if_forked()
        with self._state.guard:
            self._state.empty += 1

    def counters(self) -> DeliveryCounters:
        """Totals since the process started."""
        self._reset_if_forked()
        with self._state.guard:
            return self._state.counters()

    def close(self, timeout: float) -> FlushResult:
        """Sends runs until the timeout and leaves the rest on disk. A later `put` opens the outbox again."""
        self._reset_if_forked()
        return self._close(time.monotonic() + timeout, patience=1.0)

    @property
    def exit_timeout(self) -> float:
        """The maximum number of seconds that process exit may be delayed."""
        return self._settings.exit_timeout

    def shutdown(self, deadline: float) -> None:
        """Called at process exit."""
        if os.getpid() == self._pid:
            self._shutdown_deadline = deadline
            self._close(deadline, patience=0.0)

    def _close(self, deadline: float, patience: float) -> FlushResult:
        state = self._state
        with state.guard:
            queues = self._lanes(None)
        wait_until_own_sent(state, self._workers, queues, deadline)
        self._workers.stop(patience)
        with state.guard:
            left_before = sum(queue.left for queue in queues)
            for queue in queues:
                state.hand_over(queue)
            result = _result(state, queues)
            left = sum(queue.left for queue in queues) - left_before
            self._workers.restart()
            state.guard.progress.notify_all()
        state.log_buffer.emit()
        return FlushResult(result.sent, result.pending, left, result.dropped)

    def _reset_if_forked(self) -> None:
        if os.getpid() != self._pid:
            self.after_fork()  # forked by native code, which does not run Python's fork hooks

    def _lanes(self, destination: Destination | None) -> list[DestinationQueue]:
        if destination is not None:
            return [self._state.queue(destination)]
        return list(self._state.queues.values())


def _result(state: State, queues: list[DestinationQueue]) -> FlushResult:
    """The changes since the last result. The caller holds the guard."""
    sent = pending = spooled = 0
    # Runs that were never queued belong to no destination; the next result reports them.
    lost = sum(state.lost.values())
    dropped, state.reported_lost = lost - state.reported_lost, lost
    for queue in queues:
        dropped_now = sum(queue.dropped.values())
        sent += queue.sent - queue.reported_sent
        dropped += dropped_now - queue.reported_dropped
        queue.reported_sent, queue.reported_dropped = queue.sent, dropped_now
        pending += queue.in_memory_only
        spooled += queue.on_disk
    return FlushResult(sent=sent, pending=pending, spooled=spooled, dropped=dropped)
