"""Blocks that are inside a trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from reflect_sdk.models import AugmentedTask
from reflect_sdk.tracing.context import TraceContext
from reflect_sdk.tracing.current import enter, leave


@contextmanager
def trace() -> Iterator[TraceContext]:
    """As `client.trace()` makes them, without the retrieval before and the delivery behind."""
    context = TraceContext(AugmentedTask(augmented_task="t", task="t"))
    token = enter(context)
    try:
        yield context
    finally:
        leave(token)
