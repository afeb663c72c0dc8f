"""Calls that record a run, and calls that control delivery."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from reflect_sdk._calls.base import BaseClient
from reflect_sdk._calls.query_body import query_body
from reflect_sdk.tracing.block import AsyncTraceBlock, TraceBlock, TraceOptions

if TYPE_CHECKING:
    from reflect_sdk._delivery import DeliveryCounters, FlushResult

C = TypeVar("C", bound="RunCalls")


class RunCalls(BaseClient):
    """Runs as `with` blocks, and their delivery."""

    def trace(
        self,
        task: str,
        *,
        limit: int = 10,
        lambda_: float | None = None,
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

        Neither step raises an exception or blocks when the server is unavailable, or when a proxy answers in its
        place. If memories do not arrive in time, the run continues without them and `ctx.degraded` is set. The trace
        is sent in the background; if this process ends first, a later process sends it.

        Args:
            task: The task of the agent.
            limit: The maximum number of memories, 1 to 100.
            lambda_: The weight of utility against similarity: 0 is similarity only, 1 is utility only; the
                project's weight when absent.
            blocking: Wait at the end of the block until the review has become a memory. If learning failed,
                `IngestFailedError` is raised. If the server does not answer, the block ends with a warning.
            auto_fail_on_exception: Store a run that ends with an exception as failed, with its text as feedback.
            similarity_threshold: The minimum similarity; the server's default when absent.
            metadata_filter: Only memories whose metadata has these values.
            mmr_lambda: 1 ranks by score only; lower values prefer memories that differ from those already chosen.
            ranking: "learned" or "classic"; the project's setting when absent.
            max_tokens: The token budget for memories in the prompt.
            metadata: Metadata of the trace; `set_output` may add to it.

        Example:
            with client.trace("Refund order 1182") as ctx:
                answer = my_agent(ctx.augmented_task)
                ctx.set_output(trajectory=[{"role": "assistant", "content": answer}], result="pass")
        """
        asked = query_body(self, self._called("trace").call, locals())
        return TraceBlock(self, TraceOptions(asked, blocking, auto_fail_on_exception, metadata or {}))

    def trace_async(
        self: BaseClient,
        task: str,
        *,
        limit: int = 10,
        lambda_: float | None = None,
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
        asked = query_body(self, self._awaited("trace").call, locals())
        return AsyncTraceBlock(self, TraceOptions(asked, blocking, auto_fail_on_exception, metadata or {}))

    def flush(self, timeout: float = 10.0) -> FlushResult:
        """Sends all runs of this project now and returns what the server acknowledged.

        `sent` runs were acknowledged since the last flush. `pending` runs are in memory only. `spooled` runs are
        on disk and are sent later. `dropped` runs are lost; the log has the reason.
        """
        return self._outgoing.flush(timeout)

    async def flush_async(self: BaseClient, timeout: float = 10.0) -> FlushResult:
        """The same as `flush`, awaited."""
        return await self._outgoing.flush_async(timeout)

    def close(self, timeout: float = 10.0) -> FlushResult:
        """Sends the queued runs. Does not wait for an unreachable server: the remaining runs are sent later.

        The client can still be used afterwards; connections belong to the process.
        """
        return self._outgoing.close(timeout)

    async def close_async(self: BaseClient, timeout: float = 10.0) -> FlushResult:
        """The same as `close`, awaited."""
        return await self._outgoing.close_async(timeout)

    @property
    def delivery(self) -> DeliveryCounters:
        """Delivery counters of this process: produced, sent, spooled, and dropped by reason.

        Clients with a different `spool` setting have a separate outbox and separate counters.
        """
        return self._outgoing.outbox.counters()

    def __enter__(self: C) -> C:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
