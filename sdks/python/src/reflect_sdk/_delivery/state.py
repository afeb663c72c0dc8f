"""Everything an outbox knows: lanes, memory, spool, counters. Callers hold the guard."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from reflect_sdk._delivery.counters import DeliveryCounters
from reflect_sdk._delivery.folder import Budget
from reflect_sdk._delivery.guard import Guard
from reflect_sdk._delivery.journal import Journal
from reflect_sdk._delivery.lane import Lane
from reflect_sdk._delivery.memory import Memory
from reflect_sdk._delivery.notices import Notices
from reflect_sdk._delivery.record import Entry, Record
from reflect_sdk._delivery.settings import DeliverySettings, Destination


class State:
    """What one process has to deliver. A forked child starts with a new one."""

    def __init__(self, settings: DeliverySettings, root: Path | None) -> None:
        self.settings = settings
        self.guard: Guard[tuple[Destination, Record]] = Guard(self.take_in_late)
        self.notices = Notices()
        self.memory = Memory(settings.max_items, settings.max_bytes)
        self.budget = Budget(root, settings.spool_bytes) if root is not None else None
        self.lanes: dict[Destination, Lane] = {}
        # Runs in segments of other destinations, or of nobody, that were too old.
        self.stale = 0
        # Runs that the client could not hand over.
        self.lost: Counter[str] = Counter()
        self.reported_lost = 0
        self.empty = 0
        self._ids: Counter[str] = Counter()

    def lane(self, destination: Destination) -> Lane:
        """The lane of a destination."""
        found = self.lanes.get(destination)
        if found is None:
            journal = None
            if self.budget is not None:
                journal = Journal(destination.folder_name, self.budget)
            found = self.lanes[destination] = Lane(destination, self.settings, journal)
        return found

    def take_in_late(self, late: tuple[Destination, Record]) -> None:
        """Takes in what was put while this thread was inside the guard."""
        self.take_in(*late)
        self.guard.work.notify()

    def take_in(self, destination: Destination, record: Record) -> Lane:
        """Takes a run over: to disk first, then into the queue."""
        lane = self.lane(destination)
        entry = Entry(
            lane,
            record.trace_id,
            size=len(record.body),
            reviewed=record.reviewed,
            written_ms=time.time_ns() // 1_000_000,
            queued_at=time.monotonic(),
        )
        if lane.journal is not None and not lane.journal.append(entry, record):
            self._complain(lane.journal)
        lane.produced += 1
        lane.add(entry)
        self._ids[entry.trace_id] += 1
        given_up = self.memory.keep(entry, record.body)
        if given_up:
            self.drop(given_up, "full", "the queue is full and cannot be kept on disk")
        return lane

    def adopt(self, entry: Entry) -> None:
        """Queues a run that an earlier process left on disk."""
        entry.adopted = True
        entry.lane.adopted += 1
        entry.lane.add(entry)
        self._ids[entry.trace_id] += 1

    def arrived(self, entries: Iterable[Entry]) -> None:
        """The server has these."""
        for lane, settled in self._settle(entries).items():
            lane.sent += len(settled)

    def drop(self, entries: Iterable[Entry], reason: str, why: str, level: int = logging.WARNING) -> None:
        """These are given up."""
        for lane, settled in self._settle(entries).items():
            lane.dropped[reason] += len(settled)
            text = f"{len(settled)} run(s) for {lane.destination} were dropped: {why}"
            self.notices.say_rarely(f"drop {reason} {lane.destination}", level, text, len(settled))

    def leave(self, lane: Lane) -> None:
        """Gives what is on disk over to the next process, and what is not up."""
        journal = lane.journal
        for entry in lane.entries():
            if entry.segment is None and journal is not None and entry.body is not None:
                # The disk may have room again by now.
                record = Record(entry.trace_id, entry.body, entry.reviewed)
                if journal.append(entry, record):
                    lane.in_memory_only -= 1
                    lane.on_disk += 1
        waiting = lane.entries()
        kept = [entry for entry in waiting if entry.segment is not None]
        self.drop(
            [entry for entry in waiting if entry.segment is None],
            "exit",
            "they could not be sent before the end and there was no disk to keep them on",
        )
        for entry in kept:
            if lane.settle(entry):
                self._forget(entry)
                lane.left += 1
        if kept and journal is not None:
            self.notices.say(
                logging.INFO,
                f"{len(kept)} run(s) for {lane.destination} were not sent yet and wait in {journal.folder}; "
                "the next process that uses this server and project sends them",
            )
        if journal is not None:
            journal.release()
        lane.sweep = journal is not None

    def is_waiting(self, trace_id: str) -> bool:
        """Whether a run is here and not acknowledged."""
        return self._ids[trace_id] > 0

    def counters(self) -> DeliveryCounters:
        """Totals over all lanes."""
        lanes = list(self.lanes.values())
        dropped = Counter(self.lost)
        for lane in lanes:
            dropped.update(lane.dropped)
        if self.stale:
            dropped["expired"] += self.stale
        return DeliveryCounters(
            produced=sum(lane.produced for lane in lanes) + sum(self.lost.values()),
            adopted=sum(lane.adopted for lane in lanes) + self.stale,
            sent=sum(lane.sent for lane in lanes),
            pending=sum(lane.in_memory_only for lane in lanes),
            spooled=sum(lane.on_disk + lane.left for lane in lanes),
            dropped=dict(dropped),
            damaged=sum(lane.damaged for lane in lanes),
            empty=self.empty,
        )

    def _settle(self, entries: Iterable[Entry]) -> dict[Lane, list[Entry]]:
        by_lane: dict[Lane, list[Entry]] = {}
        for entry in entries:
            if entry.lane.settle(entry):
                self._forget(entry)
                by_lane.setdefault(entry.lane, []).append(entry)
        for lane, settled in by_lane.items():
            if lane.journal is not None:
                lane.journal.settle(settled)
        return by_lane

    def _forget(self, entry: Entry) -> None:
        self.memory.forget(entry)
        left = self._ids[entry.trace_id] - 1
        if left > 0:
            self._ids[entry.trace_id] = left
        else:
            del self._ids[entry.trace_id]

    def _complain(self, journal: Journal) -> None:
        if journal.problem is not None:
            self.notices.say_rarely(
                f"journal {journal.folder}",
                logging.WARNING,
                f"Runs cannot be kept on disk in {journal.folder} and are in memory only: {journal.problem}. "
                "Free some space, or name another folder in REFLECT_SPOOL_DIR.",
            )
