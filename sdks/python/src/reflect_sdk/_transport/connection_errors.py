"""Converts exceptions of the HTTP library."""

from __future__ import annotations

import httpx2

from reflect_sdk._wire.http import Unreachable

# The request was not sent: connecting failed, or no connection was free.
_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError, httpx2.InvalidURL)


# An invalid URL is found before a request is sent.
HTTP_PROBLEMS = (httpx2.RequestError, httpx2.InvalidURL)


def unreachable(problem: httpx2.RequestError | httpx2.InvalidURL) -> Unreachable:
    """Converts an exception of the HTTP library to `Unreachable`."""
    reason = str(problem) or type(problem).__name__
    return Unreachable(
        reason,
        sent=not isinstance(problem, _NOT_SENT),
        timed_out=isinstance(problem, httpx2.TimeoutException),
    )
