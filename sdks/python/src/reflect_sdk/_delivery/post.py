"""What delivery needs of the HTTP stack: one blocking call."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from reflect_sdk._delivery.settings import Destination


class BatchAnswer(NamedTuple):
    """What the server answered to a batch."""

    status: int
    retry_after: float | None
    """Seconds, from the header `Retry-After`."""
    body: bytes


class DeliveryUnreachable(Exception):
    """The server could not be reached, or the connection broke before its answer was there."""


PostBatch = Callable[[Destination, bytes], BatchAnswer]
"""Sends a body to `POST {P}/traces/batch`; raises `DeliveryUnreachable` on network trouble."""
