"""Calls that wrap a run, and those that see to it that runs arrive."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from reflect_sdk._calls.base import Caller
from reflect_sdk._calls.questions import question
from reflect_sdk.tracing.block import AsyncTraceBlock, TraceBlock, Wish

if TYPE_CHECKING:
    from reflect_sdk._delivery import DeliveryCounters, FlushResult

C = TypeVar("C", bound="RunCalls")


class RunCalls(Caller):
    """Runs as blocks, and their delivery."""

    def trace(
        self,
        task: str,
        *,
        limit: int = 10,
        lambda_: float = 0.5,
        blocking: bool = False,
        auto_fail_on_exception: bool = True,
        similarity_threshold: float | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        mmr_lambda: float | None = None,
        ranking: str | None = None,
        max_tokens: int | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> TraceBlock:
        """A run as a `with` block: memories are retrieved on entry, the trace is stored on exit.

        Neither waits for a server in trouble, and neither raises because of one. Without memories in time the
        run goes on with `ctx.degraded` set; the trace is sent in the background and, if need be, by a later
        process.

        Args:
            task: What the agent is asked to do.
            limit: The most memories, 1 to 100.
            lambda_: How much utility counts against similarity: 0 is similarity alone, 1 utility alone.
            blocking: Wait at the end of the block until the review has become a memory.
            auto_fail_on_exception: Store a run that ends with an exception as failed, with its text as feedback.
            similarity_threshold: The least similarity; the server's own when absent.
            metadata_filter: Only memories whose metadata has these values.
            mmr_lambda: 1 ranks by score alone; below, memories that differ from those already chosen come first.
            ranking: "learned" or "classic"; the project's own choice when absent.
            max_tokens: The budget of the memories in the prompt.
            metadata: Metadata of the trace; `set_output` may add to it.

        Example:
            with client.trace("Refund order 1182") as ctx:
                answer = my_agent(ctx.augmented_task)
                ctx.set_output(trajectory=[{"role": "assistant", "content": answer}], result="pass")
        """
        asked = question(self, locals())
        return TraceBlock(self, Wish(asked, blocking, auto_fail_on_exception, metadata or {}))

    def trace_async(
        self: Caller,
        task: str,
        *,
        limit: int = 10,
        lambda_: float = 0.5,
        blocking: bool = False,
        auto_fail_on_exception: bool = True,
        similarity_threshold: float | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        mmr_lambda: float | None = None,
        ranking: str | None = None,
        max_tokens: int | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> AsyncTraceBlock:
        """The same as `trace`, for `async with`."""
        asked = question(self, locals())
        return AsyncTraceBlock(self, Wish(asked, blocking, auto_fail_on_exception, metadata or {}))

    def flush(self, timeout: float = 10.0) -> FlushResult:
        """Sends all runs of this project now, and says what the server acknowledged.

        `sent` were acknowledged since the last flush. `pending` are still in memory only, `spooled` are safe on
        disk and will be sent later, `dropped` are lost, and the log says why.
        """
        return self._outgoing.flush(timeout)

    async def flush_async(self: Caller, timeout: float = 10.0) -> FlushResult:
        """The same as `flush`, awaited."""
        return await self._outgoing.flush_async(timeout)

    def close(self, timeout: float = 10.0) -> FlushResult:
        """Sends what is on its way, without waiting for a server that is away: what is left is sent later.

        The client can be used on; connections belong to the process.
        """
        return self._outgoing.close(timeout)

    async def close_async(self: Caller, timeout: float = 10.0) -> FlushResult:
        """The same as `close`, awaited."""
        return await self._outgoing.close_async(timeout)

    @property
    def delivery(self) -> DeliveryCounters:
        """What became of the runs of this process: produced, sent, spooled, dropped and why.

        Clients with another `spool` have an outbox of their own, and are counted there.
        """
        return self._outgoing.outbox.counters()

    def __enter__(self: C) -> C:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
