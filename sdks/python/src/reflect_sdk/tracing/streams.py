"""Generators as runs.

Between two values the caller's code runs, which is not part of the run. A generator has no context of its own, so
the run is made the current one only while the generator's body is at work.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any

from reflect_sdk.tracing import current
from reflect_sdk.tracing.context import TraceContext


def streamed(inner: Generator[Any, Any, Any], chunks: list[Any], context: TraceContext) -> Generator[Any, Any, Any]:
    """Passes everything through in both directions, and notes what was yielded."""
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
    """Passes what is yielded through, and notes it."""
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
