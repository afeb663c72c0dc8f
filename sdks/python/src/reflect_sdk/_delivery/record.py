"""One run on its way to the server."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reflect_sdk._delivery.lane import Lane
    from reflect_sdk._delivery.segment import Segment


@dataclass(frozen=True)
class Record:
    """One trace, ready to be sent."""

    trace_id: str
    """A UUID of version 7 made by the client. The server stores the same trace under the same id once."""
    body: bytes
    """The JSON object that `POST {P}/traces` takes, with its `trace_id`; what is secret is already masked."""
    reviewed: bool
    """Whether it carries a review. Such records are dropped last."""


class Stage(enum.Enum):
    """How far an entry has come."""

    READY = "ready"
    LATER = "later"
    FLYING = "flying"
    SETTLED = "settled"


class Entry:
    """A record in the queue.

    `body` is None while the bytes are on disk only. `segment` is None while they are in memory only.
    """

    __slots__ = (
        "adopted",
        "attempts",
        "body",
        "kept",
        "lane",
        "length",
        "not_before",
        "offset",
        "queued_at",
        "reviewed",
        "segment",
        "size",
        "stage",
        "trace_id",
        "written_ms",
    )

    def __init__(
        self, lane: Lane, trace_id: str, *, size: int, reviewed: bool, written_ms: int, queued_at: float
    ) -> None:
        self.lane = lane
        self.trace_id = trace_id
        self.size = size
        self.reviewed = reviewed
        self.written_ms = written_ms
        self.queued_at = queued_at
        self.body: bytes | None = None
        # Whether `body` counts towards the bound of the memory.
        self.kept = False
        self.segment: Segment | None = None
        self.offset = 0
        self.length = 0
        self.stage = Stage.READY
        self.attempts = 0
        self.not_before = 0.0
        # Whether it was put by an earlier process.
        self.adopted = False
