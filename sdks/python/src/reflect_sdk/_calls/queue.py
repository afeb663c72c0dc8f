"""Calls about the review queue, reviews of many runs at once, and the judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflect_sdk._arguments import named_arguments, require_text
from reflect_sdk._calls.base import BaseClient
from reflect_sdk._wire import queue
from reflect_sdk._wire.bodies import TrajectoryInput, review_result
from reflect_sdk.errors import InvalidArgumentError
from reflect_sdk.models import (
    BulkReview,
    DeferredTrace,
    JudgeOpinion,
    JudgeStatus,
    QueuedTrace,
    QueueLease,
    ReviewQueue,
)


class QueueCalls(BaseClient):
    """Take runs from the review queue, defer them, review many at once, and ask the judge."""

    def get_review_queue(self) -> ReviewQueue:
        """How many runs wait for a review, and for how long."""
        self._flush_pending()
        return self._run(queue.state(self._called("get_review_queue")))

    async def get_review_queue_async(self: BaseClient) -> ReviewQueue:
        """The same as `get_review_queue`, awaited."""
        await self._flush_pending_async()
        return await self._run_async(queue.state(self._awaited("get_review_queue")))

    def next_reviews(
        self,
        count: int = 3,
        *,
        order: str | None = None,
        query: str | None = None,
        lease_seconds: int | None = None,
        skip: Sequence[str] = (),
        renew: bool = False,
        reviewer: str | None = None,
    ) -> list[QueuedTrace]:
        """The next runs to review. They are leased to the caller: the queue does not give them to others.

        Args:
            count: How many runs, 1 to 20.
            order: "informative", "newest", "oldest", "errors" or "random"; the most informative first when absent.
            query: Only runs that match, such as `model:gpt-5 signal:tool_error refund`.
            lease_seconds: How long they are leased, 1 to 900; 120 when absent.
            skip: Ids of runs that are not returned.
            renew: Returns the runs first that are already leased to the caller, and renews their leases.
            reviewer: The reviewer's name, if several people share one key.
        """
        self._flush_pending()
        return self._run(queue.following(self._called("next_reviews"), _given(locals(), _NEXT)))

    async def next_reviews_async(
        self: BaseClient,
        count: int = 3,
        *,
        order: str | None = None,
        query: str | None = None,
        lease_seconds: int | None = None,
        skip: Sequence[str] = (),
        renew: bool = False,
        reviewer: str | None = None,
    ) -> list[QueuedTrace]:
        """The same as `next_reviews`, awaited."""
        body = _given(locals(), _NEXT)
        await self._flush_pending_async()
        return await self._run_async(queue.following(self._awaited("next_reviews"), body))

    def renew_leases(
        self, trace_ids: Sequence[str], *, lease_seconds: int | None = None, reviewer: str | None = None
    ) -> list[QueueLease]:
        """Renews leases; returns those that the caller has. A lease that another reviewer took is missing.

        Args:
            trace_ids: The leased runs, at most 100.
            lease_seconds: How long the leases last from now, 1 to 900; 120 when absent.
            reviewer: The reviewer's name, as in `next_reviews`.
        """
        body = _given(locals(), ("lease_seconds", "reviewer"))
        return self._run(queue.leases(self._called("renew_leases"), trace_ids, body))

    async def renew_leases_async(
        self: BaseClient, trace_ids: Sequence[str], *, lease_seconds: int | None = None, reviewer: str | None = None
    ) -> list[QueueLease]:
        """The same as `renew_leases`, awaited."""
        body = _given(locals(), ("lease_seconds", "reviewer"))
        return await self._run_async(queue.leases(self._awaited("renew_leases"), trace_ids, body))

    def release_leases(self, trace_ids: Sequence[str], *, reviewer: str | None = None) -> None:
        """Releases leases: the queue can give the runs to others at once."""
        body = {"release": True, **_given(locals(), ("reviewer",))}
        self._run(queue.leases(self._called("release_leases"), trace_ids, body))

    async def release_leases_async(
        self: BaseClient, trace_ids: Sequence[str], *, reviewer: str | None = None
    ) -> None:
        """The same as `release_leases`, awaited."""
        body = {"release": True, **_given(locals(), ("reviewer",))}
        await self._run_async(queue.leases(self._awaited("release_leases"), trace_ids, body))

    def defer_trace(
        self,
        trace_id: str,
        *,
        seconds: int | None = None,
        until: str | None = None,
        note: str | None = None,
        reviewer: str | None = None,
    ) -> DeferredTrace:
        """Defers a run: the queue does not return it before a time.

        Args:
            trace_id: The run.
            seconds: For how many seconds from now, at most 90 days. Either this or `until` is required.
            until: Until this time, in the format of RFC 3339.
            note: A note for the next reviewer.
            reviewer: The reviewer's name, if several people share one key.
        """
        api = self._called("defer_trace")
        body = _given(locals(), _DEFERRAL)
        return self._run(queue.defer(api, require_text(api.call, "trace_id", trace_id), body))

    async def defer_trace_async(
        self: BaseClient,
        trace_id: str,
        *,
        seconds: int | None = None,
        until: str | None = None,
        note: str | None = None,
        reviewer: str | None = None,
    ) -> DeferredTrace:
        """The same as `defer_trace`, awaited."""
        api = self._awaited("defer_trace")
        body = _given(locals(), _DEFERRAL)
        return await self._run_async(queue.defer(api, require_text(api.call, "trace_id", trace_id), body))

    def resume_trace(self, trace_id: str) -> DeferredTrace:
        """Ends the deferral of a run."""
        api = self._called("resume_trace")
        return self._run(queue.resume(api, require_text(api.call, "trace_id", trace_id)))

    async def resume_trace_async(self: BaseClient, trace_id: str) -> DeferredTrace:
        """The same as `resume_trace`, awaited."""
        api = self._awaited("resume_trace")
        return await self._run_async(queue.resume(api, require_text(api.call, "trace_id", trace_id)))

    @named_arguments
    def review_in_bulk(
        self,
        *,
        result: str,
        feedback_text: str | None = None,
        query: str | None = None,
        trace_ids: Sequence[str] | None = None,
        alpha: float | None = None,
        reviewer: str | None = None,
        dry_run: bool = False,
    ) -> BulkReview:
        """Gives up to 1000 runs the same review, as one action that can be undone.

        Args:
            result: "pass", "fail", "success" or "failure".
            feedback_text: What was right or wrong with all of them; required for a fail.
            query: The runs that wait for a review and match, such as `model:gpt-5 signal:tool_error refund`.
            trace_ids: These runs, instead of `query`.
            alpha: The learning rate: how far the review moves utilities, 0 to 1.
            reviewer: The reviewer's name, if several people share one key.
            dry_run: Only returns what would happen.
        """
        api = self._called("review_in_bulk")
        body = _bulk(api.call, locals())
        self._flush_pending()
        return self._run(queue.review_all(api, body))

    @named_arguments
    async def review_in_bulk_async(
        self: BaseClient,
        *,
        result: str,
        feedback_text: str | None = None,
        query: str | None = None,
        trace_ids: Sequence[str] | None = None,
        alpha: float | None = None,
        reviewer: str | None = None,
        dry_run: bool = False,
    ) -> BulkReview:
        """The same as `review_in_bulk`, awaited."""
        api = self._awaited("review_in_bulk")
        body = _bulk(api.call, locals())
        await self._flush_pending_async()
        return await self._run_async(queue.review_all(api, body))

    def get_judge(self) -> JudgeStatus:
        """What the project's judge does, and how well it agrees with people."""
        return self._run(queue.judge(self._called("get_judge")))

    async def get_judge_async(self: BaseClient) -> JudgeStatus:
        """The same as `get_judge`, awaited."""
        return await self._run_async(queue.judge(self._awaited("get_judge")))

    @named_arguments
    def try_judge(
        self,
        *,
        trace_id: str | None = None,
        task: str | None = None,
        trajectory: TrajectoryInput | None = None,
        final_response: str | None = None,
        reference_context: str | None = None,
        rubric: str | None = None,
    ) -> JudgeOpinion:
        """Asks the judge about a run. Nothing is stored except the tokens that it used.

        Args:
            trace_id: A stored run. Otherwise `task` and `trajectory` are required.
            task: The task of the run.
            trajectory: Its messages.
            final_response: The agent's answer; the last assistant message when absent.
            reference_context: Reference text that the run is judged against, such as a policy.
            rubric: A rubric instead of the project's.
        """
        api = self._called("try_judge")
        return self._run(queue.try_judge(api, _judged(api.call, locals())))

    @named_arguments
    async def try_judge_async(
        self: BaseClient,
        *,
        trace_id: str | None = None,
        task: str | None = None,
        trajectory: TrajectoryInput | None = None,
        final_response: str | None = None,
        reference_context: str | None = None,
        rubric: str | None = None,
    ) -> JudgeOpinion:
        """The same as `try_judge`, awaited."""
        api = self._awaited("try_judge")
        return await self._run_async(queue.try_judge(api, _judged(api.call, locals())))


_NEXT = ("count", "order", "query", "lease_seconds", "skip", "renew", "reviewer")
_DEFERRAL = ("seconds", "until", "note", "reviewer")
_BULK = ("feedback_text", "query", "trace_ids", "alpha", "reviewer", "dry_run")
_JUDGED = ("trace_id", "task", "trajectory", "final_response", "reference_context", "rubric")


def _given(arguments: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The arguments that the caller passed, with the names of the server."""
    given = {name: arguments[name] for name in names if arguments[name] is not None}
    for name in ("skip", "trace_ids"):
        if name in given:
            given[name] = list(given[name])
    return {"q" if name == "query" else name: value for name, value in given.items()}


def _bulk(call: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    if (arguments["query"] is None) == (arguments["trace_ids"] is None):
        raise InvalidArgumentError(f"{call}: pass either query or trace_ids.")
    return {"result": review_result(arguments["result"]), **_given(arguments, _BULK)}


def _judged(call: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    body = _given(arguments, _JUDGED)
    if ("trace_id" in body) == ("task" in body or "trajectory" in body):
        raise InvalidArgumentError(f"{call}: pass either trace_id, or task and trajectory.")
    return body
