"""One turn of a lane: adopt what others left, take a batch, send it, settle it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from reflect_sdk._delivery.answers import Fate, Reading, read
from reflect_sdk._delivery.lane import Lane
from reflect_sdk._delivery.notices import logger
from reflect_sdk._delivery.post import DeliveryUnreachable, PostBatch
from reflect_sdk._delivery.record import Entry
from reflect_sdk._delivery.settings import Destination
from reflect_sdk._delivery.state import State
from reflect_sdk._delivery.trouble import Health

_DAY_MS = 24 * 3600 * 1000


class Sending:
    """Serves lanes, one batch at a time. Called without the guard, by one thread per lane."""

    def __init__(self, state: State, post: PostBatch, on_accepted: list[Callable[[Destination], None]]) -> None:
        self._state = state
        self._post = post
        self._on_accepted = on_accepted

    def serve(self, lane: Lane) -> None:
        """One turn of a lane that the caller marked busy; it is free again afterwards."""
        state = self._state
        accepted = False
        try:
            if lane.sweep and lane.ready_items < lane.batch_items:
                self._adopt(lane)
            with state.guard:
                now = time.monotonic()
                due = lane.due(now)
                batch = lane.take(now) if due is not None and due <= now else []
                lane.push = False
            if batch:
                accepted = self._send(lane, batch)
        except Exception as problem:
            # A mistake of ours must not end delivery for good.
            with state.guard:
                lane.give_back(lane.flying)
                lane.trouble.failed(Health.DOWN, time.monotonic())
                state.notices.say_rarely("bug", logging.ERROR, f"Sending runs failed: {problem!r}")
        finally:
            with state.guard:
                lane.flying = []
                lane.busy = False
                state.guard.work.notify()
                state.guard.news.notify_all()
            state.notices.emit()
        if accepted:
            for hook in list(self._on_accepted):
                call_hook(hook, lane.destination)

    def _adopt(self, lane: Lane) -> None:
        """Takes over one segment of a process that has ended."""
        state, journal = self._state, lane.journal
        found = journal.adopt_next() if journal is not None else None
        with state.guard:
            if journal is None or found is None:
                lane.sweep = False
                return
            segment, records, damage = found
            lane.damaged += len(damage)
            if damage:
                state.notices.say(
                    logging.WARNING,
                    f"{segment.path} could not be read in {len(damage)} place(s), "
                    f"{sum(piece.length for piece in damage)} bytes; the rest of it is sent.",
                )
            now = time.monotonic()
            segment.waiting = len(records)
            for record in records:
                entry = Entry(
                    lane,
                    record.trace_id,
                    size=record.length,
                    reviewed=record.reviewed,
                    written_ms=record.written_ms,
                    queued_at=now,
                )
                entry.segment, entry.offset, entry.length = segment, record.offset, record.length
                segment.newest_ms = max(segment.newest_ms, record.written_ms)
                state.adopt(entry)
            journal.own(segment)

    def _send(self, lane: Lane, batch: list[Entry]) -> bool:
        """Sends a batch; True when the server took any of it."""
        bodies, lost, outdated = self._bodies(batch)
        if lost or outdated:
            with self._state.guard:
                self._state.drop(lost, "damaged", "their spool file could not be read back")
                self._state.drop(outdated, "expired", "they waited longer than spool_days")
            batch = [entry for entry in batch if entry in bodies]
            if not batch:
                return False
        text = b'{"traces":[%s]}' % b",".join(bodies[entry] for entry in batch)
        try:
            answer = self._post(lane.destination, text)
        except DeliveryUnreachable as problem:
            self._failed(lane, batch, Health.DOWN, str(problem), None)
            return False
        reading = read(answer, len(batch))
        if reading.fates:
            return self._settle(lane, batch, reading)
        again = batch[0].attempts > 0 and len(batch) == 1
        if reading.split:
            self._split(lane, batch, reading)
        # A run that makes the server fail time and again says nothing about the others.
        if reading.health is not Health.GOOD and not (reading.split and again):
            self._failed(lane, batch, reading.health, reading.message, answer.retry_after)
        return False

    def _bodies(self, batch: list[Entry]) -> tuple[dict[Entry, bytes], list[Entry], list[Entry]]:
        """The bytes of each entry, those that cannot be read back, and those that are too old."""
        bodies: dict[Entry, bytes] = {}
        lost: list[Entry] = []
        outdated: list[Entry] = []
        horizon = time.time_ns() // 1_000_000 - self._state.settings.spool_days * _DAY_MS
        for entry in batch:
            body, segment = entry.body, entry.segment
            if entry.written_ms < horizon:
                outdated.append(entry)
                continue
            if body is None and segment is not None:
                body = segment.body_of(entry.trace_id, entry.offset, entry.length)
            if body is None:
                lost.append(entry)
            else:
                bodies[entry] = body
        return bodies, lost, outdated

    def _settle(self, lane: Lane, batch: list[Entry], reading: Reading) -> bool:
        arrived = [entry for entry, fate in zip(batch, reading.fates, strict=True) if fate is Fate.ARRIVED]
        now = time.monotonic()
        with self._state.guard:
            self._recovered(lane)
            self._state.arrived(arrived)
            for entry, fate, words in zip(batch, reading.fates, reading.words, strict=True):
                if fate is Fate.REJECTED:
                    self._reject(entry, words)
                elif fate is Fate.AGAIN:
                    lane.postpone(entry, now)
            if all(fate is Fate.AGAIN for fate in reading.fates):
                lane.trouble.failed(Health.BUSY, now)
        return bool(arrived)

    def _recovered(self, lane: Lane) -> None:
        if lane.trouble.hopeless:
            self._state.notices.say(logging.INFO, f"Runs are sent to {lane.destination} again.")
        lane.trouble.over()
        lane.batch_items = min(self._state.settings.batch_items, lane.batch_items * 2)

    def _reject(self, entry: Entry, words: str) -> None:
        text = f"the server does not accept {entry.trace_id}: {words}"
        self._state.drop([entry], "rejected", text, logging.ERROR)

    def _split(self, lane: Lane, batch: list[Entry], reading: Reading) -> None:
        """Finds out which run of a batch is at fault, by sending fewer at a time."""
        with self._state.guard:
            if len(batch) > 1:
                lane.batch_items = max(1, len(batch) // 2)
                lane.give_back(batch)
            elif reading.health is Health.GOOD:
                # The server works, and it is this one that it refuses.
                lane.trouble.over()
                self._reject(batch[0], reading.message)
            else:
                lane.postpone(batch[0], time.monotonic())

    def _failed(
        self, lane: Lane, batch: list[Entry], health: Health, message: str, retry_after: float | None
    ) -> None:
        with self._state.guard:
            before = lane.trouble.health
            lane.give_back(batch)
            lane.trouble.failed(health, time.monotonic(), retry_after)
            if health is not before and health is not Health.BUSY:
                self._state.notices.say(logging.WARNING, _explain(lane, health, message))


def call_hook(hook: Callable[..., None], *arguments: object) -> None:
    """Calls what somebody hung on the outbox. What goes wrong there must not end delivery."""
    try:
        hook(*arguments)
    except Exception:
        logger.exception("A callback of delivery failed.")


def _explain(lane: Lane, health: Health, message: str) -> str:
    kept = "on disk" if lane.journal is not None else "in memory"
    if health is Health.DOWN:
        return f"{lane.destination} cannot be reached ({message}). Runs are kept {kept} until it answers."
    return (
        f"{lane.destination} does not let this client in ({message}). Check the address, the project and "
        f"the API key, which needs the scope trace:write. Runs are kept {kept} and tried again every 30 s."
    )
