"""Records crews, agents and flows of CrewAI through its event bus.

    from reflect_sdk.capture.crewai import install

    install()
    with reflect.trace("Refund order 1182") as ctx:
        crew.kickoff()
        ctx.review("pass")

Needs the package `crewai`: `pip install 'reflect-memory-client[crewai]'`.
"""

from __future__ import annotations

import threading
from typing import Any

from reflect_sdk.capture._crewai_events import CrewEvents
from reflect_sdk.capture._guard import guarded
from reflect_sdk.capture._prompt_memories import memories_for
from reflect_sdk.capture._recorder import Recorder, current_recorder
from reflect_sdk.converters._plain import is_mapping

try:
    # Type checkers must work without the package.
    from crewai.events import (  # type: ignore[import-not-found,unused-ignore]
        BaseEventListener,
        LLMCallCompletedEvent,
        LLMCallFailedEvent,
        LLMCallStartedEvent,
        ToolUsageErrorEvent,
        ToolUsageFinishedEvent,
        crewai_event_bus,
    )
    from crewai.hooks import register_before_llm_call_hook  # type: ignore[import-not-found,unused-ignore]
except ImportError as _missing:
    raise ImportError(
        "Capture for CrewAI needs crewai 1.15 or newer: pip install 'reflect-memory-client[crewai]'."
    ) from _missing

__all__ = ["ReflectEventListener", "install", "uninstall"]

_KINDS: Any = (
    LLMCallStartedEvent,
    LLMCallCompletedEvent,
    LLMCallFailedEvent,
    ToolUsageFinishedEvent,
    ToolUsageErrorEvent,
)


class ReflectEventListener(BaseEventListener):  # type: ignore[misc,unused-ignore]
    """Records model calls and tools in the current trace. `install()` creates it.

    CrewAI reports events in other threads, so the messages are in the trace when its block ends, and not before.
    Outside a `trace()` block, or while `active` is false, it does nothing.

    Args:
        add_memories: Adds the memories of the run to the prompt of each agent, unless it contains them.

    Example:
        ReflectEventListener()
    """

    def __init__(self, *, add_memories: bool = True) -> None:
        self.active = True
        self.add_memories = add_memories
        super().__init__()
        register_before_llm_call_hook(self._before_call)

    def setup_listeners(self, crewai_event_bus: Any) -> None:
        """Registers the handlers."""
        for kind in _KINDS:
            crewai_event_bus.on(kind)(self._see)

    def _see(self, source: Any, event: Any) -> None:
        with guarded("reading an event of CrewAI"):
            recorder = current_recorder() if self.active else None
            if recorder is not None:
                _events_of(recorder).add(event)

    def _before_call(self, context: Any) -> None:
        with guarded("reading a request of CrewAI"):
            recorder = current_recorder() if self.active else None
            if recorder is None:
                return
            # Here, in the thread of the run, so that its end waits for the events.
            _events_of(recorder)
            block = memories_for(context.messages) if self.add_memories else ""
            if block:
                _add(context.messages, block)


def _events_of(recorder: Recorder) -> CrewEvents:
    with _lock:
        found: CrewEvents | None = recorder.begun.get("crewai")
        if found is None:
            found = recorder.begun["crewai"] = CrewEvents(recorder, crewai_event_bus.flush)
            recorder.before_end(found.settle)
        return found


def _add(messages: Any, block: str) -> None:
    """Adds the memories to the system prompt. CrewAI requires that the list is changed in place."""
    for position, message in enumerate(messages):
        if is_mapping(message) and message.get("role") == "system" and isinstance(message.get("content"), str):
            messages[position] = {**message, "content": f"{message['content']}\n\n{block}"}
            return
    messages.insert(0, {"role": "system", "content": block})


_lock = threading.Lock()
_install_lock = threading.Lock()
_installed: ReflectEventListener | None = None


def install(*, add_memories: bool = True) -> ReflectEventListener:
    """Registers the listener. A second call only changes `add_memories`.

    Args:
        add_memories: Adds the memories of the run to the prompt of each agent, unless it contains them.

    Returns:
        The installed listener.

    Example:
        install()
    """
    global _installed
    with _install_lock:
        if _installed is None:
            _installed = ReflectEventListener(add_memories=add_memories)
        _installed.active, _installed.add_memories = True, add_memories
        return _installed


def uninstall() -> None:
    """Undoes `install`. The listener stays registered but inactive.

    Example:
        uninstall()
    """
    with _install_lock:
        if _installed is not None:
            _installed.active = False
