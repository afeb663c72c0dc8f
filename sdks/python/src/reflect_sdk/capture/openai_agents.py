"""Records runs of OpenAI Agents through their tracing.

    from reflect_sdk.capture.openai_agents import install

    install()
    with reflect.trace("Refund order 1182") as ctx:
        result = Runner.run_sync(agent, ctx.augmented_task)
        ctx.review("pass")

Needs the package `openai-agents`: `pip install 'reflect-memory-client[openai-agents]'`. If its tracing is
disabled or excludes sensitive data, nothing is recorded; use `reflect_sdk.from_openai_agents(result)` instead.
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
    # Type checkers must work without the package.
    from agents.tracing import TracingProcessor  # type: ignore[import-not-found,unused-ignore]

    _tracing: Any = importlib.import_module("agents.tracing")
except ImportError as _missing:
    raise ImportError(
        "Capture for OpenAI Agents needs openai-agents: pip install 'reflect-memory-client[openai-agents]'."
    ) from _missing

__all__ = ["ReflectTracingProcessor", "install", "uninstall"]

_SOURCE = "openai-agents"


class ReflectTracingProcessor(TracingProcessor):  # type: ignore[misc,unused-ignore]
    """Records the model calls, tools and guardrails of runs in the current trace.

    Outside a `trace()` block, or while `active` is false, it does nothing.

    Example:
        agents.add_trace_processor(ReflectTracingProcessor())
    """

    def __init__(self) -> None:
        self.active = True
        # By the framework's trace id, for spans that end in a context without our trace.
        self._recorders: weakref.WeakValueDictionary[str, Recorder] = weakref.WeakValueDictionary()

    def on_trace_start(self, trace: Any) -> None:
        """Remembers the Reflect trace of a run."""
        with guarded("looking at the beginning of a run"):
            self._recorder(read_text(trace, "trace_id"))

    def on_trace_end(self, trace: Any) -> None:
        """Removes the run."""
        with guarded("looking at the end of a run"):
            self._recorders.pop(read_text(trace, "trace_id") or "", None)

    def on_span_start(self, span: Any) -> None:
        """Does nothing: the content of a span is known at its end."""

    def on_span_end(self, span: Any) -> None:
        """Records the span."""
        with guarded("recording a span"):
            recorder = self._recorder(read_text(span, "trace_id"))
            if recorder is not None:
                _note(recorder, span)

    def shutdown(self) -> None:
        """Does nothing: there is no buffer."""

    def force_flush(self) -> None:
        """Does nothing: there is no buffer."""

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
    """Adds the processor to the framework. Other processors are kept. A second call has no effect.

    Returns:
        The installed processor.

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
    """Undoes `install`. The framework cannot remove a processor, so it stays registered but inactive.

    Example:
        uninstall()
    """
    with _lock:
        if _installed is not None:
            _installed.active = False
