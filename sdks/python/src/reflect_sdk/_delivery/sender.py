"""Sends batches: adopts leftover segments, takes a batch, sends it, and records the outcome."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from reflect_sdk._delivery.answers import BatchOutcome, RecordOutcome, read
from reflect_sdk._delivery.backoff import REFUSED_PAUSE, Health
from reflect_sdk._delivery.destination_queue import DestinationQueue
from reflect_sdk._delivery.log_buffer import logger
from reflect_sdk._delivery.post import DeliveryUnreachable, PostBatch
from reflect_sdk._delivery.record import Entry
from reflect_sdk._delivery.settings import Destination
from reflect_sdk._delivery.state import State

_DAY_MS = 24 * 3600 * 1000


class Sender:
    """Sends from queues, one batch at a time. Called without the guard, by one thread per queue."""

    def __init__(self, state: State, post: PostBatch, on_accepted: list[Callable[[Destination], None]]) -> None:
        self._state = state
        self._post = post
        self._on_accepted = on_accepted

    def send_batch(self, queue: DestinationQueue) -> None:
        """Sends one batch of a queue that the caller marked busy, and clears the mark."""
        state = self._state
        accepted = False
        try:
            if queue.sweep and queue.ready_items < queue.batch_items:
                self._adopt(queue)
            with state.guard:
                now = time.monotonic()
                due = queue.due(now)
                batch = queue.take(now) if due is not None and due <= now else []
                queue.push = False
            if batch:
                accepted = self._send(queue, batch)
        except Exception as problem:
            # A bug in the SDK must not stop delivery permanently.
            with state.guard:
                queue.give_back(queue.in_flight)
                queue.backoff.record_failure(Health.DOWN, time.monotonic())
                state.log_buffer.add_rate_limited("bug", logging.ERROR, f"Sender runs failed: {problem!r}")
        finally:
            with state.guard:
                queue.in_flight = []
                queue.busy = False
                state.guard.work.notify()
                state.guard.progress.notify_all()
            state.log_buffer.emit()
        if accepted:
            for hook in list(self._on_accepted):
                call_hook(hook, queue.destination)

    def _adopt(self, queue: DestinationQueue) -> None:
        """Adopts one segment of a process that has ended."""
        state, journal = self._state, queue.journal
        found = journal.adopt_next() if journal is not None else None
        with state.guard:
            if journal is None or found is None:
                queue.sweep = False
                return
            segment, records, damage = found
            queue.damaged += len(damage)
            if damage:
                state.log_buffer.add(
                    logging.WARNING,
                    f"{segment.path} has {len(damage)} unreadable section(s), "
                    f"{sum(piece.length for piece in damage)} bytes; the rest of the file is sent.",
                )
            now = time.monotonic()
            segment.waiting = len(records)
            for record in records:
                entry = Entry(
                    queue,
                    record.trace_id,
                    size=record.length,
                    reviewed=record.reviewed,
                    written_ms=record.written_ms,
                    queued_at=now,
                )
                entry.segment, entry.offset, entry.length = segment, record.offset, record.length
                segment.newest_ms = max(segment.newest_ms, record.written_ms)
                state.adopt(entry)
            journal.take_ownership(segment)

    def _send(self, queue: DestinationQueue, batch: list[Entry]) -> bool:
        """Sends a batch; True if the server accepted any of it."""
        bodies, lost, outdated = self._bodies(batch)
        if lost or outdated:
            with self._state.guard:
                self._state.drop(lost, "damaged", "their spool file could not be read")
                self._state.drop(outdated, "expired", "they waited longer than spool_days")
            batch = [entry for entry in batch if entry in bodies]
            if not batch:
                return False
        text = b'{"traces":[%s]}' % b",".join(bodies[entry] for entry in batch)
        try:
            answer = self._post(queue.destination, text)
        except DeliveryUnreachable as problem:
            self._failed(queue, batch, Health.DOWN, str(problem), None)
            return False
        result = read(answer, len(batch))
        if result.outcomes:
            return self._settle(queue, batch, result)
        again = batch[0].attempts > 0 and len(batch) == 1
        if result.split:
            self._split(queue, batch, result)
        # A run that repeatedly makes the server fail says nothing about the server's health.
        if result.health is not Health.GOOD and not (result.split and again):
            self._failed(queue, batch, result.health, result.message, answer.retry_after)
        return False

    def _bodies(self, batch: list[Entry]) -> tuple[dict[Entry, bytes], list[Entry], list[Entry]]:
        """The body of each entry, the entries that cannot be read, and the expired entries."""
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

    def _settle(self, queue: DestinationQueue, batch: list[Entry], result: BatchOutcome) -> bool:
        arrived = [
            entry for entry, outcome in zip(batch, result.outcomes, strict=True) if outcome is RecordOutcome.ACCEPTED
        ]
        now = time.monotonic()
        with self._state.guard:
            self._recovered(queue)
            self._state.mark_sent(arrived)
            for entry, outcome, error in zip(batch, result.outcomes, result.errors, strict=True):
                if outcome is RecordOutcome.REJECTED:
                    self._reject(entry, error)
                elif outcome is RecordOutcome.RETRY:
                    queue.postpone(entry, now)
            if all(outcome is RecordOutcome.RETRY for outcome in result.outcomes):
                queue.backoff.record_failure(Health.BUSY, now)
        return bool(arrived)

    def _recovered(self, queue: DestinationQueue) -> None:
        if queue.backoff.unavailable:
            self._state.log_buffer.add(logging.INFO, f"Sending runs to {queue.destination} works again.")
        queue.backoff.reset()
        queue.batch_items = min(self._state.settings.batch_items, queue.batch_items * 2)

    def _reject(self, entry: Entry, error: str) -> None:
        text = f"the server rejects {entry.trace_id}: {error}"
        self._state.drop([entry], "rejected", text, logging.ERROR)

    def _split(self, queue: DestinationQueue, batch: list[Entry], result: BatchOutcome) -> None:
        """Isolates the failing run of a batch by sending smaller batches."""
        with self._state.guard:
            if len(batch) > 1:
                queue.batch_items = max(1, len(batch) // 2)
                queue.give_back(batch)
            elif result.foreign:
                queue.postpone(batch[0], time.monotonic(), at_least=REFUSED_PAUSE)
                text = f"The run {batch[0].trace_id} was not accepted ({result.message}). It is kept and sent again."
                self._state.log_buffer.add_rate_limited("foreign", logging.WARNING, text)
            elif result.health is Health.GOOD:
                # The server works and rejects this run.
                queue.backoff.reset()
                self._reject(batch[0], result.message)
            else:
                queue.postpone(batch[0], time.monotonic())

    def _failed(
        self, queue: DestinationQueue, batch: list[Entry], health: Health, message: str, retry_after: float | None
    ) -> None:
        with self._state.guard:
            before = queue.backoff.health
            queue.give_back(batch)
            queue.backoff.record_failure(health, time.monotonic(), retry_after)
            if health is not before and health is not Health.BUSY:
                self._state.log_buffer.add(logging.WARNING, _explain(queue, health, message))


def call_hook(hook: Callable[..., None], *arguments: object) -> None:
    """Calls a registered callback. An exception in it must not stop delivery."""
    try:
        hook(*arguments)
    except Exception:
        logger.exception("A delivery callback raised an exception.")


def _explain(queue: DestinationQueue, health: Health, message: str) -> str:
    kept = "on disk" if queue.journal is not None else "in memory"
    if health is Health.DOWN:
        return f"{queue.destination} cannot be reached ({message}). Runs are kept {kept} until it responds."
    return (
        f"{queue.destination} rejects this client ({message}). Check the URL, the project and "
        f"the API key, which needs the scope trace:write. Runs are kept {kept} and retried every 30 s."
    )
