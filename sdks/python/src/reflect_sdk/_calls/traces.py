"""Calls about traces."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from reflect_sdk import _recalled
from reflect_sdk._calls.base import POLL_INTERVAL, Caller, stored
from reflect_sdk._ids import new_trace_id
from reflect_sdk._wire import bodies, traces
from reflect_sdk._wire.bodies import TrajectoryInput
from reflect_sdk.errors import TruncatedResultWarning
from reflect_sdk.models import DeletedTraces, Trace, TraceSubmission


class TraceCalls(Caller):
    """Storing runs and reading them."""

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
        background: bool = False,
    ) -> TraceSubmission:
        """Stores a run.

        Args:
            task: What the agent was asked to do.
            trajectory: The messages, or text.
            final_response: The agent's answer; taken from the last assistant message when absent.
            retrieved_memory_ids: The memories that the run was shown; their utilities move with the review.
            model: The model's name.
            metadata: Anything that is JSON.
            review_result: "pass", "fail", "success" or "failure"; left out, the review is deferred.
            feedback_text: What went wrong.
            alpha: How far the review moves utilities, 0 to 1.
            reference_context: Fixed text that the run was held against, such as a policy.
            retrieval_id: The receipt of the retrieval, instead of the ids or beside them.
            used_memory_ids: Which of the memories the agent acted on, when you know it.
            background: Returns at once and lets the run be sent like those of `trace()`: it is never lost, and
                `ingest_status` is "queued" because nobody has answered yet.

        Example:
            submission = client.create_trace(
                task="Parse the CSV and return the top 5 rows",
                trajectory=[{"role": "assistant", "content": "Here are the top 5 rows: ..."}],
                retrieved_memory_ids=[memory.id for memory in augmented.memories],
                review_result="pass",
            )
        """
        body = _body(self, locals())
        if background:
            self._outgoing.submit(body)
            return TraceSubmission(body["trace_id"], "queued")
        return self._run(traces.create(self._place, body))

    async def create_trace_async(
        self: Caller,
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
        background: bool = False,
    ) -> TraceSubmission:
        """The same as `create_trace`, awaited."""
        body = _body(self, locals())
        if background:
            await self._outgoing.submit_async(body)
            return TraceSubmission(body["trace_id"], "queued")
        return await self._run_async(traces.create(self._place, body))

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
        poll_interval: float = 0.25,
        wait_timeout: float = 60.0,
    ) -> Trace:
        """Stores a run and waits until its review has become a memory.

        The arguments are those of `create_trace`, and those of `wait_for_trace`. Without a review there is
        nothing to wait for.

        Raises:
            RuntimeError: The review could not be learned from (`IngestFailedError`).
            TimeoutError: It took longer than `wait_timeout` (`WaitTimeoutError`); it goes on on the server.
        """
        body = _body(self, locals())
        made = self._run(traces.create(self._place, body))
        return self._run(self._waiting(made.id, review_result is not None, poll_interval, wait_timeout))

    async def create_trace_and_wait_async(
        self: Caller,
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
        poll_interval: float = 0.25,
        wait_timeout: float = 60.0,
    ) -> Trace:
        """The same as `create_trace_and_wait`, awaited."""
        body = _body(self, locals())
        made = await self._run_async(traces.create(self._place, body))
        return await self._run_async(self._waiting(made.id, review_result is not None, poll_interval, wait_timeout))

    def wait_for_trace(
        self,
        trace_id: str | None,
        *,
        require_reviewed: bool = False,
        poll_interval: float = POLL_INTERVAL,
        wait_timeout: float = 60.0,
    ) -> Trace:
        """The trace, once it is stored, and reviewed if that is asked for.

        Args:
            trace_id: The trace to wait for.
            require_reviewed: Wait until its review has become a memory.
            poll_interval: Seconds between two questions; the server is asked to answer when there is news.
            wait_timeout: The most seconds to wait.

        Raises:
            RuntimeError: The review could not be learned from (`IngestFailedError`).
            TimeoutError: The time is over (`WaitTimeoutError`).
            NotFoundError: There is no such trace.
        """
        trace_id = stored(trace_id)
        self._caught_up(trace_id)
        return self._run(self._waiting(trace_id, require_reviewed, poll_interval, wait_timeout))

    async def wait_for_trace_async(
        self: Caller,
        trace_id: str | None,
        *,
        require_reviewed: bool = False,
        poll_interval: float = POLL_INTERVAL,
        wait_timeout: float = 60.0,
    ) -> Trace:
        """The same as `wait_for_trace`, awaited."""
        trace_id = stored(trace_id)
        await self._caught_up_async(trace_id)
        return await self._run_async(self._waiting(trace_id, require_reviewed, poll_interval, wait_timeout))

    def get_trace(self, trace_id: str | None) -> Trace:
        """One trace with its trajectory, its review and the memory that it became."""
        trace_id = stored(trace_id)
        self._caught_up(trace_id)
        return self._run(traces.get(self._place, trace_id))

    async def get_trace_async(self: Caller, trace_id: str | None) -> Trace:
        """The same as `get_trace`, awaited."""
        trace_id = stored(trace_id)
        await self._caught_up_async(trace_id)
        return await self._run_async(traces.get(self._place, trace_id))

    def list_traces(self, *, review_status: str | None = None, max_items: int = 10_000) -> list[Trace]:
        """All traces, newest first. Warns with `TruncatedResultWarning` when there are more than `max_items`.

        Args:
            review_status: "pending" or "reviewed"; both when absent.
            max_items: Where to stop. Use `iter_traces` to go through any number of them.
        """
        found: list[Trace] = []
        self._caught_up()
        cursor: str | None = None
        while True:
            page, cursor = self._run(traces.page(self._place, review_status, cursor, None))
            found.extend(page)
            if cursor is None or len(found) >= max_items:
                return _cut(found, max_items, more=cursor is not None)

    async def list_traces_async(
        self: Caller, *, review_status: str | None = None, max_items: int = 10_000
    ) -> list[Trace]:
        """The same as `list_traces`, awaited."""
        found: list[Trace] = []
        await self._caught_up_async()
        cursor: str | None = None
        while True:
            page, cursor = await self._run_async(traces.page(self._place, review_status, cursor, None))
            found.extend(page)
            if cursor is None or len(found) >= max_items:
                return _cut(found, max_items, more=cursor is not None)

    def iter_traces(self, *, review_status: str | None = None, page_size: int | None = None) -> Iterator[Trace]:
        """Goes through all traces, newest first, a page at a time.

        Args:
            review_status: "pending" or "reviewed"; both when absent.
            page_size: Traces per request, 100 at most.
        """
        self._caught_up()
        cursor: str | None = None
        while True:
            page, cursor = self._run(traces.page(self._place, review_status, cursor, page_size))
            yield from page
            if cursor is None:
                return

    async def iter_traces_async(
        self: Caller, *, review_status: str | None = None, page_size: int | None = None
    ) -> AsyncIterator[Trace]:
        """The same as `iter_traces`, with `async for`."""
        await self._caught_up_async()
        cursor: str | None = None
        while True:
            page, cursor = await self._run_async(traces.page(self._place, review_status, cursor, page_size))
            for trace in page:
                yield trace
            if cursor is None:
                return

    def delete_traces(self, trace_ids: Sequence[str]) -> DeletedTraces:
        """Deletes traces with their reviews; the answer lists those that were there."""
        self._caught_up()
        return self._run(traces.delete(self._place, trace_ids))

    async def delete_traces_async(self: Caller, trace_ids: Sequence[str]) -> DeletedTraces:
        """The same as `delete_traces`, awaited."""
        await self._caught_up_async()
        return await self._run_async(traces.delete(self._place, trace_ids))

    def retry_trace(self, trace_id: str | None) -> Trace:
        """Gives a trace whose review could not be learned from another chance, when the cause is mended."""
        return self._run(traces.retry(self._place, stored(trace_id)))

    async def retry_trace_async(self: Caller, trace_id: str | None) -> Trace:
        """The same as `retry_trace`, awaited."""
        return await self._run_async(traces.retry(self._place, stored(trace_id)))


def _body(client: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a trace from the arguments of the four calls that store one."""
    ids: Sequence[str] = given["retrieved_memory_ids"]
    # An empty list says that there were none; the default says nothing.
    named = bool(ids) or given["retrieval_id"] is not None or isinstance(ids, list)
    remembered = _recalled.receipt_for(client.base_url, client.project_id, given["task"], named=named)
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
    )


def _cut(found: list[Trace], max_items: int, *, more: bool) -> list[Trace]:
    if more or len(found) > max_items:
        warnings.warn(
            f"There are more than {max_items} traces; the rest was left out. Use iter_traces().",
            TruncatedResultWarning,
            stacklevel=3,
        )
    return found[:max_items]
