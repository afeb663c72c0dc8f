"""Converts messages of OpenAI's chat API."""

from __future__ import annotations

from typing import Any

from reflect_sdk.converters._bytes import without_bytes
from reflect_sdk.converters._content import content_of
from reflect_sdk.converters._plain import is_list, is_mapping, known_fields, read, read_text

# Fields that are handled below or are redundant: `parsed` is in the text, `audio` contains bytes.
_ELSEWHERE = frozenset(
    {"role", "content", "reasoning", "reasoning_content", "refusal", "tool_calls", "parsed", "audio"}
)


def chat_message(message: object) -> dict[str, Any]:
    """One message (a dict or an object) without empty fields. Audio is stored as its transcript."""
    role = read_text(message, "role") or "assistant"
    found = content_of(read(message, "content"), between="" if role == "assistant" else "\n")
    found.reasoning = found.reasoning or reasoning_of(message)
    found.refusal = found.refusal or read_text(message, "refusal") or ""
    kept: dict[str, Any] = {"role": role}
    found.put(kept)
    kept["content"] = kept["content"] or read_text(read(message, "audio"), "transcript") or ""
    calls = _calls(read(message, "tool_calls")) + found.calls
    if calls:
        kept["tool_calls"] = calls
    others = message
    if is_mapping(message):
        # The common case: no other fields.
        others = {name: value for name, value in message.items() if name not in _ELSEWHERE}
    for name, value in known_fields(others).items():
        if name not in _ELSEWHERE and value != []:
            kept[name] = without_bytes(value)
    return kept


def reasoning_of(message: object) -> str:
    """The reasoning text, in the fields that compatible servers use."""
    return read_text(message, "reasoning_content") or read_text(message, "reasoning") or ""


def _calls(calls: object) -> list[dict[str, Any]]:
    if not is_list(calls):
        return []
    return [_call(call) for call in calls]


def _call(call: object) -> dict[str, Any]:
    kept = {name: value for name, value in known_fields(call).items() if name != "index"}
    function = kept.get("function")
    if is_mapping(function):
        # The library's `parsed_arguments` repeats the arguments.
        kept["function"] = {key: value for key, value in function.items() if key != "parsed_arguments"}
    return kept
