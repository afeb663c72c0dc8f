"""Assembles messages of the Claude Agent SDK to chat messages.

One answer of the model arrives as several messages with the same id, one for each content block. The token counts of
a query are in its last message.
"""

from __future__ import annotations

from typing import Any

from reflect_sdk.capture._anthropic_calls import tool_result
from reflect_sdk.capture._usage import usage_of
from reflect_sdk.converters._bytes import without_bytes
from reflect_sdk.converters._content import tool_call
from reflect_sdk.converters._plain import as_text, is_list, is_mapping, plain, read, read_text


class ClaudeAnswer:
    """One answer of the model, of which more messages may follow."""

    def __init__(self, message: object) -> None:
        self.id = read_text(message, "message_id")
        self.agent = read_text(message, "parent_tool_use_id")
        self._model = read_text(message, "model")
        self._error = read_text(message, "error")
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._calls: list[dict[str, Any]] = []
        self.results: list[dict[str, Any]] = []
        self.add(message)

    @property
    def failed(self) -> bool:
        """Whether it is an error instead of an answer."""
        return self._error is not None

    def goes_on(self, message: object) -> bool:
        """Whether the message is another part of this answer."""
        return self.id is not None and self.id == read_text(message, "message_id")

    def add(self, message: object) -> None:
        """Adds the content blocks of a message."""
        blocks = read(message, "content")
        for block in blocks if is_list(blocks) else ():
            if (text := read_text(block, "text")) is not None:
                self._texts.append(text)
            elif (thought := read_text(block, "thinking")) is not None:
                self._thoughts.append(thought)
            elif is_mapping(read(block, "input")):
                asked = tool_call(read_text(block, "id"), read_text(block, "name"), plain(read(block, "input")))
                self._calls.append(asked)
            elif read_text(block, "tool_use_id") is not None:
                self.results.append(result_of(block))

    def message(self) -> dict[str, Any]:
        """The chat message."""
        found: dict[str, Any] = {"role": "assistant", "content": "".join(self._texts)}
        marks = {"model": self._model, "agent": self.agent}
        found.update({name: mark for name, mark in marks.items() if mark is not None})
        if self._thoughts:
            found["reasoning"] = "\n".join(self._thoughts)
        if self._calls:
            found["tool_calls"] = self._calls
        if self._error is not None:
            # The text of an answer that the program made itself is the error.
            found["error"] = {"type": self._error, "message": found["content"]}
        return found


def user_messages(message: object) -> list[dict[str, Any]]:
    """The texts and tool results of a user message."""
    content = read(message, "content")
    if isinstance(content, str):
        return [{"role": "user", "content": content}]
    found: list[dict[str, Any]] = []
    for block in content if is_list(content) else ():
        if read_text(block, "tool_use_id") is not None:
            found.append(result_of(block))
        elif (text := read_text(block, "text")) is not None:
            found.append({"role": "user", "content": text})
    return found


def result_of(block: object) -> dict[str, Any]:
    """The result of a tool."""
    found = tool_result(block)
    if not isinstance(found["content"], str):
        found["content"] = as_text(without_bytes(found["content"]))
    return found


def end_of(message: object) -> tuple[dict[str, int] | None, dict[str, Any] | None]:
    """The token counts of a query, and its error."""
    error: dict[str, Any] | None = None
    if read(message, "is_error"):
        kind = read_text(message, "subtype") or "error"
        errors = read(message, "errors")
        said = read_text(message, "result") or "\n".join(map(str, errors if is_list(errors) else ()))
        error = {"type": "error" if kind == "success" else kind, "message": said}
    return usage_of(read(message, "usage")), error
