"""Records LangChain and LangGraph runs through their callbacks.

    from reflect_sdk.capture.langchain import install

    install()
    with reflect.trace("Refund order 1182") as ctx:
        agent.invoke({"messages": [{"role": "user", "content": ctx.augmented_task}]})
        ctx.review("pass")

Needs the package `langchain-core`: `pip install 'reflect-memory-client[langchain]'`.
"""

from __future__ import annotations

import importlib
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any
from uuid import UUID

from reflect_sdk.capture._call_recording import error_message
from reflect_sdk.capture._guard import guarded
from reflect_sdk.capture._kinds import Answer, Request
from reflect_sdk.capture._langchain_runs import (
    answers_of,
    asked_of,
    failed_tool,
    partial_answers,
    tool_results,
)
from reflect_sdk.capture._recorder import Recorder, current_recorder
from reflect_sdk.converters._plain import read_text

try:
    # Type checkers must work without the package.
    from langchain_core.callbacks import BaseCallbackHandler  # type: ignore[import-not-found,unused-ignore]

    _hooks: Any = importlib.import_module("langchain_core.tracers.context")
except ImportError as _missing:
    raise ImportError(
        "Capture for LangChain needs langchain-core: pip install 'reflect-memory-client[langchain]'."
    ) from _missing

__all__ = ["ReflectCallbackHandler", "install", "uninstall"]

_SOURCE = "langchain"


class ReflectCallbackHandler(BaseCallbackHandler):  # type: ignore[misc,unused-ignore]
    """Records model and tool calls in the current trace.

    Outside a `trace()` block it does nothing, so it can be attached permanently to a model or a graph. `install()`
    attaches it to all of them. While `active` is false, it does nothing.

    Example:
        agent.invoke(state, config={"callbacks": [ReflectCallbackHandler()]})
    """

    # Keeps the order of events under asyncio, where LangChain would run handlers in threads.
    run_inline = True

    def __init__(self) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self.active = True
        # By LangChain run id: a thread started by the application has the parent run, but not the trace.
        self._recorders: weakref.WeakValueDictionary[UUID, Recorder] = weakref.WeakValueDictionary()

    def on_chain_start(
        self, serialized: Any, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **more: Any
    ) -> None:
        """Remembers the trace of a chain or graph node."""
        with guarded("looking at the beginning of a chain"):
            self._begin(run_id, parent_run_id)

    def on_chat_model_start(
        self,
        serialized: Any,
        messages: Sequence[Sequence[Any]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> None:
        """Stores the request of a chat model."""
        with guarded("reading the messages for a chat model"):
            recorder = self._begin(run_id, parent_run_id)
            if recorder is not None:
                recorder.begun[run_id] = (asked_of(messages), read_text(metadata, "lc_agent_name"))

    def on_llm_start(
        self,
        serialized: Any,
        prompts: Sequence[str],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **more: Any,
    ) -> None:
        """Stores the request of a completion model."""
        with guarded("reading the prompt for a model"):
            recorder = self._begin(run_id, parent_run_id)
            if recorder is not None:
                recorder.begun[run_id] = (asked_of([[prompt] for prompt in prompts]), None)

    def on_llm_end(self, response: Any, *, run_id: UUID, **more: Any) -> None:
        """Records the new messages of the request, and the answer."""
        with guarded("recording the answer of a model"):
            self._answered(run_id, answers_of(response))

    def on_llm_error(self, error: BaseException, *, run_id: UUID, response: Any = None, **more: Any) -> None:
        """Records the request, the partial answer and the error."""
        with guarded("recording the error of a model"):
            answers = partial_answers(response)
            # Closing a stream early is not an error.
            if not isinstance(error, GeneratorExit):
                answers = [answer._replace(messages=[*answer.messages, error_message(error)]) for answer in answers]
            self._answered(run_id, answers)

    def on_tool_start(
        self,
        serialized: Any,
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        inputs: Any = None,
        tool_call_id: str | None = None,
        **more: Any,
    ) -> None:
        """Stores the arguments of a tool."""
        with guarded("reading the arguments of a tool"):
            recorder = self._begin(run_id, parent_run_id)
            if recorder is not None:
                name = read_text(serialized, "name") or read_text(more, "name") or "unknown"
                recorder.begun[run_id] = (name, input_str if inputs is None else inputs, tool_call_id)

    def on_tool_end(self, output: Any, *, run_id: UUID, **more: Any) -> None:
        """Records the result of a tool."""
        with guarded("recording the result of a tool"):
            recorder, begun = self._end(run_id)
            if recorder is not None and begun is not None:
                name, asked, identity = begun
                for message in tool_results(output, name, identity):
                    recorder.tool_result(message, asked)

    def on_tool_error(
        self, error: BaseException, *, run_id: UUID, tool_call_id: str | None = None, **more: Any
    ) -> None:
        """Records the error of a tool."""
        with guarded("recording the error of a tool"):
            recorder, begun = self._end(run_id)
            if recorder is not None and begun is not None:
                name, asked, identity = begun
                message = failed_tool(error, name, tool_call_id or identity)
                if message is not None:
                    recorder.tool_result(message, asked)

    def _begin(self, run_id: UUID, parent_run_id: UUID | None) -> Recorder | None:
        if not self.active:
            return None
        recorder = current_recorder()
        if recorder is None and parent_run_id is not None:
            recorder = self._recorders.get(parent_run_id)
        if recorder is not None:
            self._recorders[run_id] = recorder
        return recorder

    def _end(self, run_id: UUID) -> tuple[Recorder | None, Any]:
        recorder = self._recorders.pop(run_id, None)
        return recorder, None if recorder is None else recorder.begun.pop(run_id, None)

    def _answered(self, run_id: UUID, answers: Sequence[Answer]) -> None:
        recorder, begun = self._end(run_id)
        if recorder is None or begun is None:
            return
        requests, agent = begun
        for number, request in enumerate(requests):
            answer = answers[number] if number < len(answers) else Answer([])
            if agent is not None:
                for message in answer.messages:
                    message["agent"] = agent
            recorder.exchange(Request(request), answer, source=_SOURCE)


_lock = threading.Lock()
_installed: ReflectCallbackHandler | None = None


def install() -> ReflectCallbackHandler:
    """Records every model, tool and graph of LangChain, without passing the handler to each.

    Uses LangChain's configure hooks, which add the handler to every run in every thread and task. The handler does
    nothing outside a `trace()` block. A second call has no effect.

    Returns:
        The installed handler.

    Example:
        install()
    """
    global _installed
    with _lock:
        if _installed is None:
            _installed = ReflectCallbackHandler()
            variable: ContextVar[ReflectCallbackHandler | None] = ContextVar(
                "reflect_sdk_langchain", default=_installed
            )
            # `handle_class` prevents a second handler if the user passes one explicitly.
            _hooks.register_configure_hook(variable, inheritable=True, handle_class=ReflectCallbackHandler)
        _installed.active = True
        return _installed


def uninstall() -> None:
    """Undoes `install`. LangChain cannot unregister a handler, so it stays registered but inactive.

    Example:
        uninstall()
    """
    with _lock:
        if _installed is not None:
            _installed.active = False
