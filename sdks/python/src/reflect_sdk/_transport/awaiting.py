"""The asynchronous driver. One connection pool per event loop: connections cannot move between loops."""

from __future__ import annotations

import asyncio
import ssl
import threading
import time
from collections.abc import AsyncGenerator
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import httpx2

from reflect_sdk import _fork
from reflect_sdk._transport.address import Address, TimeoutInput, per_request
from reflect_sdk._transport.blocking import LIMITS
from reflect_sdk._transport.body import BodyBuffer
from reflect_sdk._transport.connection_errors import HTTP_PROBLEMS, unreachable
from reflect_sdk._wire.http import Answer, Flow, Pause, Request, Unreachable

T = TypeVar("T")


class _Pools:
    """The pools of one event loop. They are closed by `loop.shutdown_asyncgens`, which `asyncio.run` calls."""

    def __init__(self) -> None:
        self._clients: dict[bool, httpx2.AsyncClient] = {}
        self._closer: AsyncGenerator[None, None] | None = None

    async def client(self, encrypted: bool) -> httpx2.AsyncClient:
        if self._closer is None:
            self._closer = self._closing()
            await anext(self._closer)
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


def _reset_pools() -> None:
    global _lock
    _lock = threading.Lock()
    _pools.clear()


_fork.in_child(_reset_pools)


async def _pool(encrypted: bool) -> httpx2.AsyncClient:
    loop = asyncio.get_running_loop()
    with _lock:
        pools = _pools.get(loop)
        if pools is None:
            # Remove loops that were closed without shutdown: their connections would keep them alive.
            for closed in [other for other in _pools if other.is_closed()]:
                del _pools[closed]
            pools = _pools[loop] = _Pools()
    return await pools.client(encrypted)


async def send(
    address: Address, request: Request, timeout: TimeoutInput, http_client: httpx2.AsyncClient | None = None
) -> Answer:
    """Sends one request; raises `Unreachable` on a network error."""
    seconds = 60.0 if request.timeout is None else request.timeout
    client = http_client or await _pool(address.encrypted)
    body = BodyBuffer(request, time.monotonic() + seconds)
    try:
        async with client.stream(
            request.method,
            address.url(request),
            content=request.body,
            headers=address.headers(request),
            timeout=httpx2.Timeout(**per_request(timeout, seconds)),
            follow_redirects=False,
        ) as response:
            try:
                async for part in response.aiter_bytes():
                    if not body.add(part):
                        break
            except httpx2.DecodingError as problem:
                body.problem = f"its content encoding is wrong ({problem})"
    except HTTP_PROBLEMS as problem:
        raise unreachable(problem) from problem
    return Answer(response.status_code, response.headers, body.content(), body.problem)


async def drive(
    flow: Flow[T], address: Address, timeout: TimeoutInput, http_client: httpx2.AsyncClient | None = None
) -> T:
    """Runs a flow to its end."""
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
