"""Traces and their reviews."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reflect_sdk.models._base import Model, extra, nested


@dataclass(frozen=True, slots=True)
class Review(Model):
    """What somebody said of a trace: `result` is "pass" or "fail"."""

    id: str
    trace_id: str = ""
    result: str = ""
    feedback_text: str | None = None
    mode: str = "deferred"
    alpha: float | None = None
    created_at: str | None = None
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class Trace(Model):
    """The stored record of one run.

    `review_status` is "pending" or "reviewed"; `ingest_status` is "queued", "processing", "completed" or
    "failed", and then `last_ingest_error` says why.
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
    review: Review | None = nested(Review)
    reference_context: str | None = None
    retrieval_id: str | None = None
    linked_memory_ids: list[str] = field(default_factory=list[str])
    link: str | None = None
    arm: str | None = None
    created_at: str | None = None
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class TraceSubmission(Model):
    """What the server said when it took a trace: its id, and whether its review waits to be learned from.

    `ingest_status` is "completed" without a review and "queued" with one.
    """

    id: str
    ingest_status: str = "completed"
    created_memory_id: str | None = None
    extra: dict[str, Any] = extra()

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TraceSubmission:
        """The answer to a submitted trace; the id comes under two names."""
        return cls(
            id=data.get("id") or data.get("trace_id") or "",
            ingest_status=data.get("ingest_status") or "completed",
            created_memory_id=data.get("created_memory_id"),
        )

    @property
    def trace_id(self) -> str:
        """The id, under its other published name."""
        return self.id


@dataclass(frozen=True, slots=True)
class ReviewOutcome(Model):
    """What became of one review of many: either `ingest_status` is set, or `error`."""

    trace_id: str = ""
    ingest_status: str | None = None
    created_memory_id: str | None = None
    review: Review | None = nested(Review)
    error: dict[str, Any] | None = None
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class DeletedTraces(Model):
    """Which traces were there, and are gone."""

    deleted: int = 0
    trace_ids: list[str] = field(default_factory=list[str])
    extra: dict[str, Any] = extra()
