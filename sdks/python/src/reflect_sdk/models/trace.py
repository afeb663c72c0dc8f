"""Traces and their reviews."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reflect_sdk.models._base import Model, built, expect_object, extra


@dataclass(frozen=True, slots=True)
class Review(Model):
    """The review of a trace: `result` is "pass" or "fail", `reviewer` a key, a member, "judge:…" or "signal:…"."""

    id: str
    trace_id: str = ""
    result: str = ""
    feedback_text: str | None = None
    mode: str = "deferred"
    alpha: float | None = None
    created_at: str | None = None
    reviewer: str | None = None
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class Trace(Model):
    """The stored record of one run.

    `review_status` is "pending" or "reviewed"; `ingest_status` is "queued", "processing", "completed" or
    "failed"; if it failed, `last_ingest_error` has the reason.

    `review_status` becomes "reviewed" when the review has become a memory, which is later than the review. In
    between, `review` is set although `review_status` is "pending"; `review_status_reason` explains it.
    """

    id: str
    task: str = ""
    trajectory: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    final_response: str = ""
    retrieved_memory_ids: list[str] = field(default_factory=list[str])
    review_status: str = "pending"
    ingest_status: str = "completed"
    ingest_attempts: int = 0
    last_ingest_error: str | None = None
    model: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    created_memory_id: str | None = None
    review: Review | None = None
    reference_context: str | None = None
    retrieval_id: str | None = None
    linked_memory_ids: list[str] = field(default_factory=list[str])
    link: str | None = None
    arm: str | None = None
    keys: dict[str, Any] = field(default_factory=dict[str, Any])
    created_at: str | None = None
    extra: dict[str, Any] = extra()

    @property
    def review_status_reason(self) -> str | None:
        """Why `review_status` and `review` seem to differ; None if they agree."""
        if self.review is None:
            return "The review was withdrawn." if self.review_status == "reviewed" else None
        if self.review_status == "reviewed":
            return None
        stored = f"The review ({self.review.result}) is stored, but it has not become a memory"
        if self.ingest_status == "failed":
            reason = (self.last_ingest_error or "the server gave no reason").rstrip(".")
            return f"{stored}: learning failed ({reason}). Fix the cause, then call retry_trace."
        return f"{stored} yet: learning is {self.ingest_status}. wait_for_trace(require_reviewed=True) waits for it."


@dataclass(frozen=True, slots=True)
class TraceSubmission(Model):
    """The server's response to a submitted trace: its id, and whether its review is queued for learning.

    `ingest_status` is "completed" without a review and "queued" with one.
    """

    id: str
    ingest_status: str = "completed"
    created_memory_id: str | None = None
    extra: dict[str, Any] = extra()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TraceSubmission:
        """Creates the object; the server sends the id as `id` or as `trace_id`."""
        fields = dict(expect_object(data))
        also = fields.pop("trace_id", None)
        return built(cls, {**fields, "id": fields.get("id") or also or None}, "")

    @property
    def trace_id(self) -> str:
        """The id, under its other published name."""
        return self.id


@dataclass(frozen=True, slots=True)
class ReviewOutcome(Model):
    """The outcome of one review of a batch: either `ingest_status` or `error` is set."""

    trace_id: str = ""
    ingest_status: str | None = None
    created_memory_id: str | None = None
    review: Review | None = None
    error: dict[str, Any] | None = None
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class DeletedTraces(Model):
    """The traces that were deleted."""

    deleted: int = 0
    trace_ids: list[str] = field(default_factory=list[str])
    extra: dict[str, Any] = extra()
