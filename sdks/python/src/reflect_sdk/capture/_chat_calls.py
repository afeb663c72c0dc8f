"""Reads calls of `chat.completions`: requests, answers and streamed chunks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reflect_sdk.capture._kinds import Answer, Request
from reflect_sdk.capture._usage import with_usage
from reflect_sdk.converters._chat import chat_message, reasoning_of
from reflect_sdk.converters._plain import is_list, read, read_text

# Normal finish reasons. Others, such as `length`, are recorded.
_USUAL = frozenset({"stop", "tool_calls", "function_call"})


class ChatCalls:
    """Reads calls of `chat.completions`."""

    source = "openai"
    repeated = "messages"

    def request(self, sent: Mapping[str, Any]) -> Request:
        """The request of a call."""
        messages = sent.get("messages")
        return Request([chat_message(message) for message in messages] if is_list(messages) else [])

    def answer(self, result: object) -> Answer:
        """The answer in a completion."""
        choices = read(result, "choices")
        model = read_text(result, "model")
        listed = [_choice(choice, model) for choice in choices] if is_list(choices) else []
        return Answer(with_usage(listed, result), read_text(result, "id"), parallel=len(listed) > 1)

    def assembly(self) -> ChatAssembly:
        """A new assembly for a stream."""
        return ChatAssembly()


class ChatAssembly:
    """The chunks of one streamed completion so far."""

    def __init__(self) -> None:
        self._id: str | None = None
        self._model: str | None = None
        self._choices: dict[int, _Choice] = {}
        self._usage: object = None

    def see(self, chunk: object) -> None:
        """Adds one chunk."""
        self._id = self._id or read_text(chunk, "id")
        self._model = self._model or read_text(chunk, "model")
        self._usage = read(chunk, "usage") or self._usage
        choices = read(chunk, "choices")
        for choice in choices if is_list(choices) else ():
            index = read(choice, "index") or 0
            self._choices.setdefault(index, _Choice()).see(choice)

    def answer(self) -> Answer:
        """The answer so far."""
        on_end = [choice.message(self._model) for _, choice in sorted(self._choices.items())]
        return Answer(with_usage(on_end, {"usage": self._usage}), self._id, parallel=len(on_end) > 1)


class _Choice:
    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {"content": [], "refusal": [], "reasoning": []}
        self._calls: dict[int, dict[str, Any]] = {}
        self._function: dict[str, str] = {}
        self._end: str | None = None

    def see(self, choice: object) -> None:
        self._end = read_text(choice, "finish_reason") or self._end
        delta = read(choice, "delta")
        for name, text in (
            ("content", read_text(delta, "content")),
            ("refusal", read_text(delta, "refusal")),
            ("reasoning", reasoning_of(delta)),
        ):
            if text:
                self._texts[name].append(text)
        calls = read(delta, "tool_calls")
        for position, call in enumerate(calls if is_list(calls) else ()):
            index = read(call, "index")
            self._add(position if index is None else index, call)
        _grow(self._function, read(delta, "function_call"))

    def _add(self, index: int, call: object) -> None:
        kept = self._calls.setdefault(index, {"id": "", "type": "function", "function": {"name": ""}})
        kept["id"] = kept["id"] or read_text(call, "id") or ""
        kept["type"] = read_text(call, "type") or kept["type"]
        _grow(kept["function"], read(call, "function") or read(call, "custom"))

    def message(self, model: str | None) -> dict[str, Any]:
        on_end: dict[str, Any] = {name: "".join(texts) for name, texts in self._texts.items()}
        on_end["role"] = "assistant"
        on_end["tool_calls"] = [call for _, call in sorted(self._calls.items())]
        on_end["function_call"] = self._function or None
        kept = _ended(chat_message(on_end), self._end, model)
        if self._end is None:
            kept["incomplete"] = True
        return kept


def _grow(function: dict[str, Any], piece: object) -> None:
    for name in ("name", "arguments", "input"):
        text = read_text(piece, name)
        if text is not None:
            # A custom tool has `input` instead of `arguments`.
            under = "arguments" if name == "input" else name
            function[under] = function.get(under, "") + text


def _choice(choice: object, model: str | None) -> dict[str, Any]:
    message = chat_message(read(choice, "message"))
    return _ended(message, read_text(choice, "finish_reason"), model)


def _ended(message: dict[str, Any], end: str | None, model: str | None) -> dict[str, Any]:
    if model is not None:
        message["model"] = model
    if end is not None and end not in _USUAL:
        message["finish_reason"] = end
    return message
