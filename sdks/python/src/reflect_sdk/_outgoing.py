"""The runs of a client that are on their way: masked, written down, and handed to the process's outbox."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from reflect_sdk._delivery import DeliverySettings, Destination, FlushResult, Outbox, Record
from reflect_sdk._settings import Settings, serverless
from reflect_sdk._transport.batch import post_batch
from reflect_sdk._watch import watch
from reflect_sdk._wire.encode import encode
from reflect_sdk._wire.mask import masked_trace

_log = logging.getLogger("reflect_sdk")

# What a block may wait for its run to leave, where the process is frozen afterwards.
_SERVERLESS_WAIT = 2.0


class Outgoing:
    """A client's view of the outbox, which the whole process shares."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        address = settings.address
        self._destination = Destination(address.base_url, settings.place.project_id, address.api_key)

    @property
    def outbox(self) -> Outbox:
        """The process's outbox."""
        delivery = DeliverySettings(spool=self._settings.spool, spool_dir=self._settings.spool_dir)
        outbox = Outbox.shared(delivery, post_batch)
        watch(outbox)
        return outbox

    def submit(self, body: dict[str, Any]) -> None:
        """Takes a run; it will be sent, now or by a later process. Never raises, never waits for the network."""
        self._put(body)
        if serverless():
            self.push(_SERVERLESS_WAIT)

    async def submit_async(self, body: dict[str, Any]) -> None:
        """The same, for code that must not block."""
        self._put(body)
        if serverless():
            await self.push_async(_SERVERLESS_WAIT)

    def _put(self, body: dict[str, Any]) -> None:
        outbox = self.outbox
        try:
            safe = encode(masked_trace(self._settings.place.mask, body))
        except Exception:
            # Unmasked text must not leave, so the run is lost, and counted.
            _log.exception("The mask failed; the run %s was not stored.", body["trace_id"])
            outbox.count_dropped("mask_failed")
            return
        outbox.put(self._destination, Record(body["trace_id"], safe, "review" in body))

    def flush(self, timeout: float) -> FlushResult:
        """Sends everything now; what the server acknowledged, and what it did not."""
        return self.outbox.flush(timeout, destination=self._destination)

    async def flush_async(self, timeout: float) -> FlushResult:
        """The same, awaited."""
        return await asyncio.to_thread(self.flush, timeout)

    def push(self, timeout: float) -> None:
        """Sends what is here, as long as there is hope that it arrives; tells nothing."""
        self.outbox.push(timeout, destination=self._destination)

    async def push_async(self, timeout: float) -> None:
        """The same, awaited."""
        await asyncio.to_thread(self.push, timeout)

    def close(self, timeout: float) -> FlushResult:
        """Sends what is here without waiting for a server that is away: what waits is kept anyway."""
        self.push(timeout)
        return self.flush(0.0)

    async def close_async(self, timeout: float) -> FlushResult:
        """The same, awaited."""
        return await asyncio.to_thread(self.close, timeout)

    def holds(self, trace_id: str) -> bool:
        """Whether a run is still here."""
        return self.outbox.is_pending(trace_id)

    def holds_any(self) -> bool:
        """Whether any run is still here."""
        return self.outbox.has_pending()

    def count_empty(self) -> None:
        """Counts a run that said nothing."""
        self.outbox.count_empty()
