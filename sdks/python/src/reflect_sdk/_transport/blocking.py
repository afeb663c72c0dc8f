"""Runs flows and blocks. One pool of connections per process, for all clients in it."""

from __future__ import annotations

import threading
import time
from typing import Any, TypeVar

import httpx2

from reflect_sdk import _fork
from reflect_sdk._transport.address import Address, TimeoutInput, per_request
from reflect_sdk._transport.trouble import unreachable
from reflect_sdk._wire.http import Answer, Flow, Pause, Request, Unreachable

T = TypeVar("T")

LIMITS = httpx2.Limits(max_connections=200, max_keepalive_connections=50, keepalive_expiry=30.0)

_lock = threading.Lock()
_pools: dict[bool, httpx2.Client] = {}
_own: dict[str, httpx2.Client] = {}


def pool(encrypted: bool) -> httpx2.Client:
    """The process's pool. Loading certificates costs more than a hundred calls, so it is done once, or never."""
    found = _pools.get(encrypted)
    if found is None:
        with _lock:
            found = _pools.get(encrypted)
            if found is None:
                found = _pools[encrypted] = httpx2.Client(verify=encrypted, limits=LIMITS)
    return found


def lend(base_url: str, http_client: httpx2.Client) -> None:
    """Notes a user's own HTTP client for a server, so that runs which are sent later go through it too."""
    _own[base_url] = http_client


def own_client(base_url: str) -> httpx2.Client | None:
    """The user's own HTTP client for a server, if there is one."""
    return _own.get(base_url)


def _forget() -> None:
    """A child must not speak over its parent's connections. They are not closed: they are the parent's."""
    global _lock
    _lock = threading.Lock()
    _pools.clear()


_fork.in_child(_forget)


def send(
    address: Address, request: Request, timeout: TimeoutInput, http_client: httpx2.Client | None = None
) -> Answer:
    """One request and its answer; `Unreachable` when there is none."""
    seconds = 60.0 if request.timeout is None else request.timeout
    try:
        response = (http_client or pool(address.encrypted)).request(
            request.method,
            address.url(request),
            content=request.body,
            headers=address.headers(request),
            timeout=httpx2.Timeout(**per_request(timeout, seconds)),
            follow_redirects=False,
        )
    except httpx2.TransportError as problem:
        raise unreachable(problem) from problem
    return Answer(response.status_code, response.headers, response.content)


def drive(flow: Flow[T], address: Address, timeout: TimeoutInput, http_client: httpx2.Client | None = None) -> T:
    """Does what a flow asks for until it ends."""
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
