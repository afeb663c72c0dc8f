"""Compares messages of repeated conversations.

Every call repeats the conversation, but not literally: an answer may be an object instead of a string, whitespace
may differ, the reasoning may be missing, and arguments may be in a different order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from reflect_sdk.converters._plain import as_text, is_list, is_mapping

Mark: TypeAlias = tuple[str, str, str, tuple[tuple[str, str, str], ...]]


def mark_of(message: Mapping[str, Any]) -> Mark:
    """The identity of a message: its role, its text, and the tool calls it contains or answers."""
    role = str(message.get("role") or "")
    calls = message.get("tool_calls")
    return (
        "system" if role == "developer" else role,
        _text(message.get("content")),
        str(message.get("tool_call_id") or ""),
        tuple(_call(call) for call in calls) if is_list(calls) else (),
    )


def is_instruction(message: Mapping[str, Any]) -> bool:
    """Whether it is a system or developer message. They come first, and differ between agents."""
    return message.get("role") in ("system", "developer")


def alike(one: Sequence[Mark], other: Sequence[Mark]) -> int:
    """The length of the common prefix of two conversations."""
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def overlap(earlier: Sequence[Mark], later: Sequence[Mark]) -> int:
    """How many messages at the end of `earlier` are the start of `later`, for a truncated history."""
    for count in range(min(len(earlier), len(later)), 0, -1):
        if earlier[-count:] == later[:count]:
            return count
    return 0


def arguments_of(text: str) -> str:
    """The arguments of a call in a canonical order, for comparison."""
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except ValueError:
        return text.strip()


def _text(content: object) -> str:
    if isinstance(content, str):
        return content.strip()
    return json.dumps(content, sort_keys=True, default=str) if content else ""


def _call(call: object) -> tuple[str, str, str]:
    if not is_mapping(call):
        return ("", str(call), "")
    function = call.get("function")
    inner: Mapping[str, Any] = function if is_mapping(function) else call
    asked = inner.get("arguments")
    arguments = arguments_of("{}" if asked is None else as_text(asked))
    return (str(call.get("id") or ""), str(inner.get("name") or ""), arguments)
