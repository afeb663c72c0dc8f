"""A request is part of the trace of the program that sends it, if that uses OpenTelemetry."""

from __future__ import annotations

import pytest
from opentelemetry import trace
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags

from reflect_sdk._transport.address import Address
from reflect_sdk._wire.http import Request

ADDRESS = Address("http://127.0.0.1:8000", "rf_live_x")
CONTEXT = SpanContext(
    trace_id=0x4BF92F3577B34DA6A3CE929D0E0E4736,
    span_id=0x00F067AA0BA902B7,
    is_remote=False,
    trace_flags=TraceFlags(TraceFlags.SAMPLED),
)


def test_a_request_inside_a_span_names_its_trace() -> None:
    with trace.use_span(NonRecordingSpan(CONTEXT)):
        headers = ADDRESS.headers(Request("GET", "/x"))
    assert headers["traceparent"] == "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def test_a_request_outside_a_span_has_no_header() -> None:
    assert "traceparent" not in ADDRESS.headers(Request("GET", "/x"))


def test_another_version_of_the_package_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "get_current_span", lambda: None)
    assert "traceparent" not in ADDRESS.headers(Request("GET", "/x"))
