"""Requests and answers as plain data, and flows: what to do with them, without doing it.

A flow is a generator. It yields a `Request` and is sent the `Answer`, or yields a `Pause` and goes on when it is
over. Two small drivers run flows, a blocking and an awaiting one, so every decision is written once.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Request:
    """One HTTP request. `path` begins with a slash and is encoded already."""

    method: str
    path: str
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    # Seconds for this request alone; None takes the client's own.
    timeout: float | None = None
    # May be sent again when nobody knows whether it arrived.
    repeatable: bool = True
    # Whether the key goes with it.
    authorized: bool = True


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON; None when it is empty."""
        return json.loads(self.body) if self.body else None


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait, then go on."""

    seconds: float


class Unreachable(Exception):
    """The network failed. `sent` is False when the request surely did not arrive."""

    def __init__(self, reason: str, *, sent: bool, timed_out: bool) -> None:
        super().__init__(reason)
        self.sent = sent
        self.timed_out = timed_out


Flow: TypeAlias = Generator["Request | Pause", "Answer | None", T]
