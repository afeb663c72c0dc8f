"""How a batch is sent in these tests: plainly, with the standard library."""

from __future__ import annotations

import http.client
import json
import os
import time
import uuid
from urllib.parse import urlsplit

from reflect_sdk._delivery import BatchAnswer, DeliveryUnreachable, Destination, Record

SECRET = "rf_test_secret"


def post(destination: Destination, body: bytes) -> BatchAnswer:
    """One connection per batch."""
    place = urlsplit(destination.base_url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=10)
    try:
        path = f"/v1/projects/{destination.project_id}/traces/batch"
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        retry_after = answer.headers.get("Retry-After")
        return BatchAnswer(answer.status, float(retry_after) if retry_after else None, answer.read())
    except (OSError, http.client.HTTPException) as problem:
        raise DeliveryUnreachable(str(problem)) from problem
    finally:
        connection.close()


def new_id() -> str:
    """A UUID of version 7."""
    value = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10), "big")
    value = (value & ~(0xF << 76) & ~(0x3 << 62)) | (0x7 << 76) | (0x2 << 62)
    return str(uuid.UUID(int=value))


def record(text: str = "", *, reviewed: bool = False, trace_id: str | None = None) -> Record:
    """A run with something to say."""
    trace_id = trace_id or new_id()
    body = json.dumps({"trace_id": trace_id, "task": text or "add", "trajectory": []}).encode()
    return Record(trace_id, body, reviewed)
