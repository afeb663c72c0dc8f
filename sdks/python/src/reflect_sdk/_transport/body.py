"""Collects the body of a response, within a size and a time.

The HTTP library limits the time of each read, but not their number. Without these limits a proxy that sends an
endless body would stop the caller forever.
"""

from __future__ import annotations

import time

from reflect_sdk._wire.http import Request, Unreachable

_MIB = 1024 * 1024


class BodyBuffer:
    """The parts of a body that arrived."""

    def __init__(self, request: Request, deadline: float) -> None:
        self._parts: list[bytes] = []
        self._left = request.max_bytes
        self._limit = request.max_bytes
        self._deadline = deadline
        # Why the body is incomplete.
        self.problem: str | None = None

    def add(self, part: bytes) -> bool:
        """Adds a part; False if the rest must not be read."""
        if time.monotonic() > self._deadline:
            raise Unreachable("the response did not end in time", sent=True, timed_out=True)
        if len(part) > self._left:
            self.problem = f"it is longer than {max(1, self._limit // _MIB)} MiB"
            return False
        self._left -= len(part)
        self._parts.append(part)
        return True

    def content(self) -> bytes:
        """The body."""
        return b"".join(self._parts)
