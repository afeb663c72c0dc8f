"""Records events of CrewAI in their order.

The event bus runs its handlers in several threads, so events arrive in any order. They are sorted by their time when
the block ends.
"""

from __future__ import annotations

import ast
import contextlib
import threading
from collections.abc import Callable
from typing import Any

from reflect_sdk.capture._call_recording import MAX_ERROR
from reflect_sdk.capture._kinds import Answer, Request
from reflect_sdk.capture._recorder import Recorder
from reflect_sdk.capture._usage import usage_of
from reflect_sdk.converters._chat import chat_message
from reflect_sdk.converters._content import tool_call
from reflect_sdk.converters._items import Items
from reflect_sdk.converters._plain import as_text, is_list, is_mapping, plain, read, read_text

SOURCE = "crewai"
# The fields of a message for the model. Others are bookkeeping of the framework.
_FIELDS = ("role", "content", "name", "tool_calls", "tool_call_id")


class CrewEvents:
    """The events of one run."""

    def __init__(self, recorder: Recorder, flush: Callable[[float], object]) -> None:
        self._recorder = recorder
        self._flush = flush
        self._lock = threading.Lock()
        self._events: list[Any] = []
        # The requests of the calls without an answer.
        self._begun: dict[str, list[dict[str, Any]]] = {}

    def add(self, event: Any) -> None:
        """Keeps an event."""
        with self._lock:
            self._events.append(event)

    def settle(self, seconds: float) -> None:
        """Waits for the handlers of the event bus, and records the events."""
        self._flush(seconds)
        with self._lock:
            events, self._events = self._events, []
        for event in sorted(events, key=lambda event: event.timestamp):
            self._record(event)

    def _record(self, event: object) -> None:
        kind, call = read_text(event, "type"), read_text(event, "call_id") or ""
        if kind == "llm_call_started":
            self._begun[call] = request_of(read(event, "messages"))
        elif kind == "llm_call_completed":
            request = self._begun.pop(call, None)
            # After the call, the framework may have changed its messages.
            answer = Answer([answer_of(event)], read_text(event, "response_id"))
            self._recorder.exchange(Request(request or request_of(read(event, "messages"))), answer, source=SOURCE)
        elif kind == "llm_call_failed":
            error = {"type": "error", "message": (read_text(event, "error") or "")[:MAX_ERROR]}
            answer = Answer([_marked({"role": "assistant", "content": "", "error": error}, event)])
            self._recorder.exchange(Request(self._begun.pop(call, [])), answer, source=SOURCE)
        elif kind == "tool_usage_finished":
            self._recorder.tool_result(_tool(event, read(event, "output")), plain(read(event, "tool_args")))
        elif kind == "tool_usage_error":
            failed = {**_tool(event, str(read(event, "error"))), "status": "error"}
            self._recorder.tool_result(failed, plain(read(event, "tool_args")))


def request_of(messages: object) -> list[dict[str, Any]]:
    """The conversation of a model call: a text, chat messages, or items of the Responses API."""
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    listed = messages if is_list(messages) else ()
    if any(read_text(message, "role") is None for message in listed):
        items = Items()
        items.extend(listed)
        return items.messages()
    return [_message(message) for message in listed]


def _message(message: object) -> dict[str, Any]:
    kept = chat_message({name: read(message, name) for name in _FIELDS if read(message, name) is not None})
    for call in kept.get("tool_calls") or ():
        function = read(call, "function")
        if is_mapping(function):
            call["function"] = {name: _unquoted(value) for name, value in function.items()}
    return kept


def _unquoted(value: object) -> object:
    """Events have the source form of strings that are deep in their data, such as "'weather'"."""
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == "'":
        with contextlib.suppress(ValueError, SyntaxError):
            return ast.literal_eval(value)
    return value


def answer_of(event: object) -> dict[str, Any]:
    """The answer of a model call: a text, an object, or tool calls."""
    response = read(event, "response")
    message: dict[str, Any] = {"role": "assistant", "content": ""}
    if is_list(response) and all(_is_call(entry) for entry in response):
        message["tool_calls"] = [_call(entry) for entry in response]
    else:
        message["content"] = as_text(response)
    end = read_text(event, "finish_reason")
    if end is not None and end not in ("stop", "tool_calls", "end_turn", "tool_use", "completed", "STOP"):
        message["finish_reason"] = end
    usage = usage_of(read(event, "usage"))
    if usage is not None:
        message["usage"] = usage
    return _marked(message, event)


def _is_call(entry: object) -> bool:
    return is_mapping(read(entry, "function")) or (read_text(entry, "name") is not None and is_mapping(entry))


def _call(entry: object) -> dict[str, Any]:
    function = read(entry, "function") or entry
    identity = read_text(entry, "id") or read_text(entry, "call_id")
    arguments = read(function, "arguments")
    return tool_call(
        identity, read_text(function, "name"), read(function, "input") if arguments is None else arguments
    )


def _marked(message: dict[str, Any], event: object) -> dict[str, Any]:
    marks = {"model": read_text(event, "model"), "agent": read_text(event, "agent_role")}
    return {**message, **{name: mark.strip() for name, mark in marks.items() if mark is not None}}


def _tool(event: object, output: object) -> dict[str, Any]:
    return {"role": "tool", "name": read_text(event, "tool_name") or "unknown", "content": as_text(plain(output))}
