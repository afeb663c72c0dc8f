"""Reads calls of `responses`: requests, answers and streamed events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from reflect_sdk.capture._kinds import Answer, Request
from reflect_sdk.capture._usage import with_usage
from reflect_sdk.converters._items import Items
from reflect_sdk.converters._plain import is_list, known_fields, plain, read, read_text

_ENDS = frozenset({"response.completed", "response.incomplete", "response.failed"})


class ResponseCalls:
    """Reads calls of `responses`."""

    source = "openai"
    repeated = "input"

    def request(self, sent: Mapping[str, Any]) -> Request:
        """The conversation of a call, or the new messages of a conversation that the provider stores."""
        messages: list[dict[str, Any]] = []
        instructions = sent.get("instructions")
        if isinstance(instructions, str) and instructions:
            messages.append({"role": "system", "content": instructions})
        asked = sent.get("input")
        items = Items()
        if isinstance(asked, str) or is_list(asked):
            items.extend(asked)
        conversation = sent.get("conversation")
        kept = sent.get("previous_response_id"), conversation, read(conversation, "id")
        after = next((name for name in kept if isinstance(name, str) and name), None)
        return Request(messages + items.messages(), after)

    def answer(self, result: object) -> Answer:
        """The answer in a response."""
        return _answer(result, read(result, "output"))

    def assembly(self) -> ResponseAssembly:
        """A new assembly for a stream."""
        return ResponseAssembly()


class ResponseAssembly:
    """The events of one streamed response so far."""

    def __init__(self) -> None:
        self._response: object = None
        self._ended = False
        self._items: dict[int, object] = {}
        self._texts: defaultdict[int, list[str]] = defaultdict(list)

    def see(self, chunk: object) -> None:
        """Adds one event."""
        kind = read_text(chunk, "type") or ""
        response, item, index = read(chunk, "response"), read(chunk, "item"), read(chunk, "output_index")
        if response is not None:
            self._response = response
            self._ended = self._ended or kind in _ENDS
        if isinstance(index, int):
            delta = read(chunk, "delta")
            if item is not None:
                self._items[index] = item
                if kind.endswith(".done"):
                    # The complete item replaces its pieces.
                    self._texts.pop(index, None)
            elif isinstance(delta, str) and kind.endswith(".delta"):
                self._texts[index].append(delta)

    def answer(self) -> Answer:
        """The answer so far."""
        output = read(self._response, "output")
        if self._ended and is_list(output) and output:
            return _answer(self._response, output)
        listed = [self._item(index) for index in sorted(self._items)]
        found = _answer(self._response, listed)
        if not self._ended:
            for message in found.messages:
                message["incomplete"] = True
        return found

    def _item(self, index: int) -> object:
        item, text = self._items[index], "".join(self._texts.get(index, ()))
        if not text:
            return item
        kept: dict[str, Any] = dict(plain(item))
        if kept.get("type") == "message":
            return {**kept, "content": [{"type": "output_text", "text": text}]}
        if kept.get("type") == "reasoning":
            return {**kept, "summary": [{"type": "summary_text", "text": text}]}
        return {**kept, "input" if "input" in kept else "arguments": text}


def _answer(response: object, output: object) -> Answer:
    items = Items()
    model = read_text(response, "model")
    items.extend(output, **({} if model is None else {"model": model}))
    messages = items.messages()
    error = read(response, "error")
    if error is not None:
        messages.append({"role": "assistant", "content": "", "error": known_fields(error)})
    reason = read_text(read(response, "incomplete_details"), "reason")
    if reason is not None and messages:
        messages[-1]["finish_reason"] = reason
    return Answer(with_usage(messages, response), read_text(response, "id"))
