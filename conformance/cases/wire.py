"""Looks at what goes over the wire while a client is at work.

The client fills absent fields with defaults of its own and hides status codes, so a case about
either must look beneath it. The client stays as it is; only its HTTP library is watched.
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
    # The published clients pass on what their HTTP library raises.
    OWN_CLIENT = False
    REFUSALS: tuple[type[Exception], ...] = (httpx.HTTPStatusError,)
else:
    OWN_CLIENT = True
    REFUSALS = (httpx.HTTPStatusError, APIStatusError)


try:
    from reflect_sdk import Unsayable
except ImportError:
    # Where no type stands in the way, a client sends what it is given.
    UNSAYABLE: tuple[type[Exception], ...] = ()
else:
    UNSAYABLE = (Unsayable,)


def status_of(error: Any) -> int:
    """The status that one of the REFUSALS carries."""
    response = error.response if isinstance(error, httpx.HTTPStatusError) else error
    return int(response.status_code)


@contextmanager
def recorded() -> Iterator[list[httpx.Response]]:
    """Collects every response received inside the block."""
    seen: list[httpx.Response] = []
    send = httpx.Client.send

    def watched(self: httpx.Client, request: httpx.Request, **options: Any) -> httpx.Response:
        response = send(self, request, **options)
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
    """The status with which the server refuses a call that must not succeed.

    A client may have types that cannot say such a thing. Then it must not send anything, and the server is
    asked by `otherwise`.
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
    # Only what kind of thing: the answer itself may hold a key.
    raise AssertionError(f"a call that should have been refused returned a {type(answer).__name__}")


def eventually(holds: Callable[[], bool], seconds: float, what: str) -> None:
    """Waits until something holds, and fails when it does not in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() >= deadline:
            raise AssertionError(f"{what}: not within {seconds:g} s")
        time.sleep(0.05)


def is_number(value: object) -> bool:
    """JSON's numbers; Python counts true and false among them, JSON does not."""
    return isinstance(value, int | float) and not isinstance(value, bool)
