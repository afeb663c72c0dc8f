"""Calls about reviews."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from reflect_sdk._calls.base import Caller, stored
from reflect_sdk._wire import bodies, traces
from reflect_sdk.models import ReviewOutcome, Trace


class _NamedTrace(TypedDict):
    trace_id: str
    result: str


class TraceReview(_NamedTrace, total=False):
    """One review of `review_traces`: `trace_id` and `result`, and what else there is to say."""

    feedback_text: str | None
    alpha: float
    replace: bool


class ReviewCalls(Caller):
    """Saying how runs went."""

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

        A run of this process that is still on its way is sent first.

        Args:
            trace_id: The trace.
            result: "pass", "fail", "success" or "failure".
            feedback_text: What went wrong; specific feedback makes better memories.
            alpha: How far the review moves utilities, 0 to 1.
            replace: Takes the place of another review, and undoes what that one did.
        """
        body = _body(result, feedback_text, alpha, replace)
        trace_id = stored(trace_id)
        self._caught_up(trace_id)
        return self._run(traces.review(self._place, trace_id, body))

    async def review_trace_async(
        self: Caller,
        trace_id: str | None,
        *,
        result: str,
        feedback_text: str | None = None,
        alpha: float | None = None,
        replace: bool = False,
    ) -> Trace:
        """The same as `review_trace`, awaited."""
        body = _body(result, feedback_text, alpha, replace)
        trace_id = stored(trace_id)
        await self._caught_up_async(trace_id)
        return await self._run_async(traces.review(self._place, trace_id, body))

    def review_traces(self, reviews: Sequence[TraceReview | Mapping[str, Any]]) -> list[ReviewOutcome]:
        """Reviews many runs at once and waits for none of their memories.

        Args:
            reviews: Each with `trace_id` and `result`, perhaps `feedback_text`, `alpha` and `replace`.

        Example:
            outcomes = client.review_traces([{"trace_id": trace.id, "result": "pass"} for trace in good])
            failed = [outcome for outcome in outcomes if outcome.error]
        """
        self._caught_up()
        return self._run(traces.review_several(self._place, reviews))

    async def review_traces_async(
        self: Caller, reviews: Sequence[TraceReview | Mapping[str, Any]]
    ) -> list[ReviewOutcome]:
        """The same as `review_traces`, awaited."""
        await self._caught_up_async()
        return await self._run_async(traces.review_several(self._place, reviews))

    def withdraw_review(self, trace_id: str | None) -> Trace:
        """Takes a review back: utilities are computed without it, and the memory that it made is retired."""
        return self._run(traces.withdraw_review(self._place, stored(trace_id)))

    async def withdraw_review_async(self: Caller, trace_id: str | None) -> Trace:
        """The same as `withdraw_review`, awaited."""
        return await self._run_async(traces.withdraw_review(self._place, stored(trace_id)))


def _body(result: str, feedback_text: str | None, alpha: float | None, replace: bool) -> dict[str, Any]:
    body = bodies.review(result, feedback_text, alpha)
    if replace:
        body["replace"] = True
    return body
