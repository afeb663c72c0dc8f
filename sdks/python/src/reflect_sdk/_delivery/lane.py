"""The queue of one destination."""

from __future__ import annotations

from collections import Counter, deque

from reflect_sdk._delivery.journal import Journal
from reflect_sdk._delivery.record import Entry, Stage
from reflect_sdk._delivery.settings import DeliverySettings, Destination
from reflect_sdk._delivery.trouble import Trouble, pause_after


class Lane:
    """What waits for one destination, and what became of the rest. Callers hold the guard."""

    def __init__(self, destination: Destination, settings: DeliverySettings, journal: Journal | None) -> None:
        self.destination = destination
        self.journal = journal
        self.trouble = Trouble()
        self._settings = settings
        # Settled entries stay in it until they come to the front.
        self.ready: deque[Entry] = deque()
        # Each of these failed, and waits for its own time.
        self.later: list[Entry] = []
        self._others_first = False
        self.flying: list[Entry] = []
        self.ready_items = 0
        self.ready_bytes = 0
        self.on_disk = 0
        self.in_memory_only = 0
        self.adopted_waiting = 0
        # A thread is sending from this lane.
        self.busy = False
        # Send at once, this once, whatever the pause.
        self.push = False
        # How many threads wait for the queue to be empty. Nothing lingers then.
        self.awaited = 0
        # There may be segments that nobody owns.
        self.sweep = journal is not None
        self.batch_items = settings.batch_items
        self.produced = 0
        self.adopted = 0
        self.sent = 0
        self.damaged = 0
        # On disk, and given over to whichever process comes next.
        self.left = 0
        self.dropped: Counter[str] = Counter()
        self.reported_sent = 0
        self.reported_dropped = 0

    @property
    def waiting(self) -> int:
        """How many runs have neither arrived nor been given up."""
        return self.on_disk + self.in_memory_only

    @property
    def own_waiting(self) -> int:
        """How many of these this process put."""
        return self.waiting - self.adopted_waiting

    def add(self, entry: Entry) -> None:
        """Queues an entry that was just taken over."""
        self.adopted_waiting += entry.adopted
        if entry.segment is None:
            self.in_memory_only += 1
        else:
            self.on_disk += 1
        self._make_ready(entry)
        self.ready.append(entry)

    def due(self, now: float) -> float | None:
        """When there will be something to do; None when there is nothing."""
        at: float | None = None
        full = self.ready_items >= self.batch_items or self.ready_bytes >= self._settings.batch_bytes
        if self.sweep or full or (self.ready_items and self.awaited):
            at = now
        elif self.ready_items:
            self._skip_settled()
            at = self.ready[0].queued_at + self._settings.linger
        for entry in self.later:
            at = entry.not_before if at is None else min(at, entry.not_before)
        if at is None:
            return None
        return now if self.push else max(at, self.trouble.not_before)

    def take(self, now: float) -> list[Entry]:
        """The next batch, which is then on its way.

        Runs that failed before do not share a batch with others, because they may be why it failed.
        """
        due = [entry for entry in self.later if self.push or entry.not_before <= now]
        if due and (self._others_first or not self.ready_items):
            self._others_first = False
            self.flying = due[: self.batch_items]
            for entry in self.flying:
                self.later.remove(entry)
                entry.stage = Stage.FLYING
        else:
            self._others_first = True
            self.flying = self._take_ready()
        return self.flying

    def _take_ready(self) -> list[Entry]:
        batch: list[Entry] = []
        size = 0
        while len(batch) < self.batch_items:
            self._skip_settled()
            if not self.ready or (batch and size + self.ready[0].size > self._settings.batch_bytes):
                break
            entry = self.ready.popleft()
            size += entry.size
            self._unready(entry, Stage.FLYING)
            batch.append(entry)
        return batch

    def give_back(self, entries: list[Entry]) -> None:
        """Puts a batch that did not arrive back in front."""
        back = [entry for entry in entries if entry.stage is Stage.FLYING]
        for entry in back:
            if entry.attempts:
                entry.stage = Stage.LATER
                self.later.append(entry)
            else:
                self._make_ready(entry)
        self.ready.extendleft(entry for entry in reversed(back) if not entry.attempts)

    def postpone(self, entry: Entry, now: float) -> None:
        """Tries one entry again later, without holding up the others."""
        if entry.stage is not Stage.FLYING:
            return
        entry.not_before = now + pause_after(entry.attempts)
        entry.attempts += 1
        entry.stage = Stage.LATER
        self.later.append(entry)

    def settle(self, entry: Entry) -> bool:
        """The entry has arrived or is given up; False when that is not news."""
        if entry.stage is Stage.SETTLED:
            return False
        if entry.stage is Stage.READY:
            self._unready(entry, Stage.SETTLED)
        elif entry.stage is Stage.LATER:
            self.later.remove(entry)
        entry.stage = Stage.SETTLED
        self.adopted_waiting -= entry.adopted
        if entry.segment is None:
            self.in_memory_only -= 1
        else:
            self.on_disk -= 1
        return True

    def entries(self) -> list[Entry]:
        """Everything that waits."""
        candidates = (*self.flying, *self.later, *self.ready)
        return [entry for entry in candidates if entry.stage is not Stage.SETTLED]

    def waiting_entries(self) -> list[Entry]:
        """Everything that waits and is not on its way at this moment."""
        return [entry for entry in self.entries() if entry.stage is not Stage.FLYING]

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
