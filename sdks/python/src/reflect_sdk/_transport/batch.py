"""Sends a batch of traces for the outbox, in the words of the outbox."""

from __future__ import annotations

from urllib.parse import quote

from reflect_sdk._delivery import BatchAnswer, DeliveryUnreachable, Destination
from reflect_sdk._transport import blocking
from reflect_sdk._transport.address import Address
from reflect_sdk._wire.http import Request, Unreachable
from reflect_sdk._wire.retry import retry_after

# A batch is a megabyte at most; a server that needs longer than this is in trouble.
TIMEOUT = 30.0


def post_batch(destination: Destination, body: bytes) -> BatchAnswer:
    """Posts a batch and gives the answer; `DeliveryUnreachable` when there is none."""
    path = f"/v1/projects/{quote(destination.project_id, safe='')}/traces/batch"
    request = Request("POST", path, body, timeout=TIMEOUT)
    address = Address(destination.base_url, destination.api_key)
    try:
        answer = blocking.send(address, request, TIMEOUT, blocking.own_client(destination.base_url))
    except Unreachable as problem:
        raise DeliveryUnreachable(str(problem)) from problem
    return BatchAnswer(answer.status, retry_after(answer), answer.body)
