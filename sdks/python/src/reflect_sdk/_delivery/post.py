"""The HTTP interface of delivery: one blocking call."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from reflect_sdk._delivery.settings import Destination


class BatchAnswer(NamedTuple):
    """The server's response to a batch."""

    status: int
    retry_after: float | None
    """Seconds, from the header `Retry-After`."""
    body: bytes
    content_type: str = ""


class DeliveryUnreachable(Exception):
    """The server could not be reached, or the connection broke before the response arrived."""


PostBatch = Callable[[Destination, bytes], BatchAnswer]
"""Sends a body to `POST {P}/traces/batch`; raises `DeliveryUnreachable` on a network error."""
