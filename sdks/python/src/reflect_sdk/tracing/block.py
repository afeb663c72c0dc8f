"""The blocks that `client.trace()` and `client.trace_async()` open."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from contextvars import Token
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from reflect_sdk._wire.recall import fail_open
from reflect_sdk.models import AugmentedTask
from reflect_sdk.tracing import current
from reflect_sdk.tracing.context import TraceContext
from reflect_sdk.tracing.ending import trace_of

if TYPE_CHECKING:
    from reflect_sdk._calls.base import Caller

B = TypeVar("B", bound="_Block")

_log = logging.getLogger("reflect_sdk")
# Where blocks were opened that had nothing to store: each place is told once.
_told_empty: set[str] = set()


@dataclass(frozen=True, slots=True)
class Wish:
    """How a run was asked for."""

    question: dict[str, Any]
    blocking: bool
    auto_fail: bool
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    # Seconds that a blocking run waits for its memory.
    wait_timeout: float = 60.0


class _Block:
    """What both kinds of block share."""

    def __init__(self, client: Caller, wish: Wish) -> None:
        self._client = client
        self._wish = wish
        self._context: TraceContext | None = None
        self._token: Token[TraceContext | None] | None = None
        self._opened_at = "?"
        self._is_current = True

    def aside(self: B) -> B:
        """Leaves it to the caller to make the run the current one while its code is at work."""
        self._is_current = False
        return self

    def _open(self, augmented: AugmentedTask, opened_at: str) -> TraceContext:
        self._opened_at = opened_at
        context = TraceContext(augmented, parent=current.current_trace())
        self._context = context
        if self._is_current:
            self._token = current.enter(context)
        return context

    def _close(self, error: BaseException | None) -> dict[str, Any] | None:
        """Ends the run; the body of its trace, unless there is nothing to say about it."""
        context = self._context
        assert context is not None  # a block is opened before it is closed
        if self._token is not None:
            current.leave(self._token)
        body = trace_of(context, error, auto_fail=self._wish.auto_fail, metadata=self._wish.metadata)
        if body is None and self._opened_at not in _told_empty:
            _told_empty.add(self._opened_at)
            _log.warning(
                "The run of the block at %s ended without ctx.set_output(...) and with nothing captured, so there "
                "is nothing to store. Call ctx.set_output(trajectory=...) before the block ends.",
                self._opened_at,
            )
        if body is None:
            self._client._outgoing.count_empty()  # pyright: ignore[reportPrivateUsage]
        return body

    def _mark_submitted(self) -> None:
        assert self._context is not None
        self._context._submitted = True  # pyright: ignore[reportPrivateUsage]

    def _must_learn(self, body: dict[str, Any]) -> bool:
        return "review" in body


class TraceBlock(_Block):
    """A run as a `with` block."""

    def __enter__(self) -> TraceContext:
        settings = self._client._settings  # pyright: ignore[reportPrivateUsage]
        flow = fail_open(settings.recall_place, self._wish.question, raise_refusals=False)
        augmented = self._client._run(flow)  # pyright: ignore[reportPrivateUsage]
        return self._open(augmented, caller_of(2))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        body = self._close(error)
        if body is None:
            return
        self._client._outgoing.submit(body)  # pyright: ignore[reportPrivateUsage]
        self._mark_submitted()
        if self._wish.blocking and error is None:
            self._client._settled(  # pyright: ignore[reportPrivateUsage]
                body["trace_id"], learned=self._must_learn(body), wait_timeout=self._wish.wait_timeout
            )


class AsyncTraceBlock(_Block):
    """A run as an `async with` block."""

    async def __aenter__(self) -> TraceContext:
        opened_at = caller_of(2)
        settings = self._client._settings  # pyright: ignore[reportPrivateUsage]
        flow = fail_open(settings.recall_place, self._wish.question, raise_refusals=False)
        augmented = await self._client._run_async(flow)  # pyright: ignore[reportPrivateUsage]
        return self._open(augmented, opened_at)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        body = self._close(error)
        if body is None:
            return
        await self._client._outgoing.submit_async(body)  # pyright: ignore[reportPrivateUsage]
        self._mark_submitted()
        if self._wish.blocking and error is None:
            await self._client._settled_async(  # pyright: ignore[reportPrivateUsage]
                body["trace_id"], learned=self._must_learn(body), wait_timeout=self._wish.wait_timeout
            )


def caller_of(depth: int) -> str:
    """File and line of the code that opened a block."""
    try:
        frame = sys._getframe(depth)  # pyright: ignore[reportPrivateUsage]
    except ValueError:
        return "?"
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
