"""What was produced and what became of it, as callers see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class FlushResult:
    """What a flush came to."""

    sent: int
    """Acknowledged by the server since the last flush."""
    pending: int
    """Not acknowledged, and in memory only."""
    spooled: int
    """Not acknowledged, and safe on disk."""
    dropped: int
    """Lost since the last flush; the log says why."""


@dataclass(frozen=True)
class DeliveryCounters:
    """Totals since the process started.

    `produced + adopted == sent + pending + spooled + sum(dropped.values())`, at every moment.
    """

    produced: int = 0
    """Taken over from the application."""
    adopted: int = 0
    """Taken over from the spool of a process that ended."""
    sent: int = 0
    pending: int = 0
    spooled: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])
    """By reason: `rejected`, `full`, `expired`, `damaged`, `exit`, and whatever the client counts itself."""
    damaged: int = 0
    """Stretches of spool files that could not be read. How many runs they held cannot be told."""

    empty: int = 0
    """Runs that said nothing, so that there was nothing to send. They are part of no other number."""

    @property
    def rejected(self) -> int:
        """Refused by the server for good."""
        return self.dropped.get("rejected", 0)
