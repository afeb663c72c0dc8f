"""Requests and responses as plain data, and flows: protocol logic without I/O.

A flow is a generator. It yields a `Request` and receives the `Answer`, or yields a `Pause` and continues after it.
A blocking and an asynchronous driver run flows, so the protocol logic exists once.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

T = TypeVar("T")

# The maximum size of a response. A page of long traces is much smaller.
MAX_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request. `path` begins with a slash and is encoded already."""

    method: str
    path: str
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    # Seconds for this request; None uses the client's timeout.
    timeout: float | None = None
    # Safe to retry when it is unknown whether the server received it.
    repeatable: bool = True
    # Whether to send the API key.
    authorized: bool = True
    # A longer response is not read to its end.
    max_bytes: int = MAX_BYTES


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP response. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    # Why the body is incomplete: it is too long, or its content encoding is wrong.
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait, then continue."""

    seconds: float


class Unreachable(Exception):
    """A network error. `sent` is False if the request certainly did not reach the server."""

    def __init__(self, reason: str, *, sent: bool, timed_out: bool) -> None:
        super().__init__(reason)
        self.sent = sent
        self.timed_out = timed_out


Flow: TypeAlias = Generator["Request | Pause", "Answer | None", T]
