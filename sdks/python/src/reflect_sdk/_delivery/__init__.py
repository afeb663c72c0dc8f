"""Delivery: runs are taken over in microseconds, kept on disk, and sent in the background.

Knows nothing of the rest of the package. How a batch is sent is given to it as a function.
"""

from reflect_sdk._delivery.counters import DeliveryCounters, FlushResult
from reflect_sdk._delivery.outbox import Outbox
from reflect_sdk._delivery.post import BatchAnswer, DeliveryUnreachable, PostBatch
from reflect_sdk._delivery.record import Record
from reflect_sdk._delivery.settings import DeliverySettings, Destination

__all__ = [
    "BatchAnswer",
    "DeliveryCounters",
    "DeliverySettings",
    "DeliveryUnreachable",
    "Destination",
    "FlushResult",
    "Outbox",
    "PostBatch",
    "Record",
]
