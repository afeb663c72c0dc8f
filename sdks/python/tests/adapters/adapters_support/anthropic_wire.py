"""Bodies of Anthropic's protocol: whole, and as the events of a stream."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

from adapters_support.wire import MODEL, pieces

_numbers = itertools.count(1)


def message(said: dict[str, Any]) -> dict[str, Any]:
    """The body for an answer in the form of a chat message."""
    return {
        "id": f"msg_{next(_numbers)}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": list(_blocks(said)),
        "stop_reason": said.get("finish_reason") or ("tool_use" if said.get("tool_calls") else "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def message_events(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    start = {**whole, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": start}
    for index, block in enumerate(whole["content"]):
        begun, deltas = _streamed(block)
        yield {"type": "content_block_start", "index": index, "content_block": begun}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": end, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def error(status: int) -> dict[str, Any]:
    kind = "api_error" if status >= 500 else "invalid_request_error"
    return {"type": "error", "error": {"type": kind, "message": "out of order"}}


def told(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """The conversation of a request as chat messages, read without the adapters."""
    found: list[dict[str, Any]] = []
    system = asked.get("system")
    if system:
        found.append({"role": "system", "content": _text(system)})
    for entry in asked["messages"]:
        blocks = entry["content"]
        if isinstance(blocks, str):
            found.append({"role": entry["role"], "content": blocks})
            continue
        for block in blocks:
            if block["type"] == "tool_result":
                found.append({"role": "tool", "content": _text(block.get("content") or "")})
        texts = "".join(block["text"] for block in blocks if block["type"] == "text")
        calls = [(block["name"], block["input"]) for block in blocks if block["type"] == "tool_use"]
        if texts or calls:
            found.append({"role": entry["role"], "content": texts, "calls": calls})
    return found


def _blocks(said: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if said.get("reasoning_content"):
        yield {"type": "thinking", "thinking": said["reasoning_content"], "signature": "s"}
    if said.get("content"):
        yield {"type": "text", "text": said["content"]}
    for call in said.get("tool_calls") or []:
        arguments = json.loads(call["function"]["arguments"])
        yield {"type": "tool_use", "id": call["id"], "name": call["function"]["name"], "input": arguments}


def _streamed(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "text":
        texts = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
        return {"type": "text", "text": ""}, texts
    if block["type"] == "thinking":
        thoughts: list[dict[str, Any]] = [
            {"type": "thinking_delta", "thinking": piece} for piece in pieces(block["thinking"])
        ]
        sealed = {"type": "signature_delta", "signature": block["signature"]}
        return {"type": "thinking", "thinking": "", "signature": ""}, [*thoughts, sealed]
    arguments = pieces(json.dumps(block["input"]))
    return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in arguments]


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "\n".join(block["text"] for block in content)
