"""Limits the memory of the queue: which bodies stay in memory and which are evicted."""

from __future__ import annotations

from collections import deque

from reflect_sdk._delivery.record import Entry, Stage


class MemoryBuffer:
    """Limits the bytes and the number of bodies in memory. Callers hold the guard."""

    def __init__(self, max_items: int, max_bytes: int) -> None:
        self._max_items = max_items
        self._max_bytes = max_bytes
        self._items = 0
        self._bytes = 0
        # Each in arrival order. Entries that were released are skipped later.
        self._on_disk: deque[Entry] = deque()
        self._plain: deque[Entry] = deque()
        self._reviewed: deque[Entry] = deque()

    def add(self, entry: Entry, body: bytes) -> list[Entry]:
        """Keeps a body if possible; returns the entries that must be dropped for it."""
        if entry.segment is not None:
            if self._fits(len(body)):
                self._store(entry, body)
                self._on_disk.append(entry)
                self._trim(self._on_disk)
            return []
        if entry.size > self._max_bytes:
            return [entry]  # it does not fit even into an empty buffer
        self._store(entry, body)
        (self._reviewed if entry.reviewed else self._plain).append(entry)
        self._trim(self._plain)
        self._trim(self._reviewed)
        dropped: list[Entry] = []
        while not self._fits(0):
            if self._evict_spooled():
                continue
            victim = self._oldest(self._plain) or self._oldest(self._reviewed)
            if victim is None:
                break
            self.release(victim)
            dropped.append(victim)
        return dropped

    def release(self, entry: Entry) -> None:
        """Frees the memory of an entry."""
        if entry.buffered:
            entry.buffered = False
            self._items -= 1
            self._bytes -= entry.size
        entry.body = None

    def _fits(self, size: int) -> bool:
        return self._bytes + size <= self._max_bytes and self._items + (size > 0) <= self._max_items

    def _store(self, entry: Entry, body: bytes) -> None:
        entry.body = body
        entry.buffered = True
        self._items += 1
        self._bytes += entry.size

    def _evict_spooled(self) -> bool:
        """Frees the body of the newest entry that is also on disk, because it is sent last."""
        while self._on_disk:
            entry = self._on_disk.pop()
            if entry.buffered and entry.stage in (Stage.READY, Stage.RETRY):
                self.release(entry)
                return True
        return False

    def _oldest(self, entries: deque[Entry]) -> Entry | None:
        in_flight: list[Entry] = []
        found: Entry | None = None
        while entries and found is None:
            entry = entries.popleft()
            if entry.stage is Stage.IN_FLIGHT:
                in_flight.append(entry)
            elif entry.buffered:
                found = entry
        entries.extendleft(reversed(in_flight))
        return found

    def _trim(self, entries: deque[Entry]) -> None:
        """Removes released entries, which bounds the size of the deque."""
        while entries and not entries[0].buffered:
            entries.popleft()
        if len(entries) > 2 * self._max_items:
            kept = [entry for entry in entries if entry.buffered]
            entries.clear()
            entries.extend(kept)
