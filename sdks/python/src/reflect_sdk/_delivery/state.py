"""The state of an outbox: queues, memory, spool, counters. Callers hold the guard."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from reflect_sdk._delivery.counters import DeliveryCounters
from reflect_sdk._delivery.destination_queue import DestinationQueue
from reflect_sdk._delivery.folder import Budget
from reflect_sdk._delivery.guard import Guard
from reflect_sdk._delivery.journal import Journal
from reflect_sdk._delivery.log_buffer import LogBuffer
from reflect_sdk._delivery.memory_buffer import MemoryBuffer
from reflect_sdk._delivery.record import Entry, Record
from reflect_sdk._delivery.settings import DeliverySettings, Destination


class State:
    """The pending runs of one process. A forked child creates a new state."""

    def __init__(self, settings: DeliverySettings, root: Path | None) -> None:
        self.settings = settings
        self.guard: Guard[tuple[Destination, Record]] = Guard(self.accept_deferred)
        self.log_buffer = LogBuffer()
        self.buffer = MemoryBuffer(settings.max_items, settings.max_bytes)
        self.budget = Budget(root, settings.spool_bytes) if root is not None else None
        self.queues: dict[Destination, DestinationQueue] = {}
        # Expired runs in segments of other destinations.
        self.stale = 0
        # Runs that were dropped before they were queued.
        self.lost: Counter[str] = Counter()
        self.reported_lost = 0
        self.empty = 0
        self._ids: Counter[str] = Counter()

    def queue(self, destination: Destination) -> DestinationQueue:
        """The queue of a destination."""
        found = self.queues.get(destination)
        if found is None:
            journal = None
            if self.budget is not None:
                journal = Journal(destination, self.budget)
            found = self.queues[destination] = DestinationQueue(destination, self.settings, journal)
        return found

    def accept_deferred(self, late: tuple[Destination, Record]) -> None:
        """Accepts a run that was queued while this thread held the guard."""
        self.accept(*late)
        self.guard.work.notify()

    def accept(self, destination: Destination, record: Record) -> DestinationQueue:
        """Writes a run to disk, then queues it."""
        queue = self.queue(destination)
        entry = Entry(
            queue,
            record.trace_id,
            size=len(record.body),
            reviewed=record.reviewed,
            written_ms=time.time_ns() // 1_000_000,
            queued_at=time.monotonic(),
        )
        if queue.journal is not None and not queue.journal.append(entry, record):
            self._warn_spool_unavailable(queue.journal)
        queue.produced += 1
        queue.add(entry)
        self._ids[entry.trace_id] += 1
        dropped = self.buffer.add(entry, record.body)
        if dropped:
            self.drop(dropped, "full", "the queue is full and the spool is not available")
        return queue

    def adopt(self, entry: Entry) -> None:
        """Queues a run that an earlier process left on disk."""
        entry.adopted = True
        entry.queue.adopted += 1
        entry.queue.add(entry)
        self._ids[entry.trace_id] += 1

    def mark_sent(self, entries: Iterable[Entry]) -> None:
        """Marks entries as sent."""
        for queue, settled in self._settle(entries).items():
            queue.sent += len(settled)

    def drop(self, entries: Iterable[Entry], reason: str, why: str, level: int = logging.WARNING) -> None:
        """Drops entries and logs the reason."""
        for queue, settled in self._settle(entries).items():
            queue.dropped[reason] += len(settled)
            text = f"{len(settled)} run(s) for {queue.destination} were dropped: {why}"
            self.log_buffer.add_rate_limited(f"drop {reason} {queue.destination}", level, text, len(settled))

    def hand_over(self, queue: DestinationQueue) -> None:
        """Leaves entries on disk to the next process, and drops entries that are only in memory."""
        journal = queue.journal
        for entry in queue.entries():
            if entry.segment is None and journal is not None and entry.body is not None:
                # The disk may have space again.
                record = Record(entry.trace_id, entry.body, entry.reviewed)
                if journal.append(entry, record):
                    queue.in_memory_only -= 1
                    queue.on_disk += 1
        waiting = queue.entries()
        kept = [entry for entry in waiting if entry.segment is not None]
        self.drop(
            [entry for entry in waiting if entry.segment is None],
            "exit",
            "they could not be sent before the process ended, and the spool is not available",
        )
        for entry in kept:
            if queue.settle(entry):
                self._untrack(entry)
                queue.left += 1
        if kept and journal is not None:
            self.log_buffer.add(
                logging.INFO,
                f"{len(kept)} run(s) for {queue.destination} are not sent yet and are stored in {journal.folder}; "
                "the next process that uses this server and project sends them",
            )
        if journal is not None:
            journal.release()
        queue.sweep = journal is not None

    def is_waiting(self, trace_id: str) -> bool:
        """Whether a run is queued and not acknowledged."""
        return self._ids[trace_id] > 0

    def counters(self) -> DeliveryCounters:
        """The totals over all queues."""
        queues = list(self.queues.values())
        dropped = Counter(self.lost)
        for queue in queues:
            dropped.update(queue.dropped)
        if self.stale:
            dropped["expired"] += self.stale
        return DeliveryCounters(
            produced=sum(queue.produced for queue in queues) + sum(self.lost.values()),
            adopted=sum(queue.adopted for queue in queues) + self.stale,
            sent=sum(queue.sent for queue in queues),
            pending=sum(queue.in_memory_only for queue in queues),
            spooled=sum(queue.on_disk + queue.left for queue in queues),
            dropped=dict(dropped),
            damaged=sum(queue.damaged for queue in queues),
            empty=self.empty,
        )

    def _settle(self, entries: Iterable[Entry]) -> dict[DestinationQueue, list[Entry]]:
        by_queue: dict[DestinationQueue, list[Entry]] = {}
        for entry in entries:
            if entry.queue.settle(entry):
                self._untrack(entry)
                by_queue.setdefault(entry.queue, []).append(entry)
        for queue, settled in by_queue.items():
            if queue.journal is not None:
                queue.journal.settle(settled)
        return by_queue

    def _untrack(self, entry: Entry) -> None:
        self.buffer.release(entry)
        left = self._ids[entry.trace_id] - 1
        if left > 0:
            self._ids[entry.trace_id] = left
        else:
            del self._ids[entry.trace_id]

    def _warn_spool_unavailable(self, journal: Journal) -> None:
        if journal.problem is not None:
            self.log_buffer.add_rate_limited(
                f"journal {journal.folder}",
                logging.WARNING,
                f"Runs cannot be stored on disk in {journal.folder} and are in memory only: {journal.problem}. "
                "Free disk space, or set REFLECT_SPOOL_DIR to another folder.",
            )
