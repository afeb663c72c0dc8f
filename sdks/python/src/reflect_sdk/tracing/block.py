"""The blocks that `client.trace()` and `client.trace_async()` open."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Mapping
from contextvars import Token
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from reflect_sdk._wire.recall import fail_open, without_memories
from reflect_sdk.errors import IngestFailedError
from reflect_sdk.models import AugmentedTask
from reflect_sdk.tracing import current
from reflect_sdk.tracing.context import TraceContext
from reflect_sdk.tracing.ending import trace_of

if TYPE_CHECKING:
    from reflect_sdk._calls.base import BaseClient

B = TypeVar("B", bound="_Block")

_log = logging.getLogger("reflect_sdk")
# How long the end of a block waits for recordings in other threads. Usually they take milliseconds.
_SETTLE_SECONDS = 5.0
# Locations of blocks that had nothing to store; each location is logged once.
_warned_empty: set[str] = set()


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """The options of a run."""

    query: dict[str, Any]
    blocking: bool
    auto_fail: bool
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    # Seconds that a blocking run waits for its memory.
    wait_timeout: float = 60.0


class _Block:
    """The common part of the blocking and the asynchronous block."""

    def __init__(self, client: BaseClient, options: TraceOptions) -> None:
        self._client = client
        self._options = options
        self._context: TraceContext | None = None
        self._token: Token[TraceContext | None] | None = None
        self._opened_at = "?"
        self._is_current = True

    def without_current(self: B) -> B:
        """Does not set the current run; the caller sets it while its own code executes."""
        self._is_current = False
        return self

    def _open(self, augmented: AugmentedTask, opened_at: str) -> TraceContext:
        self._opened_at = opened_at
        context = TraceContext(augmented, parent=current.current_trace())
        self._context = context
        if self._is_current:
            self._token = current.enter(context)
        return context

    def _settle(self) -> None:
        """Waits briefly for recordings in other threads, which may not prevent the end of the block."""
        context = self._context
        for settle in () if context is None else context._settling:  # pyright: ignore[reportPrivateUsage]
            try:
                settle(_SETTLE_SECONDS)
            except Exception as problem:
                _log.warning("Waiting for recordings failed (%r).", problem, exc_info=problem)

    def _must_settle(self) -> bool:
        return self._context is not None and bool(self._context._settling)  # pyright: ignore[reportPrivateUsage]

    def _close(self, error: BaseException | None) -> dict[str, Any] | None:
        """Ends the run and returns the body of its trace, or None if there is nothing to store."""
        context = self._context
        assert context is not None  # a block is opened before it is closed
        context._end()  # pyright: ignore[reportPrivateUsage]
        if self._token is not None:
            current.leave(self._token)
        body = trace_of(context, error, auto_fail=self._options.auto_fail, metadata=self._options.metadata)
        if body is None and self._opened_at not in _warned_empty:
            _warned_empty.add(self._opened_at)
            _log.warning(
                "The block at %s ended without ctx.set_output(...) and without captured messages, so no trace "
                "is stored. Call ctx.set_output(trajectory=...) before the block ends.",
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

    def _without_memories(self, problem: Exception) -> AugmentedTask:
        """A bug in the SDK, in the user's HTTP client or in a mask must not stop the agent."""
        _log.warning("Retrieval failed (%r). The run continues without memories.", problem, exc_info=problem)
        return without_memories(self._options.query["task"], repr(problem))

    def _not_processed(self, problem: Exception) -> None:
        """Logs why a blocking block could not wait. The run is sent in the background, as without `blocking`."""
        _log.warning("%s The block ends without waiting for the memory of its run.", problem)


class TraceBlock(_Block):
    """A run as a `with` block."""

    def __enter__(self) -> TraceContext:
        settings = self._client._settings  # pyright: ignore[reportPrivateUsage]
        api = settings.retrieval_api.named(self._client._called("trace").call)  # pyright: ignore[reportPrivateUsage]
        try:
            flow = fail_open(api, self._options.query, raise_refusals=False)
            augmented = self._client._run(flow)  # pyright: ignore[reportPrivateUsage]
        except Exception as problem:
            augmented = self._without_memories(problem)
        return self._open(augmented, caller_of(2))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._settle()
        body = self._close(error)
        if body is None:
            return
        self._client._outgoing.submit(body)  # pyright: ignore[reportPrivateUsage]
        self._mark_submitted()
        if not self._options.blocking or error is not None:
            return
        try:
            self._client._wait_until_processed(  # pyright: ignore[reportPrivateUsage]
                body["trace_id"], learned=self._must_learn(body), wait_timeout=self._options.wait_timeout
            )
        except IngestFailedError:
            raise
        except Exception as problem:
            self._not_processed(problem)


class AsyncTraceBlock(_Block):
    """A run as an `async with` block."""

    async def __aenter__(self) -> TraceContext:
        opened_at = caller_of(2)
        settings = self._client._settings  # pyright: ignore[reportPrivateUsage]
        api = settings.retrieval_api.named(self._client._awaited("trace").call)  # pyright: ignore[reportPrivateUsage]
        try:
            flow = fail_open(api, self._options.query, raise_refusals=False)
            augmented = await self._client._run_async(flow)  # pyright: ignore[reportPrivateUsage]
        except Exception as problem:
            augmented = self._without_memories(problem)
        return self._open(augmented, opened_at)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._must_settle():
            # In a thread, because some recordings are tasks of this event loop.
            await asyncio.to_thread(self._settle)
        body = self._close(error)
        if body is None:
            return
        await self._client._outgoing.submit_async(body)  # pyright: ignore[reportPrivateUsage]
        self._mark_submitted()
        if not self._options.blocking or error is not None:
            return
        try:
            await self._client._wait_until_processed_async(  # pyright: ignore[reportPrivateUsage]
                body["trace_id"], learned=self._must_learn(body), wait_timeout=self._options.wait_timeout
            )
        except IngestFailedError:
            raise
        except Exception as problem:
            self._not_processed(problem)


def caller_of(depth: int) -> str:
    """File and line of the code that opened a block."""
    try:
        frame = sys._getframe(depth)  # pyright: ignore[reportPrivateUsage]
    except ValueError:
        return "?"
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
