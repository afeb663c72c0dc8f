"""Sends a batch of traces for the outbox."""

from __future__ import annotations

from urllib.parse import quote

from reflect_sdk._delivery import BatchAnswer, DeliveryUnreachable, Destination
from reflect_sdk._transport import blocking
from reflect_sdk._transport.address import Address
from reflect_sdk._wire.http import Request, Unreachable
from reflect_sdk._wire.retry import retry_after
from reflect_sdk._wire.server_warnings import log_warning

# A batch has at most one megabyte; a healthy server needs less than this.
TIMEOUT = 30.0
# A batch has at most 50 runs, and the response some hundred bytes for each.
MAX_BYTES = 4 * 1024 * 1024


def post_batch(destination: Destination, body: bytes) -> BatchAnswer:
    """Posts a batch and returns the response; raises `DeliveryUnreachable` on a network error."""
    path = f"/v1/projects/{quote(destination.project_id, safe='')}/traces/batch"
    request = Request("POST", path, body, timeout=TIMEOUT, max_bytes=MAX_BYTES)
    address = Address(destination.base_url, destination.api_key)
    try:
        answer = blocking.send(address, request, TIMEOUT, blocking.registered_client(destination.base_url))
    except Unreachable as problem:
        raise DeliveryUnreachable(str(problem)) from problem
    log_warning(answer.headers)
    return BatchAnswer(answer.status, retry_after(answer), answer.body, answer.headers.get("content-type", ""))
