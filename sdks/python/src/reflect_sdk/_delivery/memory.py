"""How much of the queue is kept in memory, and what gives way when it is full."""

from __future__ import annotations

from collections import deque

from reflect_sdk._delivery.record import Entry, Stage


class Memory:
    """Bounds the bytes and the number of bodies in memory. Callers hold the guard."""

    def __init__(self, max_items: int, max_bytes: int) -> None:
        self._max_items = max_items
        self._max_bytes = max_bytes
        self._items = 0
        self._bytes = 0
        # Each in the order of arrival. Entries that no longer belong there are skipped when met.
        self._on_disk: deque[Entry] = deque()
        self._plain: deque[Entry] = deque()
        self._reviewed: deque[Entry] = deque()

    def keep(self, entry: Entry, body: bytes) -> list[Entry]:
        """Keeps a body if that is possible; returns the entries that have to be dropped for it."""
        if entry.segment is not None:
            if self._fits(len(body)):
                self._add(entry, body)
                self._on_disk.append(entry)
                self._trim(self._on_disk)
            return []
        if entry.size > self._max_bytes:
            return [entry]  # emptying everything would not help
        self._add(entry, body)
        (self._reviewed if entry.reviewed else self._plain).append(entry)
        self._trim(self._plain)
        self._trim(self._reviewed)
        given_up: list[Entry] = []
        while not self._fits(0):
            if self._cool():
                continue
            victim = self._oldest(self._plain) or self._oldest(self._reviewed)
            if victim is None:
                break
            self.forget(victim)
            given_up.append(victim)
        return given_up

    def forget(self, entry: Entry) -> None:
        """Frees what an entry takes."""
        if entry.kept:
            entry.kept = False
            self._items -= 1
            self._bytes -= entry.size
        entry.body = None

    def _fits(self, size: int) -> bool:
        return self._bytes + size <= self._max_bytes and self._items + (size > 0) <= self._max_items

    def _add(self, entry: Entry, body: bytes) -> None:
        entry.body = body
        entry.kept = True
        self._items += 1
        self._bytes += entry.size

    def _cool(self) -> bool:
        """Frees the body of the newest entry that is also on disk, because it is needed last."""
        while self._on_disk:
            entry = self._on_disk.pop()
            if entry.kept and entry.stage in (Stage.READY, Stage.LATER):
                self.forget(entry)
                return True
        return False

    def _oldest(self, line: deque[Entry]) -> Entry | None:
        flying: list[Entry] = []
        found: Entry | None = None
        while line and found is None:
            entry = line.popleft()
            if entry.stage is Stage.FLYING:
                flying.append(entry)
            elif entry.kept:
                found = entry
        line.extendleft(reversed(flying))
        return found

    def _trim(self, line: deque[Entry]) -> None:
        """Forgets entries that have arrived, so that no line grows for ever."""
        while line and not line[0].kept:
            line.popleft()
        if len(line) > 2 * self._max_items:
            kept = [entry for entry in line if entry.kept]
            line.clear()
            line.extend(kept)
