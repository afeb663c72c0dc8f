"""The queue of one destination."""

from __future__ import annotations

from collections import Counter, deque

from reflect_sdk._delivery.backoff import Backoff, pause_after
from reflect_sdk._delivery.journal import Journal
from reflect_sdk._delivery.record import Entry, Stage
from reflect_sdk._delivery.settings import DeliverySettings, Destination


class DestinationQueue:
    """The pending entries of one destination, and its counters. Callers hold the guard."""

    def __init__(self, destination: Destination, settings: DeliverySettings, journal: Journal | None) -> None:
        self.destination = destination
        self.journal = journal
        self.backoff = Backoff()
        self._settings = settings
        # Settled entries stay in it until they reach the front.
        self.ready: deque[Entry] = deque()
        # Entries that failed; each has its own retry time.
        self.retrying: list[Entry] = []
        self._others_first = False
        self.in_flight: list[Entry] = []
        self.ready_items = 0
        self.ready_bytes = 0
        self.on_disk = 0
        self.in_memory_only = 0
        self.adopted_waiting = 0
        # A thread is sending from this queue.
        self.busy = False
        # Send immediately once, regardless of the pause.
        self.push = False
        # The number of threads that wait for the queue to drain. Batches do not linger then.
        self.waiters = 0
        # There may be segments without an owner.
        self.sweep = journal is not None
        self.batch_items = settings.batch_items
        self.produced = 0
        self.adopted = 0
        self.sent = 0
        self.damaged = 0
        # On disk, left for the next process.
        self.left = 0
        self.dropped: Counter[str] = Counter()
        self.reported_sent = 0
        self.reported_dropped = 0

    @property
    def waiting(self) -> int:
        """The number of runs that are neither sent nor dropped."""
        return self.on_disk + self.in_memory_only

    @property
    def own_waiting(self) -> int:
        """The number of these that this process queued."""
        return self.waiting - self.adopted_waiting

    def add(self, entry: Entry) -> None:
        """Queues a new entry."""
        self.adopted_waiting += entry.adopted
        if entry.segment is None:
            self.in_memory_only += 1
        else:
            self.on_disk += 1
        self._make_ready(entry)
        self.ready.append(entry)

    def due(self, now: float) -> float | None:
        """The time of the next work; None if there is none."""
        at: float | None = None
        full = self.ready_items >= self.batch_items or self.ready_bytes >= self._settings.batch_bytes
        if self.sweep or full or (self.ready_items and self.waiters):
            at = now
        elif self.ready_items:
            self._skip_settled()
            at = self.ready[0].queued_at + self._settings.linger
        for entry in self.retrying:
            at = entry.not_before if at is None else min(at, entry.not_before)
        if at is None:
            return None
        return now if self.push else max(at, self.backoff.not_before)

    def take(self, now: float) -> list[Entry]:
        """Takes the next batch and marks it as in flight.

        Runs that failed before get their own batch, because they may be the cause of the failure.
        """
        due = [entry for entry in self.retrying if self.push or entry.not_before <= now]
        if due and (self._others_first or not self.ready_items):
            self._others_first = False
            self.in_flight = due[: self.batch_items]
            for entry in self.in_flight:
                self.retrying.remove(entry)
                entry.stage = Stage.IN_FLIGHT
        else:
            self._others_first = True
            self.in_flight = self._take_ready()
        return self.in_flight

    def _take_ready(self) -> list[Entry]:
        batch: list[Entry] = []
        size = 0
        while len(batch) < self.batch_items:
            self._skip_settled()
            if not self.ready or (batch and size + self.ready[0].size > self._settings.batch_bytes):
                break
            entry = self.ready.popleft()
            size += entry.size
            self._unready(entry, Stage.IN_FLIGHT)
            batch.append(entry)
        return batch

    def give_back(self, entries: list[Entry]) -> None:
        """Puts a batch that was not sent back to the front."""
        back = [entry for entry in entries if entry.stage is Stage.IN_FLIGHT]
        for entry in back:
            if entry.attempts:
                entry.stage = Stage.RETRY
                self.retrying.append(entry)
            else:
                self._make_ready(entry)
        self.ready.extendleft(entry for entry in reversed(back) if not entry.attempts)

    def postpone(self, entry: Entry, now: float, at_least: float = 0.0) -> None:
        """Schedules a retry of one entry, after `at_least` seconds, without delaying the others."""
        if entry.stage is not Stage.IN_FLIGHT:
            return
        entry.not_before = now + max(at_least, pause_after(entry.attempts))
        entry.attempts += 1
        entry.stage = Stage.RETRY
        self.retrying.append(entry)

    def settle(self, entry: Entry) -> bool:
        """Marks an entry as sent or dropped; False if it was already settled."""
        if entry.stage is Stage.SETTLED:
            return False
        if entry.stage is Stage.READY:
            self._unready(entry, Stage.SETTLED)
        elif entry.stage is Stage.RETRY:
            self.retrying.remove(entry)
        entry.stage = Stage.SETTLED
        self.adopted_waiting -= entry.adopted
        if entry.segment is None:
            self.in_memory_only -= 1
        else:
            self.on_disk -= 1
        return True

    def entries(self) -> list[Entry]:
        """All pending entries."""
        candidates = (*self.in_flight, *self.retrying, *self.ready)
        return [entry for entry in candidates if entry.stage is not Stage.SETTLED]

    def waiting_entries(self) -> list[Entry]:
        """All pending entries that are not in flight."""
        return [entry for entry in self.entries() if entry.stage is not Stage.IN_FLIGHT]

    def _make_ready(self, entry: Entry) -> None:
        entry.stage = Stage.READY
        self.ready_items += 1
        self.ready_bytes += entry.size

    def _unready(self, entry: Entry, stage: Stage) -> None:
        entry.stage = stage
        self.ready_items -= 1
        self.ready_bytes -= entry.size

    def _skip_settled(self) -> None:
        while self.ready and self.ready[0].stage is Stage.SETTLED:
            self.ready.popleft()
