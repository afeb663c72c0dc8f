"""Converts LangChain messages: its classes, and the forms that LangChain accepts as messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard, cast

from reflect_sdk.converters._content import content_of, tool_call
from reflect_sdk.converters._plain import fields, is_list, is_mapping, plain, read, read_text

_ROLES = {"human": "user", "user": "user", "ai": "assistant", "assistant": "assistant", "system": "system"}


def langchain_message(message: object) -> dict[str, Any]:
    """One message. Plain dicts are not changed."""
    if is_mapping(message):
        return fields(message)
    if isinstance(message, str):
        return {"role": "user", "content": message}
    if is_pair(message):
        role, content = message
        return {"role": _ROLES.get(role, role), "content": content_of(content).said}
    kind = read_text(message, "type")
    if kind is None or read(message, "content") is None:
        return {"role": "other", "content": "", "data": plain(message)}
    return _of_class(message, kind)


def _of_class(message: object, kind: str) -> dict[str, Any]:
    role = _role(message, kind)
    found = content_of(read(message, "content"), between="" if role == "assistant" else "\n")
    more = read(message, "additional_kwargs")
    found.reasoning = found.reasoning or read_text(more, "reasoning_content") or ""
    found.refusal = found.refusal or read_text(more, "refusal") or ""
    kept: dict[str, Any] = {"role": role}
    found.put(kept)
    calls = _calls(message, found.calls)
    if calls:
        kept["tool_calls"] = calls
    for name in ("name", "tool_call_id"):
        text = read_text(message, name)
        if text is not None:
            kept[name] = text
    if read_text(message, "status") == "error":
        kept["status"] = "error"
    model = model_of(message)
    if model is not None:
        kept["model"] = model
    if role == "other":
        kept["data"] = fields(message)
    return fields(kept)


def model_of(message: object) -> str | None:
    """The model name in the message's metadata."""
    about = read(message, "response_metadata")
    return read_text(about, "model_name") or read_text(about, "model")


def _role(message: object, kind: str) -> str:
    # Stream chunks have class names such as AIMessageChunk.
    name = kind.removesuffix("MessageChunk").lower()
    if name == "chat":
        return read_text(message, "role") or "user"
    return _ROLES.get(name, name if name in ("tool", "function", "developer") else "other")


def _calls(message: object, in_content: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []
    for call in _listed(message, "tool_calls"):
        calls.append(tool_call(read_text(call, "id"), read_text(call, "name"), read(call, "args")))
    for call in _listed(message, "invalid_tool_calls"):
        # The arguments are not valid JSON; keep the text.
        said = read_text(call, "error") or "The arguments are not valid JSON."
        name, arguments = read_text(call, "name"), read(call, "args") or ""
        calls.append(tool_call(read_text(call, "id"), name, arguments, error=said))
    known = {call["id"] for call in calls}
    # Some classes repeat the calls in the content; calls of provider tools are only there.
    return calls + [call for call in in_content if call["id"] not in known]


def _listed(message: object, name: str) -> Sequence[object]:
    found = read(message, name)
    return found if is_list(found) else ()


def is_pair(message: object) -> TypeGuard[tuple[str, Any]]:
    """Whether it is a pair of role and content, which LangChain accepts as a message."""
    if not isinstance(message, tuple):
        return False
    pair = cast("tuple[object, ...]", message)
    return len(pair) == 2 and isinstance(pair[0], str)
