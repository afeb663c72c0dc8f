"""Calls about traces."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from reflect_sdk import _receipts
from reflect_sdk._arguments import named_arguments, require_result_for, require_text, require_trajectory
from reflect_sdk._calls.base import POLL_INTERVAL, BaseClient, require_trace_id
from reflect_sdk._calls.limits import cut, renamed
from reflect_sdk._ids import new_trace_id
from reflect_sdk._wire import bodies, traces
from reflect_sdk._wire.bodies import TrajectoryInput
from reflect_sdk.models import DeletedTraces, Trace, TraceSubmission


class TraceCalls(BaseClient):
    """Store, read and delete traces."""

    @named_arguments
    def create_trace(
        self,
        *,
        task: str,
        trajectory: TrajectoryInput,
        final_response: str | None = None,
        retrieved_memory_ids: Sequence[str] = (),
        model: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        review_result: str | None = None,
        feedback_text: str | None = None,
        alpha: float | None = None,
        reference_context: str | None = None,
        retrieval_id: str | None = None,
        used_memory_ids: Sequence[str] | None = None,
        keys: Mapping[str, str] | None = None,
        background: bool = False,
    ) -> TraceSubmission:
        """Stores a run.

        Args:
            task: The task of the agent.
            trajectory: The messages, or text.
            final_response: The agent's answer; taken from the last assistant message when absent.
            retrieved_memory_ids: The memories that were given to the run; the review updates their utilities.
            model: The model's name.
            metadata: Any JSON object.
            review_result: "pass", "fail", "success" or "failure"; when absent, the review is deferred.
            feedback_text: What went wrong.
            alpha: The learning rate: how far the review moves utilities, 0 to 1.
            reference_context: Reference text that the run is judged against, such as a policy.
            retrieval_id: The receipt of the retrieval, instead of the ids or in addition to them.
            used_memory_ids: The memories that the agent used, if known.
            keys: Keys by which signals find the run later, such as {"session": ..., "commit": ...}; the mask does not
                apply to them.
            background: Returns immediately and sends the run in the background, like `trace()`. `ingest_status` is
                then "queued", because the server has not answered yet.

        Example:
            submission = client.create_trace(
                task="Parse the CSV and return the top 5 rows",
                trajectory=[{"role": "assistant", "content": "Here are the top 5 rows: ..."}],
                retrieved_memory_ids=[memory.id for memory in augmented.memories],
                review_result="pass",
            )
        """
        api = self._called("create_trace")
        body = _body(self, api.call, locals())
        if background:
            self._outgoing.submit(body)
            return TraceSubmission(body["trace_id"], "queued")
        return self._run(traces.create(api, body))

    @named_arguments
    async def create_trace_async(
        self: BaseClient,
        *,
        task: str,
        trajectory: TrajectoryInput,
        final_response: str | None = None,
        retrieved_memory_ids: Sequence[str] = (),
        model: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        review_result: str | None = None,
        feedback_text: str | None = None,
        alpha: float | None = None,
        reference_context: str | None = None,
        retrieval_id: str | None = None,
        used_memory_ids: Sequence[str] | None = None,
        keys: Mapping[str, str] | None = None,
        background: bool = False,
    ) -> TraceSubmission:
        """The same as `create_trace`, awaited."""
        api = self._awaited("create_trace")
        body = _body(self, api.call, locals())
        if background:
            await self._outgoing.submit_async(body)
            return TraceSubmission(body["trace_id"], "queued")
        return await self._run_async(traces.create(api, body))

    @named_arguments
    def create_trace_and_wait(
        self,
        *,
        task: str,
        trajectory: TrajectoryInput,
        final_response: str | None = None,
        retrieved_memory_ids: Sequence[str] = (),
        model: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        review_result: str | None = None,
        feedback_text: str | None = None,
        alpha: float | None = None,
        reference_context: str | None = None,
        retrieval_id: str | None = None,
        used_memory_ids: Sequence[str] | None = None,
        keys: Mapping[str, str] | None = None,
        poll_interval: float = 0.25,
        wait_timeout: float = 60.0,
    ) -> Trace:
        """Stores a run and waits until its review has become a memory.

        Takes the arguments of `create_trace` and `wait_for_trace`. Without a review it returns as soon as the
        trace is stored.

        Raises:
            RuntimeError: Learning from the review failed (`IngestFailedError`).
            TimeoutError: `wait_timeout` has passed (`WaitTimeoutError`); the server continues processing.
        """
        api = self._called("create_trace_and_wait")
        body = _body(self, api.call, locals())
        made = self._run(traces.create(api, body))
        waiting = self._waiting(api, made.id, review_result is not None, poll_interval, wait_timeout)
        return self._run(waiting)

    @named_arguments
    async def create_trace_and_wait_async(
        self: BaseClient,
        *,
        task: str,
        trajectory: TrajectoryInput,
        final_response: str | None = None,
        retrieved_memory_ids: Sequence[str] = (),
        model: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        review_result: str | None = None,
        feedback_text: str | None = None,
        alpha: float | None = None,
        reference_context: str | None = None,
        retrieval_id: str | None = None,
        used_memory_ids: Sequence[str] | None = None,
        keys: Mapping[str, str] | None = None,
        poll_interval: float = 0.25,
        wait_timeout: float = 60.0,
    ) -> Trace:
        """The same as `create_trace_and_wait`, awaited."""
        api = self._awaited("create_trace_and_wait")
        body = _body(self, api.call, locals())
        made = await self._run_async(traces.create(api, body))
        waiting = self._waiting(api, made.id, review_result is not None, poll_interval, wait_timeout)
        return await self._run_async(waiting)

    def wait_for_trace(
        self,
        trace_id: str | None,
        *,
        require_reviewed: bool = False,
        poll_interval: float = POLL_INTERVAL,
        wait_timeout: float = 60.0,
    ) -> Trace:
        """Waits until the trace is stored and, with `require_reviewed`, until its review is processed.

        Args:
            trace_id: The trace to wait for.
            require_reviewed: Wait until its review has become a memory.
            poll_interval: Minimum seconds between two requests; each request is a long poll.
            wait_timeout: The maximum number of seconds to wait.

        Raises:
            RuntimeError: Learning from the review failed (`IngestFailedError`).
            TimeoutError: `wait_timeout` has passed (`WaitTimeoutError`).
            NotFoundError: The trace does not exist.
        """
        api = self._called("wait_for_trace")
        trace_id = require_trace_id(api, trace_id)
        self._flush_pending(trace_id)
        return self._run(self._waiting(api, trace_id, require_reviewed, poll_interval, wait_timeout))

    async def wait_for_trace_async(
        self: BaseClient,
        trace_id: str | None,
        *,
        require_reviewed: bool = False,
        poll_interval: float = POLL_INTERVAL,
        wait_timeout: float = 60.0,
    ) -> Trace:
        """The same as `wait_for_trace`, awaited."""
        api = self._awaited("wait_for_trace")
        trace_id = require_trace_id(api, trace_id)
        await self._flush_pending_async(trace_id)
        return await self._run_async(self._waiting(api, trace_id, require_reviewed, poll_interval, wait_timeout))

    def get_trace(self, trace_id: str | None) -> Trace:
        """One trace with its trajectory, its review and the id of the memory created from it."""
        api = self._called("get_trace")
        trace_id = require_trace_id(api, trace_id)
        self._flush_pending(trace_id)
        return self._run(traces.get(api, trace_id))

    async def get_trace_async(self: BaseClient, trace_id: str | None) -> Trace:
        """The same as `get_trace`, awaited."""
        api = self._awaited("get_trace")
        trace_id = require_trace_id(api, trace_id)
        await self._flush_pending_async(trace_id)
        return await self._run_async(traces.get(api, trace_id))

    def list_traces(
        self, *, review_status: str | None = None, limit: int = 10_000, max_items: int | None = None
    ) -> list[Trace]:
        """All traces, newest first. Warns with `TruncatedResultWarning` when there are more than `limit`.

        Args:
            review_status: "pending" or "reviewed"; both when absent.
            limit: The maximum number of traces. Use `iter_traces` to read all of them.
            max_items: The old name of `limit`; deprecated.
        """
        limit = renamed("list_traces", "max_items", max_items, "limit", limit)
        found: list[Trace] = []
        api = self._called("list_traces")
        self._flush_pending()
        cursor: str | None = None
        while True:
            page, cursor = self._run(traces.page(api, review_status, cursor, None))
            found.extend(page)
            if cursor is None or len(found) >= limit:
                return cut("traces", found, limit, more=cursor is not None)

    async def list_traces_async(
        self: BaseClient, *, review_status: str | None = None, limit: int = 10_000, max_items: int | None = None
    ) -> list[Trace]:
        """The same as `list_traces`, awaited."""
        limit = renamed("list_traces", "max_items", max_items, "limit", limit)
        found: list[Trace] = []
        api = self._awaited("list_traces")
        await self._flush_pending_async()
        cursor: str | None = None
        while True:
            page, cursor = await self._run_async(traces.page(api, review_status, cursor, None))
            found.extend(page)
            if cursor is None or len(found) >= limit:
                return cut("traces", found, limit, more=cursor is not None)

    def iter_traces(self, *, review_status: str | None = None, page_size: int | None = None) -> Iterator[Trace]:
        """Iterates over all traces, newest first, page by page.

        Args:
            review_status: "pending" or "reviewed"; both when absent.
            page_size: Traces per request, at most 100.
        """
        api = self._called("iter_traces")
        self._flush_pending()
        cursor: str | None = None
        while True:
            page, cursor = self._run(traces.page(api, review_status, cursor, page_size))
            yield from page
            if cursor is None:
                return

    async def iter_traces_async(
        self: BaseClient, *, review_status: str | None = None, page_size: int | None = None
    ) -> AsyncIterator[Trace]:
        """The same as `iter_traces`, with `async for`."""
        api = self._awaited("iter_traces")
        await self._flush_pending_async()
        cursor: str | None = None
        while True:
            page, cursor = await self._run_async(traces.page(api, review_status, cursor, page_size))
            for trace in page:
                yield trace
            if cursor is None:
                return

    def delete_traces(self, trace_ids: Sequence[str]) -> DeletedTraces:
        """Deletes traces and their reviews; the result lists the traces that existed."""
        self._flush_pending()
        return self._run(traces.delete(self._called("delete_traces"), trace_ids))

    async def delete_traces_async(self: BaseClient, trace_ids: Sequence[str]) -> DeletedTraces:
        """The same as `delete_traces`, awaited."""
        await self._flush_pending_async()
        return await self._run_async(traces.delete(self._awaited("delete_traces"), trace_ids))

    def retry_trace(self, trace_id: str | None) -> Trace:
        """Retries learning from a review that failed. Fix the cause of the failure first."""
        api = self._called("retry_trace")
        return self._run(traces.retry(api, require_trace_id(api, trace_id)))

    async def retry_trace_async(self: BaseClient, trace_id: str | None) -> Trace:
        """The same as `retry_trace`, awaited."""
        api = self._awaited("retry_trace")
        return await self._run_async(traces.retry(api, require_trace_id(api, trace_id)))


def _body(client: BaseClient, call: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The request body of a trace, from the arguments of the four calls that store one."""
    require_text(call, "task", given["task"])
    require_trajectory(call, given["trajectory"])
    require_result_for(call, "review_result", given["review_result"], given["feedback_text"])
    ids: Sequence[str] = given["retrieved_memory_ids"]
    # An explicit empty list means "no memories"; the default tuple means "not specified".
    named = bool(ids) or given["retrieval_id"] is not None or isinstance(ids, list)
    remembered = _receipts.receipt_for(client.base_url, client.project_id, given["task"], named=named)
    result: str | None = given["review_result"]
    return bodies.trace(
        trace_id=new_trace_id(),
        task=given["task"],
        trajectory=given["trajectory"],
        final_response=given["final_response"],
        retrieved_memory_ids=ids,
        model=given["model"],
        metadata=given["metadata"],
        review=None if result is None else bodies.review(result, given["feedback_text"], given["alpha"]),
        reference_context=given["reference_context"],
        retrieval_id=given["retrieval_id"] or remembered,
        used_memory_ids=given["used_memory_ids"],
        keys=given["keys"],
    )
