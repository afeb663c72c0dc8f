"""What the HTTP library raises, in the words of the flows."""

from __future__ import annotations

import httpx2

from reflect_sdk._wire.http import Unreachable

# The request was not sent: connecting failed, or no connection was free.
_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)


def unreachable(problem: httpx2.TransportError) -> Unreachable:
    """The same as something that a flow understands."""
    reason = str(problem) or type(problem).__name__
    return Unreachable(
        reason,
        sent=not isinstance(problem, _NOT_SENT),
        timed_out=isinstance(problem, httpx2.TimeoutException),
    )
