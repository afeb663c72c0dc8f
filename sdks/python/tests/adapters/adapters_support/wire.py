"""Bodies of OpenAI's protocol: whole, and as the events of a stream."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

MODEL = "loopback-1"
# What each answer costs, as the adapters note it.
USAGE = {"input_tokens": 1, "output_tokens": 1}
_numbers = itertools.count(1)


def call(name: str, arguments: dict[str, Any], identity: str = "call_1") -> dict[str, Any]:
    """A call of a tool, as a chat message holds it."""
    return {
        "id": identity,
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(arguments)},
    }


def completion(messages: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{next(_numbers)}",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [
            {"index": index, "finish_reason": _end(message), "message": _whole(message), "logprobs": None}
            for index, message in enumerate(messages)
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def completion_chunks(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Texts in pieces of three characters, arguments too."""
    identity = whole["id"]

    def chunk(index: int, delta: dict[str, Any], end: str | None = None) -> dict[str, Any]:
        choice = {"index": index, "delta": delta, "finish_reason": end}
        return {
            "id": identity,
            "object": "chat.completion.chunk",
            "created": 1,
            "model": MODEL,
            "choices": [choice],
        }

    for index, choice in enumerate(whole["choices"]):
        message = {**choice["message"], "finish_reason": choice["finish_reason"]}
        yield chunk(index, {"role": "assistant", "content": ""})
        for name in ("reasoning_content", "content", "refusal"):
            for piece in pieces(message.get(name) or ""):
                yield chunk(index, {name: piece})
        for number, asked in enumerate(message.get("tool_calls") or []):
            begin = {
                **asked,
                "index": number,
                "function": {"name": asked["function"]["name"], "arguments": ""},
            }
            yield chunk(index, {"tool_calls": [begin]})
            for piece in pieces(asked["function"]["arguments"]):
                yield chunk(index, {"tool_calls": [{"index": number, "function": {"arguments": piece}}]})
        yield chunk(index, {}, _end(message))
    yield {**chunk(0, {}), "choices": [], "usage": whole["usage"]}


def text_item(text: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {
        "id": f"msg_{next(_numbers)}",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": content,
        **more,
    }


def call_item(name: str, arguments: dict[str, Any], identity: str = "call_1") -> dict[str, Any]:
    return {
        "id": f"fc_{next(_numbers)}",
        "type": "function_call",
        "call_id": identity,
        "name": name,
        "arguments": json.dumps(arguments),
        "status": "completed",
    }


def items(said: dict[str, Any]) -> list[dict[str, Any]]:
    """An answer in the form of a chat message as response items."""
    texts = [text_item(said["content"])] if said.get("content") else []
    calls = said.get("tool_calls") or []
    called = [
        call_item(call["function"]["name"], json.loads(call["function"]["arguments"]), call["id"]) for call in calls
    ]
    return [*texts, *called]


def told(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """The conversation of a request as chat messages, read without the adapters."""
    found: list[dict[str, Any]] = []
    for message in asked["messages"]:
        calls = message.get("tool_calls") or []
        asked_for = [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls]
        found.append({"role": message["role"], "content": _text(message.get("content")), "calls": asked_for})
    return found


def told_items(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """The same for a request of the Responses API."""
    found: list[dict[str, Any]] = []
    if asked.get("instructions"):
        found.append({"role": "system", "content": asked["instructions"]})
    given = asked["input"]
    for item in [{"role": "user", "content": given}] if isinstance(given, str) else given:
        kind = item.get("type")
        if kind == "function_call":
            found.append(
                {"role": "assistant", "content": "", "calls": [(item["name"], json.loads(item["arguments"]))]}
            )
        elif kind == "function_call_output":
            found.append({"role": "tool", "content": _text(item["output"])})
        else:
            found.append({"role": item["role"], "content": _text(item["content"])})
    return found


def response(output: list[dict[str, Any]], asked: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "id": f"resp_{next(_numbers)}",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": MODEL,
        "output": output,
        "instructions": asked.get("instructions"),
        "previous_response_id": asked.get("previous_response_id"),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "metadata": {},
        "temperature": 1.0,
        "top_p": 1.0,
        "usage": {
            "input_tokens": 1,
            "output_tokens": 1,
            "total_tokens": 2,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
        **more,
    }


def response_events(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    numbers = itertools.count()

    def event(kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": kind, "sequence_number": next(numbers), **fields}

    yield event("response.created", response={**whole, "status": "in_progress", "output": [], "usage": None})
    for index, item in enumerate(whole["output"]):
        place = {"item_id": item["id"], "output_index": index}
        if item["type"] == "message":
            yield event(
                "response.output_item.added",
                output_index=index,
                item={**item, "content": [], "status": "in_progress"},
            )
            for number, part in enumerate(item["content"]):
                here = {**place, "content_index": number}
                yield event("response.content_part.added", **here, part={**part, "text": ""})
                for piece in pieces(part["text"]):
                    yield event("response.output_text.delta", **here, delta=piece, logprobs=[])
                yield event("response.output_text.done", **here, text=part["text"], logprobs=[])
                yield event("response.content_part.done", **here, part=part)
        elif item["type"] == "function_call":
            yield event("response.output_item.added", output_index=index, item={**item, "arguments": ""})
            for piece in pieces(item["arguments"]):
                yield event("response.function_call_arguments.delta", **place, delta=piece)
            done = {"name": item["name"], "arguments": item["arguments"]}
            yield event("response.function_call_arguments.done", **place, **done)
        else:
            yield event("response.output_item.added", output_index=index, item=item)
        yield event("response.output_item.done", output_index=index, item=item)
    yield event("response.completed", response=whole)


def pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), 3):
        yield text[start : start + 3]


def _text(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(part["text"] for part in content)


def _whole(message: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "refusal": None, **message}


def _end(message: dict[str, Any]) -> str:
    return str(message.get("finish_reason") or ("tool_calls" if message.get("tool_calls") else "stop"))
