"""Submitting, reading, reviewing and deleting traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflect_sdk._ids import new_trace_id
from reflect_sdk._wire import bodies
from reflect_sdk._wire.exchange import exchange
from reflect_sdk._wire.http import Flow, Request
from reflect_sdk._wire.mask import masked_review, masked_trace
from reflect_sdk._wire.place import Place
from reflect_sdk.models import DeletedTraces, ReviewOutcome, Trace, TraceSubmission

# The most that one call takes; longer lists are sent in parts.
REVIEWS_AT_ONCE, DELETED_AT_ONCE = 100, 1000


def create(place: Place, body: dict[str, Any], what: str = "create_trace") -> Flow[TraceSubmission]:
    """Stores a trace. Its id is the idempotency key: sent again, it is stored once."""
    safe = masked_trace(place.mask, body)
    made = yield from place.post(what, place.path("traces"), safe, idempotency_key=body["trace_id"])
    return TraceSubmission.from_dict(made)


def get(place: Place, trace_id: str) -> Flow[Trace]:
    """One trace."""
    return Trace.from_dict((yield from place.get("get_trace", "traces", trace_id)))


def page(
    place: Place, review_status: str | None, cursor: str | None, limit: int | None
) -> Flow[tuple[list[Trace], str | None]]:
    """A page of traces, newest first, and where the next one begins."""
    path = place.path("traces", review_status=review_status, cursor=cursor, limit=limit)
    answer = yield from exchange(place.manners, Request("GET", path), "list_traces")
    return [Trace.from_dict(entry) for entry in answer.json()], answer.headers.get("x-next-cursor")


def review(place: Place, trace_id: str, body: dict[str, Any]) -> Flow[Trace]:
    """The trace with its review and the memory that it became."""
    path, safe = place.path("traces", trace_id, "review"), masked_review(place.mask, body)
    return Trace.from_dict((yield from place.post("review_trace", path, safe, idempotency_key=new_trace_id())))


def review_several(place: Place, reviews: Sequence[Mapping[str, Any]]) -> Flow[list[ReviewOutcome]]:
    """One outcome per review, in order; none of them is waited for."""
    sent: list[dict[str, Any]] = []
    for given in reviews:
        missing = {"trace_id", "result"} - given.keys()
        if missing:
            raise ValueError(f"A review needs {' and '.join(sorted(missing))}: {dict(given)!r}")
        result = bodies.review_result(str(given["result"]))
        sent.append(masked_review(place.mask, {**given, "result": result}))
    outcomes: list[ReviewOutcome] = []
    for start in range(0, len(sent), REVIEWS_AT_ONCE):
        part = sent[start : start + REVIEWS_AT_ONCE]
        path, key = place.path("reviews", "batch"), new_trace_id()
        answer = yield from place.post("review_traces", path, {"reviews": part}, idempotency_key=key)
        for given, result in zip(part, answer["results"], strict=True):
            outcomes.append(ReviewOutcome.from_dict({"trace_id": given["trace_id"], **result}))
    return outcomes


def withdraw_review(place: Place, trace_id: str) -> Flow[Trace]:
    """The trace without its review."""
    path = place.path("traces", trace_id, "review")
    request = Request("DELETE", path, headers={"Idempotency-Key": new_trace_id()})
    answer = yield from exchange(place.manners, request, "withdraw_review")
    return Trace.from_dict(answer.json())


def retry(place: Place, trace_id: str) -> Flow[Trace]:
    """A trace whose learning failed, queued again."""
    return Trace.from_dict((yield from place.post("retry_trace", place.path("traces", trace_id, "retry"), {})))


def delete(place: Place, trace_ids: Sequence[str]) -> Flow[DeletedTraces]:
    """Which of the traces were there; they are gone."""
    gone: list[str] = []
    for start in range(0, len(trace_ids), DELETED_AT_ONCE):
        body = {"trace_ids": list(trace_ids[start : start + DELETED_AT_ONCE])}
        path = place.path("traces", "delete")
        answer = yield from place.post("delete_traces", path, body, idempotency_key=new_trace_id())
        gone.extend(answer.get("trace_ids") or [])
    return DeletedTraces(deleted=len(gone), trace_ids=gone)
