"""What the rest of the package sees of delivery."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import ClassVar

from reflect_sdk._delivery import leaving
from reflect_sdk._delivery.counters import DeliveryCounters, FlushResult
from reflect_sdk._delivery.lane import Lane
from reflect_sdk._delivery.notices import logger
from reflect_sdk._delivery.post import PostBatch
from reflect_sdk._delivery.record import Record
from reflect_sdk._delivery.sending import Sending
from reflect_sdk._delivery.settings import DeliverySettings, Destination
from reflect_sdk._delivery.state import State
from reflect_sdk._delivery.waiting import until_flushed, until_own_arrived
from reflect_sdk._delivery.worker import Workers


class Outbox:
    """Takes runs over and delivers them in the background.

    `put` writes a run to disk before it returns, so that it outlives the process however that ends.
    It never waits for the network and never raises.
    """

    _shared: ClassVar[dict[tuple[DeliverySettings, PostBatch], Outbox]] = {}

    def __init__(self, settings: DeliverySettings, post: PostBatch) -> None:
        self._settings = settings
        self._post = post
        self._root = settings.spool_root()
        self.on_accepted: list[Callable[[Destination], None]] = []
        """Called in the sending thread after the server took runs of a destination."""
        self.periodic: list[Callable[[], None]] = []
        """Called in a sending thread about once a minute."""
        self._begin()
        leaving.register(self)

    @classmethod
    def shared(cls, settings: DeliverySettings, post: PostBatch) -> Outbox:
        """The outbox of this process. There is one, unless clients differ in settings or in how they send."""
        key = (settings, post)
        found = cls._shared.get(key)
        if found is None:
            # Two threads may get here at once; the dictionary decides whose is used.
            found = cls._shared.setdefault(key, cls(settings, post))
        return found

    def _begin(self) -> None:
        """A new state: nothing waits, no thread runs, every lock is free."""
        self._pid = os.getpid()
        self._state = State(self._settings, self._root)
        self._sending = Sending(self._state, self._post, self.on_accepted)
        self._workers = Workers(self._state, self._sending, self.periodic)
        # Set once the process is ending: until when it may be held up.
        self._end_by: float | None = None

    def after_fork(self) -> None:
        """In a forked child: what waits belongs to the parent, and so do its files."""
        parent = self._state
        self._begin()
        for lane in list(parent.lanes.values()):
            if lane.journal is not None:
                lane.journal.disown()

    def put(self, destination: Destination, record: Record) -> None:
        """Takes a run over: to disk and into the queue."""
        self._look_for_fork()
        state = self._state
        try:
            with state.guard as entered:
                if not entered:
                    state.guard.late.append((destination, record))
                    return
                lane = state.take_in(destination, record)
                self._workers.ensure()
                # A thread that already waits for this lane need not be told of every run.
                if lane.ready_items == 1 or lane.ready_items == lane.batch_items:
                    state.guard.work.notify()
            state.notices.emit()
            if self._end_by is not None:
                # No thread will come round to it any more.
                self._close(self._end_by, patience=0.0)
        except Exception:
            # A run that cannot be delivered must not fail the application that did it.
            self.count_dropped("error")
            logger.exception("A run could not be taken over for delivery and is lost.")

    def flush(self, timeout: float = 10.0, *, destination: Destination | None = None) -> FlushResult:
        """Sends everything now and waits until the server has it, or the time is up."""
        self._look_for_fork()
        state = self._state
        with state.guard as entered:
            lanes = self._lanes(destination)
        # A sending thread, or one that is inside a change, would wait for itself.
        if entered and not self._workers.is_current():
            until_flushed(state, self._workers, lanes, time.monotonic() + timeout)
        with state.guard as entered:
            for lane in lanes:
                if entered and lane.journal is not None:
                    lane.journal.tidy()
            result = _result(state, lanes)
        if entered:
            state.notices.emit()
        return result

    def push(self, timeout: float, *, destination: Destination) -> None:
        """Sends what this process put for a destination, and waits for it as long as there is hope.

        Nothing is told about it: what was sent and dropped is left to the next `flush`.
        """
        self._look_for_fork()
        state = self._state
        with state.guard as entered:
            lanes = self._lanes(destination)
        if entered and not self._workers.is_current():
            until_own_arrived(state, self._workers, lanes, time.monotonic() + timeout)

    def is_pending(self, trace_id: str) -> bool:
        """Whether a run is here and not acknowledged by the server."""
        self._look_for_fork()
        with self._state.guard:
            return self._state.is_waiting(trace_id)

    def has_pending(self) -> bool:
        """Whether any run that was put here is not acknowledged by the server."""
        self._look_for_fork()
        with self._state.guard:
            return any(lane.own_waiting for lane in self._state.lanes.values())

    def count_dropped(self, reason: str) -> None:
        """Counts a run that could not be handed over."""
        self._look_for_fork()
        with self._state.guard:
            self._state.lost[reason] += 1

    def count_empty(self) -> None:
        """Counts a run of which there was nothing to send."""
        self._look_for_fork()
        with self._state.guard:
            self._state.empty += 1

    def counters(self) -> DeliveryCounters:
        """Totals since the process started."""
        self._look_for_fork()
        with self._state.guard:
            return self._state.counters()

    def close(self, timeout: float) -> FlushResult:
        """Sends what can be sent in that time and leaves the rest on disk. A later `put` opens it again."""
        self._look_for_fork()
        return self._close(time.monotonic() + timeout, patience=1.0)

    @property
    def exit_timeout(self) -> float:
        """How many seconds the end of the process may be held up."""
        return self._settings.exit_timeout

    def end(self, deadline: float) -> None:
        """The process is about to end."""
        if os.getpid() == self._pid:
            self._end_by = deadline
            self._close(deadline, patience=0.0)

    def _close(self, deadline: float, patience: float) -> FlushResult:
        state = self._state
        with state.guard:
            lanes = self._lanes(None)
        until_own_arrived(state, self._workers, lanes, deadline)
        self._workers.stop(patience)
        with state.guard:
            left_before = sum(lane.left for lane in lanes)
            for lane in lanes:
                state.leave(lane)
            result = _result(state, lanes)
            left = sum(lane.left for lane in lanes) - left_before
            self._workers.restart()
            state.guard.news.notify_all()
        state.notices.emit()
        return FlushResult(result.sent, result.pending, left, result.dropped)

    def _look_for_fork(self) -> None:
        if os.getpid() != self._pid:
            self.after_fork()  # forked by something that Python does not know of

    def _lanes(self, destination: Destination | None) -> list[Lane]:
        if destination is not None:
            return [self._state.lane(destination)]
        return list(self._state.lanes.values())


def _result(state: State, lanes: list[Lane]) -> FlushResult:
    """What happened since the last result. The caller holds the guard."""
    sent = pending = spooled = 0
    # What could not be handed over belongs to no lane, and is told to whoever asks first.
    lost = sum(state.lost.values())
    dropped, state.reported_lost = lost - state.reported_lost, lost
    for lane in lanes:
        dropped_now = sum(lane.dropped.values())
        sent += lane.sent - lane.reported_sent
        dropped += dropped_now - lane.reported_dropped
        lane.reported_sent, lane.reported_dropped = lane.sent, dropped_now
        pending += lane.in_memory_only
        spooled += lane.on_disk
    return FlushResult(sent=sent, pending=pending, spooled=spooled, dropped=dropped)
