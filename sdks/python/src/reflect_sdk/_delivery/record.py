"""One run in the delivery queue."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reflect_sdk._delivery.destination_queue import DestinationQueue
    from reflect_sdk._delivery.segment import Segment


@dataclass(frozen=True)
class Record:
    """One trace, ready to be sent."""

    trace_id: str
    """A UUID version 7 created by the client. The server stores a trace with the same id only once."""
    body: bytes
    """The JSON body of `POST {P}/traces`, including `trace_id`; the mask is already applied."""
    reviewed: bool
    """Whether it has a review. Such records are dropped last."""


class Stage(enum.Enum):
    """The state of an entry."""

    READY = "ready"
    RETRY = "retry"
    IN_FLIGHT = "in_flight"
    SETTLED = "settled"


class Entry:
    """A record in the queue.

    `body` is None while the bytes are on disk only. `segment` is None while they are in memory only.
    """

    __slots__ = (
        "adopted",
        "attempts",
        "body",
        "buffered",
        "length",
        "not_before",
        "offset",
        "queue",
        "queued_at",
        "reviewed",
        "segment",
        "size",
        "stage",
        "trace_id",
        "written_ms",
    )

    def __init__(
        self, queue: DestinationQueue, trace_id: str, *, size: int, reviewed: bool, written_ms: int, queued_at: float
    ) -> None:
        self.queue = queue
        self.trace_id = trace_id
        self.size = size
        self.reviewed = reviewed
        self.written_ms = written_ms
        self.queued_at = queued_at
        self.body: bytes | None = None
        # Whether `body` counts towards the memory limit.
        self.buffered = False
        self.segment: Segment | None = None
        self.offset = 0
        self.length = 0
        self.stage = Stage.READY
        self.attempts = 0
        self.not_before = 0.0
        # Whether an earlier process queued it.
        self.adopted = False
