"""The blocking driver. All clients of a process share one connection pool."""

from __future__ import annotations

import threading
import time
from typing import Any, TypeVar

import httpx2

from reflect_sdk import _fork
from reflect_sdk._transport.address import Address, TimeoutInput, per_request
from reflect_sdk._transport.body import BodyBuffer
from reflect_sdk._transport.connection_errors import HTTP_PROBLEMS, unreachable
from reflect_sdk._wire.http import Answer, Flow, Pause, Request, Unreachable

T = TypeVar("T")

LIMITS = httpx2.Limits(max_connections=200, max_keepalive_connections=50, keepalive_expiry=30.0)

_lock = threading.Lock()
_pools: dict[bool, httpx2.Client] = {}
_registered: dict[str, httpx2.Client] = {}


def pool(encrypted: bool) -> httpx2.Client:
    """The process's pool. Loading certificates is slow, so it happens at most once, and not without TLS."""
    found = _pools.get(encrypted)
    if found is None:
        with _lock:
            found = _pools.get(encrypted)
            if found is None:
                found = _pools[encrypted] = httpx2.Client(verify=encrypted, limits=LIMITS)
    return found


def register_client(base_url: str, http_client: httpx2.Client) -> None:
    """Registers the user's HTTP client for a server. Background delivery to this server uses it too."""
    _registered[base_url] = http_client


def registered_client(base_url: str) -> httpx2.Client | None:
    """The user's HTTP client for a server, if registered."""
    return _registered.get(base_url)


def _reset_pools() -> None:
    """A forked child must not use its parent's connections. It does not close them: the parent still uses them."""
    global _lock
    _lock = threading.Lock()
    _pools.clear()


_fork.in_child(_reset_pools)


def send(
    address: Address, request: Request, timeout: TimeoutInput, http_client: httpx2.Client | None = None
) -> Answer:
    """Sends one request; raises `Unreachable` on a network error."""
    seconds = 60.0 if request.timeout is None else request.timeout
    body = BodyBuffer(request, time.monotonic() + seconds)
    try:
        with (http_client or pool(address.encrypted)).stream(
            request.method,
            address.url(request),
            content=request.body,
            headers=address.headers(request),
            timeout=httpx2.Timeout(**per_request(timeout, seconds)),
            follow_redirects=False,
        ) as response:
            try:
                for part in response.iter_bytes():
                    if not body.add(part):
                        break
            except httpx2.DecodingError as problem:
                body.problem = f"its content encoding is wrong ({problem})"
    except HTTP_PROBLEMS as problem:
        raise unreachable(problem) from problem
    return Answer(response.status_code, response.headers, body.content(), body.problem)


def drive(flow: Flow[T], address: Address, timeout: TimeoutInput, http_client: httpx2.Client | None = None) -> T:
    """Runs a flow to its end."""
    answer: Answer | None = None
    problem: Unreachable | None = None
    try:
        while True:
            step: Any = flow.send(answer) if problem is None else flow.throw(problem)
            answer, problem = None, None
            if isinstance(step, Pause):
                time.sleep(step.seconds)
                continue
            try:
                answer = send(address, step, timeout, http_client)
            except Unreachable as caught:
                problem = caught
    except StopIteration as end:
        result: T = end.value
        return result
