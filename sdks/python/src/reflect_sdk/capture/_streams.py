"""Observes streams while the application reads them.

The stream object stays the library's own. Only its inner iterator is replaced by one that forwards every chunk
unchanged. The end of the stream is detected if it is exhausted, fails or is closed.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from reflect_sdk.capture._guard import guarded
from reflect_sdk.capture._kinds import Answer, Assembly
from reflect_sdk.converters._plain import read

# The attribute of the library's streams that holds the inner iterator.
ITERATOR = "_iterator"


def is_stream(result: object) -> bool:
    """Whether it is a stream that can be observed."""
    return read(result, ITERATOR) is not None and read(result, "response") is not None


def observe(stream: Any, assembly: Assembly, on_end: Callable[[Answer, BaseException | None], None]) -> None:
    """Observes a stream. Calls `on_end` once with the assembled answer when the stream has ended."""
    observer = _StreamObserver(assembly, on_end)
    inner = getattr(stream, ITERATOR)
    if hasattr(inner, "__anext__"):
        _observe_close(stream.response, "aclose", observer)
        setattr(stream, ITERATOR, _AsyncObservedIterator(inner, observer))
    else:
        _observe_close(stream.response, "close", observer)
        setattr(stream, ITERATOR, _ObservedIterator(inner, observer))


class _StreamObserver:
    """A context manager that is active while a chunk is read."""

    def __init__(self, assembly: Assembly, on_end: Callable[[Answer, BaseException | None], None]) -> None:
        self._assembly = assembly
        self._told = on_end
        self._reading = False
        # Acquired once and never released: only the first caller reports the end.
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
        # An exhausted stream closes itself while a chunk is read; the read reports the end.
        if not self._reading:
            self._end()

    def _end(self, error: BaseException | None = None) -> None:
        if self._ended.acquire(blocking=False):
            with guarded("recording a streamed answer"):
                self._told(self._assembly.answer(), error)


class _ObservedIterator:
    def __init__(self, inner: Iterator[object], observer: _StreamObserver) -> None:
        self._inner = inner
        self._watcher = observer

    def __iter__(self) -> _ObservedIterator:
        return self

    def __next__(self) -> object:
        with self._watcher:
            return self._watcher.see(next(self._inner))

    def __del__(self) -> None:
        # Not every version of the library closes a stream that is garbage-collected.
        self._watcher.closed()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _AsyncObservedIterator:
    def __init__(self, inner: AsyncIterator[object], observer: _StreamObserver) -> None:
        self._inner = inner
        self._watcher = observer

    def __aiter__(self) -> _AsyncObservedIterator:
        return self

    async def __anext__(self) -> object:
        with self._watcher:
            return self._watcher.see(await self._inner.__anext__())

    def __del__(self) -> None:
        self._watcher.closed()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def _observe_close(response: object, name: str, observer: _StreamObserver) -> None:
    """Detects the end of a stream that is not read to its end: closing it closes the response."""
    close: Callable[[object], Any] = getattr(type(response), name)
    # A weak reference: an unused stream must be freed immediately, together with its connection.
    itself = weakref.ref(response)

    def closed() -> Any:
        observer.closed()
        response = itself()
        return None if response is None else close(response)

    async def aclosed() -> None:
        closing = closed()
        if closing is not None:
            await closing

    setattr(response, name, aclosed if name == "aclose" else closed)
