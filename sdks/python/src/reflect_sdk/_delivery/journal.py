"""The segments of one destination that this process owns."""

from __future__ import annotations

import errno
import time
from collections.abc import Iterable
from pathlib import Path

from reflect_sdk._delivery import frames
from reflect_sdk._delivery.folder import Budget, make_folder, name_destination, segments_in, waiting_records
from reflect_sdk._delivery.record import Entry, Record
from reflect_sdk._delivery.segment import Segment
from reflect_sdk._delivery.settings import Destination

SEGMENT_BYTES = 8 * 1024 * 1024
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
# A full disk may soon have space again; an unusable folder usually stays unusable.
_FULL_PAUSE = 1.0
_UNUSABLE_PAUSE = 60.0


class Journal:
    """Appends records to disk, reads them back, and removes segments that are completely sent.

    Callers hold the outbox's guard, except for `adopt_next` and reading back. Those run at most once at a
    time per destination.
    """

    def __init__(self, destination: Destination, budget: Budget) -> None:
        self._destination = destination
        self._name = destination.folder_name
        self._budget = budget
        self._current: Segment | None = None
        self._others: list[Segment] = []
        self._paused_until = 0.0
        self.problem: OSError | None = None
        self.skipped: set[Path] = set()

    @property
    def folder(self) -> Path:
        """The folder of the segments."""
        return self._budget.root / self._name

    def append(self, entry: Entry, record: Record) -> bool:
        """Writes the record to disk. Returns False if that fails; `problem` then has the reason."""
        if self._paused_until and time.monotonic() < self._paused_until:
            return False
        head = frames.record_head(record.trace_id, record.body, reviewed=record.reviewed, written_ms=entry.written_ms)
        length = len(head) + len(record.body)
        if not self._budget.has_room(length):
            self.problem = OSError(errno.ENOSPC, "the spool has reached its limit spool_bytes")
            return False
        try:
            segment, entry.offset = self._write(head, record.body)
        except OSError as problem:
            self.problem = problem
            pause = _FULL_PAUSE if problem.errno in _FULL else _UNUSABLE_PAUSE
            self._paused_until = time.monotonic() + pause
            return False
        self._paused_until = 0.0
        segment.waiting += 1
        segment.newest_ms = entry.written_ms
        entry.segment = segment
        entry.length = length
        self._budget.add(length)
        return True

    def _write(self, head: bytes, body: bytes) -> tuple[Segment, int]:
        length = len(head) + len(body)
        segment = self._writable(length)
        try:
            return segment, segment.append(head, body)
        except OSError as problem:
            if problem.errno != errno.EFBIG or not segment.waiting:
                raise
            # This file has reached the maximum file size; a new one may work.
            self._others.append(segment)
            self._current = None
        segment = self._writable(length)
        return segment, segment.append(head, body)

    def _writable(self, size: int) -> Segment:
        current = self._current
        if current is not None and current.waiting and current.size + size > SEGMENT_BYTES:
            self._others.append(current)
            current = self._current = None
        if current is None:
            folder = make_folder(self._budget.root, self._name)
            name_destination(folder, self._destination)
            current = self._current = Segment.create(folder)
            self._budget.add(current.size)
        return current

    def settle(self, entries: Iterable[Entry]) -> None:
        """Removes entries that were sent or dropped."""
        touched: dict[Segment, list[int]] = {}
        for entry in entries:
            segment = entry.segment
            if segment is not None and not segment.closed:
                segment.waiting -= 1
                touched.setdefault(segment, []).append(entry.offset)
        for segment, offsets in touched.items():
            if segment.waiting:
                self._budget.add(segment.acknowledge(offsets))
            elif segment is self._current:
                self._empty(segment)
            else:
                self._others.remove(segment)
                self._budget.add(-segment.size)
                segment.remove()

    def _empty(self, segment: Segment) -> None:
        """Reuses the open segment: creating a new one would slow down the next `put`."""
        size = segment.size
        try:
            segment.empty()
        except OSError:
            self._current = None
            segment.remove()
        self._budget.add((0 if segment.closed else segment.size) - size)

    def adopt_next(self) -> tuple[Segment, list[frames.RecordFrame], list[frames.Damage]] | None:
        """Adopts the oldest segment without an owner; None if there is none."""
        owned = {segment.path for segment in self._segments()} | self.skipped
        for path in segments_in(self.folder):
            if path in owned:
                continue
            segment = Segment.adopt(path)
            if segment is None:
                continue
            try:
                data = segment.read_all()
            except OSError:
                segment.release()
                self.skipped.add(path)
                continue
            if frames.is_of_another_version(data):
                segment.release()
                self.skipped.add(path)
                continue
            return (segment, *waiting_records(data))
        return None

    def take_ownership(self, segment: Segment) -> None:
        """Keeps an adopted segment until all of it is sent."""
        if segment.waiting:
            self._others.append(segment)
        else:
            self._budget.add(-segment.size)
            segment.remove()

    def tidy(self) -> None:
        """Closes the current segment if it is empty or its file was deleted."""
        current = self._current
        if current is None:
            return
        if not current.waiting:
            self._current = None
            self._budget.add(-current.size)
            current.remove()
        elif not current.on_disk():
            # Its content can still be read, but new records must go to a file that a later process can find.
            self._current = None
            self._others.append(current)

    def release(self) -> None:
        """Releases all segments for the next process."""
        for segment in self._segments():
            if segment.waiting:
                segment.release()
            else:
                self._budget.add(-segment.size)
                segment.remove()
        self._current = None
        self._others = []

    def disown(self) -> None:
        """In a forked child: closes the parent's files without changing them."""
        for segment in self._segments():
            try:
                segment.release()
            except OSError:
                segment.closed = True
        self._current = None
        self._others = []

    def _segments(self) -> list[Segment]:
        return [*self._others, *([self._current] if self._current is not None else [])]
