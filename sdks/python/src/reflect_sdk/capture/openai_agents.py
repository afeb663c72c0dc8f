"""Capturing runs of OpenAI Agents, through their own tracing.

    from reflect_sdk.capture.openai_agents import install

    install()
    with reflect.trace("Refund order 1182") as ctx:
        result = Runner.run_sync(agent, ctx.augmented_task)
        ctx.review("pass")

Needs the package `openai-agents`: `pip install 'reflect-sdk[openai-agents]'`. When its tracing is switched off, or
told to leave out sensitive data, there is nothing to note: then use `reflect_sdk.from_openai_agents(result)`.
"""

from __future__ import annotations

import importlib
import threading
import weakref
from typing import Any

from reflect_sdk.capture._agents_spans import error_of, generation_of, guardrail_of, response_of, tool_of
from reflect_sdk.capture._guard import guarded
from reflect_sdk.capture._recorder import Recorder, current_recorder
from reflect_sdk.converters._plain import read, read_text

try:
    # The types are checked without the package too.
    from agents.tracing import TracingProcessor  # type: ignore[import-not-found,unused-ignore]

    _tracing: Any = importlib.import_module("agents.tracing")
except ImportError as _missing:
    raise ImportError(
        "Capturing OpenAI Agents needs openai-agents: pip install 'reflect-sdk[openai-agents]'."
    ) from _missing

__all__ = ["ReflectTracingProcessor", "install", "uninstall"]

_SOURCE = "openai-agents"


class ReflectTracingProcessor(TracingProcessor):  # type: ignore[misc,unused-ignore]
    """Notes the model calls, tools and guardrails of runs in the trace that they happen in.

    Outside of any `trace()` block it does nothing. While `active` is false it does nothing at all.

    Example:
        agents.add_trace_processor(ReflectTracingProcessor())
    """

    def __init__(self) -> None:
        self.active = True
        # By the framework's own traces, for spans that end where ours is not known.
        self._recorders: weakref.WeakValueDictionary[str, Recorder] = weakref.WeakValueDictionary()

    def on_trace_start(self, trace: Any) -> None:
        """Remembers which of our traces a run belongs to."""
        with guarded("looking at the beginning of a run"):
            self._recorder(read_text(trace, "trace_id"))

    def on_trace_end(self, trace: Any) -> None:
        """A run that is over needs no remembering."""
        with guarded("looking at the end of a run"):
            self._recorders.pop(read_text(trace, "trace_id") or "", None)

    def on_span_start(self, span: Any) -> None:
        """What a span is about is known at its end."""

    def on_span_end(self, span: Any) -> None:
        """Notes what happened."""
        with guarded("noting a span"):
            recorder = self._recorder(read_text(span, "trace_id"))
            if recorder is not None:
                _note(recorder, span)

    def shutdown(self) -> None:
        """Nothing is held back."""

    def force_flush(self) -> None:
        """Nothing is held back."""

    def _recorder(self, trace_id: str | None) -> Recorder | None:
        if not self.active:
            return None
        recorder = current_recorder() or self._recorders.get(trace_id or "")
        if recorder is not None and trace_id is not None:
            self._recorders[trace_id] = recorder
        return recorder


def _note(recorder: Recorder, span: object) -> None:
    data = read(span, "span_data")
    kind = read_text(data, "type")
    if kind in ("response", "generation"):
        exchange = response_of(data) if kind == "response" else generation_of(data)
        error = read(span, "error")
        if exchange is not None:
            recorder.exchange(*exchange, source=_SOURCE)
        if error is not None:
            recorder.note(error_of(error))
    elif kind == "function":
        recorder.tool_result(*tool_of(data, read(span, "error")))
    elif kind == "guardrail" and read(data, "triggered"):
        recorder.note(guardrail_of(data))


_lock = threading.Lock()
_installed: ReflectTracingProcessor | None = None


def install() -> ReflectTracingProcessor:
    """Adds the processor to those that the framework has; none is replaced. Installing twice is installing once.

    Returns:
        The processor that is in use from now on.

    Example:
        install()
    """
    global _installed
    with _lock:
        if _installed is None:
            _installed = ReflectTracingProcessor()
            _tracing.add_trace_processor(_installed)
        _installed.active = True
        return _installed


def uninstall() -> None:
    """Undoes `install`: the processor stays known to the framework, which cannot forget one, and does nothing.

    Example:
        uninstall()
    """
    with _lock:
        if _installed is not None:
            _installed.active = False
