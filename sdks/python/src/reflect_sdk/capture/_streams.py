"""Looks at streams while somebody else reads them.

The stream stays the client library's own object. Only the iterator inside it is replaced, by one that hands on
every chunk as it came; and its end is noticed, be it read to the end, broken or closed.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from reflect_sdk.capture._guard import guarded
from reflect_sdk.capture._kinds import Answer, Assembly
from reflect_sdk.converters._plain import read

# What the streams of the client library call the iterator that they read from.
ITERATOR = "_iterator"


def is_stream(result: object) -> bool:
    """Whether it is a stream that can be looked at."""
    return read(result, ITERATOR) is not None and read(result, "response") is not None


def watch(stream: Any, assembly: Assembly, told: Callable[[Answer, BaseException | None], None]) -> None:
    """Reads along. `told` is called once, when the stream has ended, with what it said."""
    watcher = _Watcher(assembly, told)
    inner = getattr(stream, ITERATOR)
    if hasattr(inner, "__anext__"):
        _notice_closing(stream.response, "aclose", watcher)
        setattr(stream, ITERATOR, _AsyncTap(inner, watcher))
    else:
        _notice_closing(stream.response, "close", watcher)
        setattr(stream, ITERATOR, _Tap(inner, watcher))


class _Watcher:
    """Is entered while the stream is read."""

    def __init__(self, assembly: Assembly, told: Callable[[Answer, BaseException | None], None]) -> None:
        self._assembly = assembly
        self._told = told
        self._reading = False
        # Taken once and never given back: the end is told by whoever gets here first.
        self._ended = threading.Lock()

    def __enter__(self) -> None:
        self._reading = True

    def __exit__(self, kind: object, error: BaseException | None, where: object) -> None:
        self._reading = False
        if error is not None:
            self._end(None if isinstance(error, StopIteration | StopAsyncIteration) else error)

    def see(self, chunk: object) -> object:
        with guarded("reading along with a stream"):
            self._assembly.see(chunk)
        return chunk

    def closed(self) -> None:
        # A stream that ends closes itself, and is about to say whether it ended well.
        if not self._reading:
            self._end()

    def _end(self, error: BaseException | None = None) -> None:
        if self._ended.acquire(blocking=False):
            with guarded("noting a streamed answer"):
                self._told(self._assembly.answer(), error)


class _Tap:
    def __init__(self, inner: Iterator[object], watcher: _Watcher) -> None:
        self._inner = inner
        self._watcher = watcher

    def __iter__(self) -> _Tap:
        return self

    def __next__(self) -> object:
        with self._watcher:
            return self._watcher.see(next(self._inner))

    def __del__(self) -> None:
        # Not every version of the library closes a stream that is thrown away.
        self._watcher.closed()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _AsyncTap:
    def __init__(self, inner: AsyncIterator[object], watcher: _Watcher) -> None:
        self._inner = inner
        self._watcher = watcher

    def __aiter__(self) -> _AsyncTap:
        return self

    async def __anext__(self) -> object:
        with self._watcher:
            return self._watcher.see(await self._inner.__anext__())

    def __del__(self) -> None:
        self._watcher.closed()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def _notice_closing(response: object, name: str, watcher: _Watcher) -> None:
    """A stream that is left early is closed, or thrown away, and both close the response."""
    close: Callable[[object], Any] = getattr(type(response), name)
    # Through a weak reference: a stream that is thrown away must go at once, and its connection with it.
    itself = weakref.ref(response)

    def closed() -> Any:
        watcher.closed()
        response = itself()
        return None if response is None else close(response)

    async def aclosed() -> None:
        closing = closed()
        if closing is not None:
            await closing

    setattr(response, name, aclosed if name == "aclose" else closed)
