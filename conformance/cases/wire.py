"""Records the HTTP traffic of a client.

The client fills absent fields with defaults and hides status codes, so cases about these need the raw
responses. The client is not modified; only its HTTP library is observed.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from cases.http_library import httpx

try:
    from reflect_sdk import APIStatusError
except ImportError:
    # The published clients do not convert the exceptions of their HTTP library.
    OWN_CLIENT = False
    REFUSALS: tuple[type[Exception], ...] = (httpx.HTTPStatusError,)
else:
    OWN_CLIENT = True
    REFUSALS = (httpx.HTTPStatusError, APIStatusError)


try:
    from reflect_sdk import Unsayable
except ImportError:
    # An untyped client sends any value.
    UNSAYABLE: tuple[type[Exception], ...] = ()
else:
    UNSAYABLE = (Unsayable,)


def status_of(error: Any) -> int:
    """The HTTP status of one of the REFUSALS."""
    response = error.response if isinstance(error, httpx.HTTPStatusError) else error
    return int(response.status_code)


@contextmanager
def recorded() -> Iterator[list[httpx.Response]]:
    """Collects every response received inside the block."""
    seen: list[httpx.Response] = []
    send = httpx.Client.send

    def watched(self: httpx.Client, request: httpx.Request, **options: Any) -> httpx.Response:
        response = send(self, request, **options)
        # Our client streams the body; the case needs it after the client has closed the response.
        response.read()
        seen.append(response)
        return response

    httpx.Client.send = watched  # type: ignore[method-assign,assignment]
    try:
        yield seen
    finally:
        httpx.Client.send = send  # type: ignore[method-assign]


def sent(response: httpx.Response) -> Any:
    """The JSON that the client sent to get this response."""
    return json.loads(response.request.content)


def refused(call: Callable[[], object], otherwise: Callable[[], httpx.Response] | None = None) -> int:
    """The error status of a call that must not succeed.

    The types of a client may not allow such a call. Then the client must not send anything, and `otherwise`
    sends the request.
    """
    with recorded() as seen:
        try:
            answer = call()
        except REFUSALS as error:
            return status_of(error)
        except UNSAYABLE as error:
            assert not seen, f"{error} after {len(seen)} requests"
            if otherwise is None:
                raise
            return otherwise().status_code
    # Only the type: the response may contain a key.
    raise AssertionError(f"a call that should have been refused returned a {type(answer).__name__}")


def eventually(holds: Callable[[], bool], seconds: float, what: str) -> None:
    """Waits until a condition is true; fails on timeout."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() >= deadline:
            raise AssertionError(f"{what}: not within {seconds:g} s")
        time.sleep(0.05)


def is_number(value: object) -> bool:
    """Whether it is a JSON number; in Python, bool is a subclass of int."""
    return isinstance(value, int | float) and not isinstance(value, bool)
