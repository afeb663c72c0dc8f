"""The review queue, reviews of many runs at once, and the judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflect_sdk._ids import new_trace_id
from reflect_sdk._wire.decode import field_of, list_of
from reflect_sdk._wire.http import Flow, Request
from reflect_sdk._wire.mask import masked_text, masked_trace
from reflect_sdk._wire.project_api import ProjectApi
from reflect_sdk.models import (
    BulkReview,
    DeferredTrace,
    JudgeOpinion,
    JudgeStatus,
    QueuedTrace,
    QueueLease,
    ReviewQueue,
)


def state(api: ProjectApi) -> Flow[ReviewQueue]:
    """The state of the queue."""
    return api.get(ReviewQueue.from_dict, "review-queue")


def following(api: ProjectApi, body: Mapping[str, Any]) -> Flow[list[QueuedTrace]]:
    """The next runs to review, which are leased to the caller."""
    read = field_of("items", list_of(QueuedTrace.from_dict))
    return api.post(read, api.path("review-queue", "next"), _masked(api, body))


def leases(api: ProjectApi, trace_ids: Sequence[str], more: Mapping[str, Any]) -> Flow[list[QueueLease]]:
    """Renews or releases leases; returns those that the caller still has."""
    read = field_of("held", list_of(QueueLease.from_dict))
    return api.post(read, api.path("review-queue", "leases"), {"trace_ids": list(trace_ids), **more})


def defer(api: ProjectApi, trace_id: str, body: Mapping[str, Any]) -> Flow[DeferredTrace]:
    """Defers a run."""
    safe = {**body, **masked_text(api.mask, {"note": body["note"]})} if "note" in body else dict(body)
    path = api.path("traces", trace_id, "defer")
    return api.post(DeferredTrace.from_dict, path, safe, idempotency_key=new_trace_id())


def resume(api: ProjectApi, trace_id: str) -> Flow[DeferredTrace]:
    """Ends the deferral of a run."""
    answer = yield from api.send(Request("DELETE", api.path("traces", trace_id, "defer")))
    return api.read(answer, DeferredTrace.from_dict)


def review_all(api: ProjectApi, body: Mapping[str, Any]) -> Flow[BulkReview]:
    """Gives many runs the same review."""
    path = api.path("reviews", "bulk")
    return api.post(BulkReview.from_dict, path, _masked(api, body), idempotency_key=new_trace_id())


def judge(api: ProjectApi) -> Flow[JudgeStatus]:
    """The state of the judge."""
    return api.get(JudgeStatus.from_dict, "judge")


def try_judge(api: ProjectApi, body: Mapping[str, Any]) -> Flow[JudgeOpinion]:
    """The opinion of the judge about a run."""
    safe = dict(body) if "trace_id" in body else masked_trace(api.mask, {"trajectory": [], **body})
    return api.post(JudgeOpinion.from_dict, api.path("judge", "try"), safe)


def _masked(api: ProjectApi, body: Mapping[str, Any]) -> dict[str, Any]:
    """The stored texts are masked, so filters for masked text find them."""
    texts = {name: body[name] for name in ("q", "feedback_text") if name in body}
    return {**body, **masked_text(api.mask, texts)}
