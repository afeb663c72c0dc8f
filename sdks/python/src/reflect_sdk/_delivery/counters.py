"""Delivery counters for users."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class FlushResult:
    """The result of a flush."""

    sent: int
    """Acknowledged by the server since the last flush."""
    pending: int
    """Not acknowledged, and in memory only."""
    spooled: int
    """Not acknowledged, and stored on disk."""
    dropped: int
    """Lost since the last flush; the log has the reason."""


@dataclass(frozen=True)
class DeliveryCounters:
    """Totals since the process started.

    At any time, `produced + adopted == sent + pending + spooled + sum(dropped.values())`.
    """

    produced: int = 0
    """Queued by the application."""
    adopted: int = 0
    """Adopted from the spool of a process that has ended."""
    sent: int = 0
    pending: int = 0
    spooled: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])
    """By reason: `rejected`, `full`, `expired`, `damaged`, `exit`, and reasons that the client adds."""
    damaged: int = 0
    """Unreadable sections of spool files. The number of runs in them is unknown."""

    empty: int = 0
    """Runs without anything to send. They are not part of the other counters."""

    @property
    def rejected(self) -> int:
        """Permanently rejected by the server."""
        return self.dropped.get("rejected", 0)
