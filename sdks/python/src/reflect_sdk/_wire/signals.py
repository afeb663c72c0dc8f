"""Sending signals, and feedback tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflect_sdk._ids import new_trace_id
from reflect_sdk._wire.decode import field_of, list_of, requiring
from reflect_sdk._wire.http import Flow
from reflect_sdk._wire.mask import masked_signal
from reflect_sdk._wire.project_api import ProjectApi
from reflect_sdk.models import AcceptedSignal, FeedbackToken, Signal, SignalSource

# The maximum per request; longer lists are split.
AT_ONCE = 100


def send(api: ProjectApi, body: dict[str, Any]) -> Flow[AcceptedSignal]:
    """Sends one signal."""
    safe = masked_signal(api.mask, body)
    return api.post(AcceptedSignal.from_dict, api.path("signals"), safe, idempotency_key=new_trace_id())


def send_several(api: ProjectApi, signals: Sequence[Mapping[str, Any]]) -> Flow[list[AcceptedSignal]]:
    """One result per signal, in order."""
    sent = [masked_signal(api.mask, dict(signal)) for signal in signals]
    results: list[AcceptedSignal] = []
    read = field_of("results", list_of(AcceptedSignal.from_dict))
    for start in range(0, len(sent), AT_ONCE):
        body = {"signals": sent[start : start + AT_ONCE]}
        results += yield from api.post(read, api.path("signals", "batch"), body, idempotency_key=new_trace_id())
    return results


def of_trace(api: ProjectApi, trace_id: str) -> Flow[list[Signal]]:
    """The signals about a run."""
    return api.get(field_of("signals", list_of(Signal.from_dict)), "traces", trace_id, "signals")


def sources(api: ProjectApi) -> Flow[list[SignalSource]]:
    """The rules and the measured values of all sources."""
    return api.get(field_of("sources", list_of(SignalSource.from_dict)), "signals", "sources")


def feedback_token(api: ProjectApi, trace_id: str, expires_in_seconds: int | None) -> Flow[FeedbackToken]:
    """Issues a feedback token for a run."""
    body = {} if expires_in_seconds is None else {"expires_in_seconds": expires_in_seconds}
    read = requiring(FeedbackToken.from_dict, "token")
    return api.post(read, api.path("traces", trace_id, "feedback-token"), body)
