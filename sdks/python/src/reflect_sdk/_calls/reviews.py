"""Calls about reviews."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from reflect_sdk._arguments import named_arguments
from reflect_sdk._calls.base import BaseClient, require_trace_id
from reflect_sdk._wire import bodies, traces
from reflect_sdk.models import ReviewOutcome, Trace


class _NamedTrace(TypedDict):
    trace_id: str
    result: str


class TraceReview(_NamedTrace, total=False):
    """One review for `review_traces`: `trace_id` and `result`, plus optional fields."""

    feedback_text: str | None
    alpha: float
    replace: bool
    reviewer: str


class ReviewCalls(BaseClient):
    """Create, replace and withdraw reviews."""

    @named_arguments
    def review_trace(
        self,
        trace_id: str | None,
        *,
        result: str,
        feedback_text: str | None = None,
        alpha: float | None = None,
        replace: bool = False,
    ) -> Trace:
        """Reviews a stored run and waits until the review has become a memory.

        A run that this process has not sent yet is sent first.

        Args:
            trace_id: The trace.
            result: "pass", "fail", "success" or "failure".
            feedback_text: What went wrong; specific feedback makes better memories.
            alpha: The learning rate: how far the review moves utilities, 0 to 1.
            replace: Replaces an existing review and undoes its effect on utilities.
        """
        body = _body(result, feedback_text, alpha, replace)
        api = self._called("review_trace")
        trace_id = require_trace_id(api, trace_id)
        self._flush_pending(trace_id)
        return self._run(traces.review(api, trace_id, body))

    @named_arguments
    async def review_trace_async(
        self: BaseClient,
        trace_id: str | None,
        *,
        result: str,
        feedback_text: str | None = None,
        alpha: float | None = None,
        replace: bool = False,
    ) -> Trace:
        """The same as `review_trace`, awaited."""
        body = _body(result, feedback_text, alpha, replace)
        api = self._awaited("review_trace")
        trace_id = require_trace_id(api, trace_id)
        await self._flush_pending_async(trace_id)
        return await self._run_async(traces.review(api, trace_id, body))

    def review_traces(self, reviews: Sequence[TraceReview | Mapping[str, Any]]) -> list[ReviewOutcome]:
        """Reviews many runs in one request. Does not wait for their memories.

        Args:
            reviews: Each has `trace_id` and `result`, and optionally `feedback_text`, `alpha`, `replace` and
                `reviewer`. An unknown field raises `UnknownFieldError`, and nothing is sent.

        Example:
            outcomes = client.review_traces([{"trace_id": trace.id, "result": "pass"} for trace in good])
            failed = [outcome for outcome in outcomes if outcome.error]
        """
        checked = [bodies.review_of_trace(review) for review in reviews]
        self._flush_pending()
        return self._run(traces.review_several(self._called("review_traces"), checked))

    async def review_traces_async(
        self: BaseClient, reviews: Sequence[TraceReview | Mapping[str, Any]]
    ) -> list[ReviewOutcome]:
        """The same as `review_traces`, awaited."""
        checked = [bodies.review_of_trace(review) for review in reviews]
        await self._flush_pending_async()
        return await self._run_async(traces.review_several(self._awaited("review_traces"), checked))

    def withdraw_review(self, trace_id: str | None) -> Trace:
        """Withdraws a review: utilities are recomputed without it, and the memory it created is retired."""
        api = self._called("withdraw_review")
        return self._run(traces.withdraw_review(api, require_trace_id(api, trace_id)))

    async def withdraw_review_async(self: BaseClient, trace_id: str | None) -> Trace:
        """The same as `withdraw_review`, awaited."""
        api = self._awaited("withdraw_review")
        return await self._run_async(traces.withdraw_review(api, require_trace_id(api, trace_id)))


def _body(result: str, feedback_text: str | None, alpha: float | None, replace: bool) -> dict[str, Any]:
    body = bodies.review(result, feedback_text, alpha)
    if replace:
        body["replace"] = True
    return body
