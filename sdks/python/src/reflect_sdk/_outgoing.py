"""Delivery of a client's runs: applies the mask, serializes, and passes them to the process's outbox."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from reflect_sdk._delivery import DeliverySettings, Destination, FlushResult, Outbox, Record
from reflect_sdk._health_monitor import monitor
from reflect_sdk._settings import Settings, serverless
from reflect_sdk._transport.batch import post_batch
from reflect_sdk._wire.encode import encode
from reflect_sdk._wire.mask import masked_trace

_log = logging.getLogger("reflect_sdk")

# How long a block waits until its run is sent, on platforms that freeze the process after a request.
_SERVERLESS_WAIT = 2.0


class Outgoing:
    """A client's view of the outbox, which the whole process shares."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        address = settings.address
        self._destination = Destination(address.base_url, settings.api.project_id, address.api_key)

    @property
    def outbox(self) -> Outbox:
        """The process's outbox."""
        delivery = DeliverySettings(spool=self._settings.spool, spool_dir=self._settings.spool_dir)
        outbox = Outbox.shared(delivery, post_batch)
        monitor(outbox)
        return outbox

    def submit(self, body: dict[str, Any]) -> None:
        """Queues a run for delivery by this or a later process. Never raises and never waits for the network."""
        self._put(body)
        if serverless():
            self.push(_SERVERLESS_WAIT)

    async def submit_async(self, body: dict[str, Any]) -> None:
        """The same, without blocking the event loop."""
        self._put(body)
        if serverless():
            await self.push_async(_SERVERLESS_WAIT)

    def _put(self, body: dict[str, Any]) -> None:
        outbox = self.outbox
        try:
            safe = encode(masked_trace(self._settings.api.mask, body))
        except Exception:
            # Unmasked text must not be sent, so the run is dropped and counted.
            _log.exception("The mask raised an exception; the run %s is not stored.", body["trace_id"])
            outbox.count_dropped("mask_failed")
            return
        outbox.put(self._destination, Record(body["trace_id"], safe, "review" in body))

    def flush(self, timeout: float) -> FlushResult:
        """Sends all queued runs now and returns the counts."""
        return self.outbox.flush(timeout, destination=self._destination)

    async def flush_async(self, timeout: float) -> FlushResult:
        """The same, awaited."""
        return await asyncio.to_thread(self.flush, timeout)

    def push(self, timeout: float) -> None:
        """Sends the queued runs unless the server is unavailable. Returns no counts."""
        self.outbox.push(timeout, destination=self._destination)

    async def push_async(self, timeout: float) -> None:
        """The same, awaited."""
        await asyncio.to_thread(self.push, timeout)

    def close(self, timeout: float) -> FlushResult:
        """Sends the queued runs without waiting for an unreachable server; unsent runs stay in the spool."""
        self.push(timeout)
        return self.flush(0.0)

    async def close_async(self, timeout: float) -> FlushResult:
        """The same, awaited."""
        return await asyncio.to_thread(self.close, timeout)

    def holds(self, trace_id: str) -> bool:
        """Whether a run is still queued."""
        return self.outbox.is_pending(trace_id)

    def holds_any(self) -> bool:
        """Whether any run is still queued."""
        return self.outbox.has_pending()

    def count_empty(self) -> None:
        """Counts a run that had nothing to store."""
        self.outbox.count_empty()
