"""Delivery: queues runs in microseconds, keeps them on disk, and sends them in the background.

Independent of the rest of the package. The function that sends a batch is a parameter.
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
