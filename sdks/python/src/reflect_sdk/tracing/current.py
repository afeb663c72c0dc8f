"""The current run of the executing code."""

from __future__ import annotations

import contextlib
import contextvars
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reflect_sdk.tracing.context import TraceContext

_current: contextvars.ContextVar[TraceContext | None] = contextvars.ContextVar("reflect_sdk_trace", default=None)


def current_trace() -> TraceContext | None:
    """The innermost `trace()` block that this code runs in, or None.

    Example:
        ctx = reflect_sdk.current_trace()
        if ctx is not None:
            ctx.tool("search", {"query": query}, hits)
    """
    return _current.get()


def enter(context: TraceContext) -> contextvars.Token[TraceContext | None]:
    """Sets the current run."""
    return _current.set(context)


def leave(token: contextvars.Token[TraceContext | None]) -> None:
    """Restores the previous current run."""
    # A generator or a fixture may be closed in a different context than it was opened in; the token is not valid
    # there.
    with contextlib.suppress(ValueError):
        _current.reset(token)


def copy_context() -> contextvars.Context:
    """A copy of the current context. Use it to run a function in another thread as part of this run.

    Example:
        pool.submit(reflect_sdk.copy_context().run, call_tool, "search")
    """
    return contextvars.copy_context()
