"""The review queue, and the judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from reflect_sdk.models._base import Model, extra


@dataclass(frozen=True, slots=True)
class ReviewQueue(Model):
    """The state of the review queue. `oldest_pending_seconds` is None if nothing waits."""

    pending: int
    leased: int = 0
    deferred: int = 0
    oldest_pending_seconds: float | None = None
    reviewed_today: int = 0
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class QueuedTrace(Model):
    """A run to review. It is leased to the caller until `leased_until`.

    `score` says how much its review is expected to teach, and `reasons` why. `digest` is a summary of the run; the
    whole run is `client.get_trace(trace_id)`.
    """

    trace_id: str
    leased_until: str = ""
    created_at: str | None = None
    model: str | None = None
    link: Any = None
    deferred_by: str | None = None
    deferred_note: str | None = None
    score: float = 0.0
    reasons: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    digest: dict[str, Any] = field(default_factory=dict[str, Any])
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class QueueLease(Model):
    """A run that is reserved for the caller until `leased_until`."""

    trace_id: str
    leased_until: str = ""
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class DeferredTrace(Model):
    """Whether a run is deferred: the queue does not return it before `deferred_until`, which is None if it is not."""

    trace_id: str
    deferred_until: str | None = None
    deferred_by: str | None = None
    note: str | None = None
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class BulkReview(Model):
    """The result of one review for many runs. `left` runs exceed the limit of 1000; call again for them.

    `utilities` memories change, and at most `reflections` lessons are written, for at most `tokens` tokens.
    """

    dry_run: bool
    action_id: str | None = None
    traces: int = 0
    skipped: int = 0
    left: int = 0
    utilities: int = 0
    reflections: int = 0
    tokens: int = 0
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class JudgeStatus(Model):
    """The judge of a project: its settings, what it does now, and how well it agrees with people.

    `state` is "off", "no_model", "stopped", "spent" or "judging"; `message` says the same as a sentence, and `fix`
    what to do.
    """

    state: str
    message: str = ""
    fix: str | None = None
    stopped: bool = False
    model: str | None = None
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    agreement: dict[str, Any] = field(default_factory=dict[str, Any])
    last_week: dict[str, Any] = field(default_factory=dict[str, Any])
    tokens_today: int = 0
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class JudgeOpinion(Model):
    """The opinion of the judge about a run. `verdict` is "pass", "fail" or "unclear". It is not a review."""

    verdict: str
    trace_id: str | None = None
    feedback_text: str | None = None
    confidence: float | None = None
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    extra: dict[str, Any] = extra()
