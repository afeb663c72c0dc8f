"""Generators as runs.

The caller's code executes between two values and is not part of the run. A generator has no context of its own, so
the run is the current one only while the generator's body executes.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any

from reflect_sdk.tracing import current
from reflect_sdk.tracing.context import TraceContext


def streamed(inner: Generator[Any, Any, Any], chunks: list[Any], context: TraceContext) -> Generator[Any, Any, Any]:
    """Forwards values in both directions and collects the yielded values."""
    step: Callable[[], Any] = functools.partial(next, inner)
    while True:
        token = current.enter(context)
        try:
            value = step()
        except StopIteration as end:
            return end.value
        finally:
            current.leave(token)
        chunks.append(value)
        try:
            sent = yield value
        except GeneratorExit:
            inner.close()
            raise
        except BaseException as error:
            step = functools.partial(inner.throw, error)
        else:
            step = functools.partial(inner.send, sent)


async def streamed_async(
    inner: AsyncGenerator[Any, Any], chunks: list[Any], context: TraceContext
) -> AsyncGenerator[Any, None]:
    """Forwards and collects the yielded values."""
    try:
        while True:
            token = current.enter(context)
            try:
                value = await anext(inner)
            except StopAsyncIteration:
                return
            finally:
                current.leave(token)
            chunks.append(value)
            yield value
    finally:
        await inner.aclose()
