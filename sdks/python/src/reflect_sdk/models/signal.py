"""Signals: outcomes of runs that other systems report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from reflect_sdk.models._base import Model, extra


@dataclass(frozen=True, slots=True)
class AcceptedSignal(Model):
    """The result of sending a signal: `status` is "matched" or "waiting". In a batch, `error` may be set instead."""

    id: str = ""
    status: str | None = None
    trace_ids: list[str] = field(default_factory=list[str])
    error: dict[str, Any] | None = None
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class Signal(Model):
    """A signal about a run.

    `meaning` is "decides", "agrees", "superseded", "outweighed", "waits", "unclear", "not_counted" or "stopped".
    """

    id: str
    source: str = ""
    meaning: str = ""
    result: str | None = None
    outcome: str | None = None
    score: float | None = None
    key: dict[str, Any] | None = None
    waits_until: str | None = None
    occurred_at: str | None = None
    received_at: str | None = None
    comment: str | None = None
    url: str | None = None
    metadata: dict[str, Any] | None = None
    by_feedback_token: bool = False
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class SignalSource(Model):
    """A source of signals: its rule, and how well it agrees with people. `agreement["step"]` is its learning rate."""

    source: str
    rule: dict[str, Any] = field(default_factory=dict[str, Any])
    agreement: dict[str, Any] = field(default_factory=dict[str, Any])
    interval: list[float] | None = None
    stopped: bool = False
    last_week: dict[str, Any] = field(default_factory=dict[str, Any])
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class FeedbackToken(Model):
    """A token with which a browser can vote on one run at `/v1/feedback`, without a key."""

    token: str = field(repr=False)
    trace_id: str = ""
    expires_at: str | None = None
    extra: dict[str, Any] = extra()
