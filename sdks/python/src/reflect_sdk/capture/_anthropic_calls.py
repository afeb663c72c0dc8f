"""Reads calls of Anthropic's Messages API: requests, answers and streamed events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reflect_sdk.capture._kinds import Answer, Request
from reflect_sdk.capture._usage import with_usage
from reflect_sdk.converters._content import content_of
from reflect_sdk.converters._plain import is_list, is_mapping, plain, read, read_text

# Normal stop reasons. Others, such as `max_tokens`, are recorded.
_USUAL = frozenset({"end_turn", "tool_use", "stop_sequence"})
# The deltas of a content block: their field, and the block's field that they extend.
_DELTAS = {"text_delta": ("text", "text"), "thinking_delta": ("thinking", "thinking")}


class MessageCalls:
    """Reads calls of `messages`."""

    source = "anthropic"
    repeated = "messages"

    def request(self, sent: Mapping[str, Any]) -> Request:
        """The request of a call."""
        messages: list[dict[str, Any]] = []
        system = content_of(sent.get("system")).said
        if system:
            messages.append({"role": "system", "content": system})
        asked = sent.get("messages")
        for message in asked if is_list(asked) else ():
            messages.extend(messages_of(message))
        return Request(messages, continued(sent))

    def answer(self, result: object) -> Answer:
        """The answer in a message."""
        if read(result, "content") is None:
            return Answer([])
        kept = _said("assistant", read(result, "content"))
        for name, value in (("model", read_text(result, "model")), ("finish_reason", _end_of(result))):
            if value is not None:
                kept[name] = value
        return Answer(with_usage([kept], result), read_text(result, "id"))

    def assembly(self) -> MessageAssembly:
        """A new assembly for a stream."""
        return MessageAssembly()


class MessageAssembly:
    """The events of one streamed message so far."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._inputs: dict[int, list[str]] = {}
        self._ended = False

    def see(self, chunk: object) -> None:
        """Adds one event."""
        kind, index = read_text(chunk, "type"), read(chunk, "index")
        if kind == "message_start":
            self._message = dict(plain(read(chunk, "message")))
        elif kind == "content_block_start":
            self._blocks[index] = dict(plain(read(chunk, "content_block")))
        elif kind == "content_block_delta" and index in self._blocks:
            self._grow(index, read(chunk, "delta"))
        elif kind == "message_delta":
            self._message["stop_reason"] = read(read(chunk, "delta"), "stop_reason")
            # The counts are totals of the message. Counts that did not change may be missing.
            known = {name: count for name, count in _fields(read(chunk, "usage")).items() if count is not None}
            self._message["usage"] = {**_fields(self._message.get("usage")), **known}
        elif kind == "message_stop":
            self._ended = True

    def answer(self) -> Answer:
        """The answer so far."""
        blocks: list[dict[str, Any]] = []
        for index, block in sorted(self._blocks.items()):
            given = "".join(self._inputs.get(index, ()))
            blocks.append({**block, "input": given} if given else block)
        found = MessageCalls().answer({**self._message, "content": blocks})
        if not self._ended:
            for message in found.messages:
                message["incomplete"] = True
        return found

    def _grow(self, index: int, delta: object) -> None:
        kind, block = read_text(delta, "type") or "", self._blocks[index]
        if kind == "input_json_delta":
            self._inputs.setdefault(index, []).append(read_text(delta, "partial_json") or "")
        elif kind in _DELTAS:
            source, target = _DELTAS[kind]
            block[target] = (block.get(target) or "") + (read_text(delta, source) or "")


def continued(sent: Mapping[str, Any]) -> str | None:
    """The id of the answer that a request follows, if the provider keeps the conversation."""
    return read_text(sent.get("thread"), "previous_message_id")


def messages_of(message: object) -> list[dict[str, Any]]:
    """A message of a request. Tool results, which are blocks of a user message, become messages of their own."""
    role, content = read_text(message, "role") or "user", read(message, "content")
    blocks = content if is_list(content) else ()
    results = [block for block in blocks if read_text(block, "type") == "tool_result"]
    if not results:
        return [_said(role, content)]
    others = [block for block in blocks if read_text(block, "type") != "tool_result"]
    return [*(tool_result(block) for block in results), *([_said(role, others)] if others else [])]


def tool_result(block: object) -> dict[str, Any]:
    """The message of a block with a tool's result."""
    found: dict[str, Any] = {"role": "tool", "tool_call_id": read_text(block, "tool_use_id") or ""}
    found["content"] = content_of(read(block, "content")).said
    if read(block, "is_error"):
        found["status"] = "error"
    return found


def _said(role: str, content: object) -> dict[str, Any]:
    found = content_of(content, between="" if role == "assistant" else "\n")
    message: dict[str, Any] = {"role": role}
    found.put(message)
    if found.calls:
        message["tool_calls"] = found.calls
    return message


def _end_of(result: object) -> str | None:
    reason = read_text(result, "stop_reason")
    return None if reason in _USUAL else reason


def _fields(value: object) -> dict[str, Any]:
    found = plain(value)
    return dict(found) if is_mapping(found) else {}
