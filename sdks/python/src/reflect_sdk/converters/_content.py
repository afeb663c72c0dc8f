"""Converts the content of a message of any framework: a string or blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from reflect_sdk.converters._bytes import without_bytes
from reflect_sdk.converters._plain import as_text, fields, is_list, plain, read, read_text

_TEXTS = frozenset({"text", "input_text", "output_text", "summary_text", "reasoning_text", "text-plain"})
_THOUGHTS = frozenset({"thinking", "reasoning", "reasoning_content"})
# Encrypted: only the provider can read them.
_SEALED = frozenset({"redacted_thinking", "encrypted_reasoning"})
_CALLS = frozenset(
    {"tool_use", "tool_call", "function_call", "server_tool_use", "server_tool_call", "custom_tool_call"}
)


@dataclass(slots=True)
class Content:
    """The parts of a message's content: its text, and other parts."""

    said: str | list[dict[str, Any]] = ""
    reasoning: str = ""
    refusal: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def put(self, message: dict[str, Any]) -> None:
        """Writes it into a message. A refusal is the content if there is no other text."""
        message["content"] = self.said or self.refusal
        if self.reasoning:
            message["reasoning"] = self.reasoning
        if self.refusal:
            message["refusal"] = self.refusal


def content_of(value: object, *, between: str = "\n") -> Content:
    """Splits a content into its parts. Texts are joined; with an image or a file, blocks are kept."""
    if isinstance(value, str):
        return Content(value)
    found = Content()
    parts: list[dict[str, Any]] = []
    for block in _blocks(value):
        _sort(block, found, parts)
    texts = [part["text"] for part in parts if _is_text(part)]
    found.said = between.join(texts) if len(texts) == len(parts) else parts
    return found


def thoughts_of(block: object) -> str:
    """The readable text of a reasoning block or item."""
    for name in ("thinking", "reasoning", "reasoning_content", "text"):
        text = read_text(block, name)
        if text is not None:
            return text
    texts: list[str] = []
    for name in ("summary", "content"):
        for part in _blocks(read(block, name)):
            texts.append(part if isinstance(part, str) else read_text(part, "text") or "")
    return "\n".join(text for text in texts if text)


def tool_call(identity: str | None, name: str | None, arguments: object, **more: Any) -> dict[str, Any]:
    """One tool call in the format of chat messages. Arguments are JSON text."""
    asked = arguments if isinstance(arguments, str) else as_text({} if arguments is None else arguments)
    function = {"name": name or "unknown", "arguments": asked}
    known = {key: value for key, value in more.items() if value is not None}
    return {"id": identity or "", "type": "function", "function": function, **known}


def _blocks(value: object) -> Sequence[object]:
    if value is None or value == "":
        return ()
    return value if is_list(value) else (value,)


def _sort(block: object, found: Content, parts: list[dict[str, Any]]) -> None:
    if isinstance(block, str):
        parts.append({"type": "text", "text": block})
        return
    kind, text = read_text(block, "type"), read_text(block, "text")
    if kind in _SEALED:
        return
    if kind in _THOUGHTS:
        found.reasoning = "\n".join(filter(None, (found.reasoning, thoughts_of(block))))
    elif kind == "refusal":
        found.refusal += read_text(block, "refusal") or ""
    elif kind in _CALLS:
        found.calls.append(_call(block))
    elif kind in _TEXTS or (kind is None and text is not None):
        parts.append({"type": "text", "text": text or ""})
    else:
        parts.append(without_bytes(fields(block)))


def _is_text(part: dict[str, Any]) -> bool:
    return part.get("type") == "text" and isinstance(part.get("text"), str)


def _call(block: object) -> dict[str, Any]:
    identity = read_text(block, "call_id") or read_text(block, "id")
    for name in ("input", "args", "arguments"):
        arguments = read(block, name)
        if arguments is not None:
            return tool_call(identity, read_text(block, "name"), plain(arguments))
    return tool_call(identity, read_text(block, "name"), None)
