"""Runs flows and awaits. One pool of connections per event loop: connections cannot move between loops."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import AsyncGenerator
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import httpx2

from reflect_sdk import _fork
from reflect_sdk._transport.address import Address, TimeoutInput, per_request
from reflect_sdk._transport.blocking import LIMITS
from reflect_sdk._transport.trouble import unreachable
from reflect_sdk._wire.http import Answer, Flow, Pause, Request, Unreachable

T = TypeVar("T")


class _Pools:
    """The pools of one event loop. They are closed when the loop shuts its generators down, as `asyncio.run` does."""

    def __init__(self) -> None:
        self._clients: dict[bool, httpx2.AsyncClient] = {}
        self._keeper: AsyncGenerator[None, None] | None = None

    async def client(self, encrypted: bool) -> httpx2.AsyncClient:
        if self._keeper is None:
            self._keeper = self._closing()
            await anext(self._keeper)
        found = self._clients.get(encrypted)
        if found is None:
            verify = _certificates() if encrypted else False
            found = self._clients[encrypted] = httpx2.AsyncClient(verify=verify, limits=LIMITS)
        return found

    async def _closing(self) -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            for client in self._clients.values():
                await client.aclose()
            self._clients.clear()


_lock = threading.Lock()
_pools: WeakKeyDictionary[asyncio.AbstractEventLoop, _Pools] = WeakKeyDictionary()
_context: list[ssl.SSLContext] = []


def _certificates() -> ssl.SSLContext:
    """The system's certificates, loaded once for all loops."""
    with _lock:
        if not _context:
            _context.append(httpx2.create_ssl_context())
        return _context[0]


def _forget() -> None:
    global _lock
    _lock = threading.Lock()
    _pools.clear()


_fork.in_child(_forget)


async def _pool(encrypted: bool) -> httpx2.AsyncClient:
    loop = asyncio.get_running_loop()
    with _lock:
        pools = _pools.get(loop)
        if pools is None:
            # Loops that were closed without being shut down would stay here: their connections hold them.
            for closed in [other for other in _pools if other.is_closed()]:
                del _pools[closed]
            pools = _pools[loop] = _Pools()
    return await pools.client(encrypted)


async def send(
    address: Address, request: Request, timeout: TimeoutInput, http_client: httpx2.AsyncClient | None = None
) -> Answer:
    """One request and its answer; `Unreachable` when there is none."""
    seconds = 60.0 if request.timeout is None else request.timeout
    client = http_client or await _pool(address.encrypted)
    try:
        response = await client.request(
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


async def drive(
    flow: Flow[T], address: Address, timeout: TimeoutInput, http_client: httpx2.AsyncClient | None = None
) -> T:
    """Does what a flow asks for until it ends."""
    answer: Answer | None = None
    problem: Unreachable | None = None
    try:
        while True:
            step: Any = flow.send(answer) if problem is None else flow.throw(problem)
            answer, problem = None, None
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                continue
            try:
                answer = await send(address, step, timeout, http_client)
            except Unreachable as caught:
                problem = caught
    except StopIteration as end:
        result: T = end.value
        return result
