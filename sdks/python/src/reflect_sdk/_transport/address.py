"""The server's URL, request headers and timeouts."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol, TypeAlias

from reflect_sdk._transport.trace_context import traceparent
from reflect_sdk._version import __version__
from reflect_sdk._wire.http import Request


class TimeoutParts(Protocol):
    """A timeout with the four parts of httpx."""

    @property
    def connect(self) -> float | None: ...
    @property
    def read(self) -> float | None: ...
    @property
    def write(self) -> float | None: ...
    @property
    def pool(self) -> float | None: ...


TimeoutInput: TypeAlias = "float | TimeoutParts"

# A connect that takes longer does not succeed.
MAX_CONNECT = 5.0


@dataclass(frozen=True, slots=True)
class Address:
    """A server's URL and API key."""

    base_url: str
    api_key: str = field(repr=False)

    def url(self, request: Request) -> str:
        """The full URL of a request."""
        return self.base_url + request.path

    def headers(self, request: Request) -> dict[str, str]:
        """The headers of a request."""
        headers = {"Accept": "application/json", "User-Agent": user_agent(), **request.headers}
        if request.authorized:
            headers["Authorization"] = f"Bearer {self.api_key}"
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        context = traceparent()
        if context is not None:
            headers["traceparent"] = context
        return headers

    @property
    def encrypted(self) -> bool:
        """Whether TLS is used; without TLS no certificates are loaded."""
        return self.base_url.startswith("https:")


@cache
def user_agent() -> str:
    """The User-Agent header with the versions of the SDK and of Python."""
    return f"reflect-sdk/{__version__} python/{platform.python_version()}"


def whole_timeout(timeout: TimeoutInput) -> float:
    """The total seconds of a call, for both forms of timeout."""
    if isinstance(timeout, int | float):
        return float(timeout)
    parts: list[float | None] = [timeout.connect, timeout.read, timeout.write, timeout.pool]
    return max((part for part in parts if part is not None), default=60.0)


def per_request(timeout: TimeoutInput, seconds: float) -> dict[str, Any]:
    """The timeout of one request in httpx's four parts, each limited to the remaining time of the call."""
    if isinstance(timeout, int | float):
        return {"connect": min(seconds, MAX_CONNECT), "read": seconds, "write": seconds, "pool": seconds}
    parts = {"connect": timeout.connect, "read": timeout.read, "write": timeout.write, "pool": timeout.pool}
    return {name: seconds if part is None else min(part, seconds) for name, part in parts.items()}
