"""Submitting, reading, reviewing and deleting traces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from reflect_sdk._ids import new_trace_id
from reflect_sdk._wire.decode import field_of, list_of, requiring
from reflect_sdk._wire.http import Flow, Request
from reflect_sdk._wire.mask import masked_review, masked_trace
from reflect_sdk._wire.project_api import ProjectApi
from reflect_sdk.models import DeletedTraces, ReviewOutcome, Trace, TraceSubmission
from reflect_sdk.models._base import InvalidData, expect_list, expect_object

# The maximum per request; longer lists are split.
REVIEWS_AT_ONCE, DELETED_AT_ONCE = 100, 1000


def create(api: ProjectApi, body: dict[str, Any]) -> Flow[TraceSubmission]:
    """Stores a trace. Its id is the idempotency key, so a retry does not store it twice."""
    safe = masked_trace(api.mask, body)
    return api.post(TraceSubmission.from_dict, api.path("traces"), safe, idempotency_key=body["trace_id"])


def get(api: ProjectApi, trace_id: str) -> Flow[Trace]:
    """One trace."""
    return api.get(Trace.from_dict, "traces", trace_id)


def page(
    api: ProjectApi, review_status: str | None, cursor: str | None, limit: int | None
) -> Flow[tuple[list[Trace], str | None]]:
    """A page of traces, newest first, and the cursor of the next page."""
    path = api.path("traces", review_status=review_status, cursor=cursor, limit=limit)
    answer = yield from api.send(Request("GET", path))
    return api.read(answer, list_of(Trace.from_dict)), answer.headers.get("x-next-cursor")


def review(api: ProjectApi, trace_id: str, body: dict[str, Any]) -> Flow[Trace]:
    """Reviews a trace; returns it with its review and the id of its memory."""
    path, safe = api.path("traces", trace_id, "review"), masked_review(api.mask, body)
    return api.post(Trace.from_dict, path, safe, idempotency_key=new_trace_id())


def review_several(api: ProjectApi, reviews: Sequence[Mapping[str, Any]]) -> Flow[list[ReviewOutcome]]:
    """One outcome per review, in order. The caller has checked the reviews. Does not wait for learning."""
    sent = [masked_review(api.mask, dict(given)) for given in reviews]
    outcomes: list[ReviewOutcome] = []
    for start in range(0, len(sent), REVIEWS_AT_ONCE):
        part = sent[start : start + REVIEWS_AT_ONCE]
        path, key = api.path("reviews", "batch"), new_trace_id()
        read = field_of("results", _outcomes_of(part))
        outcomes += yield from api.post(read, path, {"reviews": part}, idempotency_key=key)
    return outcomes


def _outcomes_of(sent: Sequence[Mapping[str, Any]]) -> Callable[[Any], list[ReviewOutcome]]:
    """Reads one outcome per review that was sent."""

    def read(value: Any) -> list[ReviewOutcome]:
        results = expect_list(value, "results")
        if len(results) != len(sent):
            raise InvalidData(f"`results` has {len(results)} entries for {len(sent)} reviews")
        return [
            ReviewOutcome.from_dict({"trace_id": given["trace_id"], **expect_object(result, f"results[{index}]")})
            for index, (given, result) in enumerate(zip(sent, results, strict=True))
        ]

    return read


def withdraw_review(api: ProjectApi, trace_id: str) -> Flow[Trace]:
    """Withdraws the review and returns the trace."""
    path = api.path("traces", trace_id, "review")
    request = Request("DELETE", path, headers={"Idempotency-Key": new_trace_id()})
    answer = yield from api.send(request)
    return api.read(answer, Trace.from_dict)


def retry(api: ProjectApi, trace_id: str) -> Flow[Trace]:
    """Queues a trace again whose learning failed."""
    return api.post(Trace.from_dict, api.path("traces", trace_id, "retry"), {})


def delete(api: ProjectApi, trace_ids: Sequence[str]) -> Flow[DeletedTraces]:
    """Deletes traces; returns those that existed."""
    gone: list[str] = []
    read = requiring(DeletedTraces.from_dict, "trace_ids")
    for start in range(0, len(trace_ids), DELETED_AT_ONCE):
        body = {"trace_ids": list(trace_ids[start : start + DELETED_AT_ONCE])}
        path = api.path("traces", "delete")
        deleted = yield from api.post(read, path, body, idempotency_key=new_trace_id())
        gone.extend(deleted.trace_ids)
    return DeletedTraces(deleted=len(gone), trace_ids=gone)
