"""Converts messages of Pydantic AI to chat messages."""

from __future__ import annotations

from typing import Any

from reflect_sdk.capture._usage import usage_of
from reflect_sdk.converters._bytes import without_bytes
from reflect_sdk.converters._content import content_of, tool_call
from reflect_sdk.converters._plain import as_text, is_list, known_fields, plain, read, read_text

_RESULTS = frozenset({"tool-return", "builtin-tool-return"})
_CALLS = frozenset({"tool-call", "builtin-tool-call"})
_FAILED = frozenset({"failed", "denied", "interrupted", "retried"})
# Bookkeeping of the framework, which the model does not see as a message.
_SILENT = frozenset(
    {
        "instruction",
        "instruction-delta",
        "instruction-digest",
        "instruction-baseline",
        "tool-availability-delta",
        "model-settings-delta",
    }
)


def request_of(context: object) -> list[dict[str, Any]]:
    """The conversation of a model request, with its instructions."""
    parts = read(read(context, "model_request_parameters"), "instruction_parts")
    texts = [read_text(part, "content") or "" for part in parts] if is_list(parts) else []
    system = "\n\n".join(text for text in texts if text)
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
    history = read(context, "messages")
    for message in history if is_list(history) else ():
        if read_text(message, "kind") == "response":
            messages.extend(answer_of(message))
        else:
            parts = read(message, "parts")
            messages.extend(kept for part in parts if (kept := _request_part(part)) is not None)
    return messages


def answer_of(response: object) -> list[dict[str, Any]]:
    """The messages of a model's answer: one, and the results of tools that ran at the provider."""
    texts: list[Any] = []
    thoughts: list[str] = []
    calls: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    parts = read(response, "parts")
    for part in parts if is_list(parts) else ():
        kind = read_text(part, "part_kind") or ""
        content = read_text(part, "content")
        if kind in _CALLS:
            identity, name = read_text(part, "tool_call_id"), read_text(part, "tool_name")
            calls.append(tool_call(identity, name, plain(read(part, "args"))))
        elif kind in _RESULTS:
            results.append(tool_return(part))
        elif kind == "thinking":
            thoughts.append(content or "")
        elif kind == "text":
            texts.append({"type": "text", "text": content or ""})
        else:
            texts.append(without_bytes(known_fields(part)))
    message: dict[str, Any] = {"role": "assistant"}
    content_of(texts, between="").put(message)
    if any(thoughts):
        message["reasoning"] = "\n".join(filter(None, thoughts))
    if calls:
        message["tool_calls"] = calls
    model, end = read_text(response, "model_name"), read_text(response, "finish_reason")
    if model is not None:
        message["model"] = model
    if end is not None and end not in ("stop", "tool_call"):
        message["finish_reason"] = end
    usage = usage_of(read(response, "usage"))
    if usage is not None:
        message["usage"] = usage
    return [message, *results]


def tool_return(part: object) -> dict[str, Any]:
    """The result of a tool."""
    content = read(part, "content")
    found: dict[str, Any] = {
        "role": "tool",
        "tool_call_id": read_text(part, "tool_call_id") or "",
        "name": read_text(part, "tool_name") or "unknown",
        "content": as_text(without_bytes(plain(content))),
    }
    if read(part, "outcome") in _FAILED:
        found["status"] = "error"
    return found


def _request_part(part: object) -> dict[str, Any] | None:
    kind, content = read_text(part, "part_kind") or "", read(part, "content")
    if kind in _SILENT:
        return None
    if kind in _RESULTS:
        return tool_return(part)
    if kind == "system-prompt":
        return {"role": "system", "content": as_text(content)}
    if kind == "user-prompt":
        return {"role": "user", "content": _prompt(content)}
    return {"role": "user", "content": as_text(without_bytes(plain(content)))}


def _prompt(content: object) -> Any:
    if isinstance(content, str):
        return content
    parts: list[Any] = []
    for part in content if is_list(content) else (content,):
        text = part if isinstance(part, str) else read_text(part, "content")
        kind = read_text(part, "kind")
        if isinstance(text, str) and kind in (None, "text-content", "structured-content"):
            parts.append({"type": "text", "text": text})
        else:
            parts.append({"type": kind or "part", **without_bytes(known_fields(part))})
    return content_of(parts).said
