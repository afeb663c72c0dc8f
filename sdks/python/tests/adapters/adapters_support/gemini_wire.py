"""Bodies of Gemini's protocol: whole, and as the events of a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from adapters_support.wire import MODEL, pieces

USAGE = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}


def content(said: dict[str, Any]) -> dict[str, Any]:
    """The body for an answer in the form of a chat message. Gemini's calls have no ids."""
    parts: list[dict[str, Any]] = []
    if said.get("content"):
        parts.append({"text": said["content"]})
    for call in said.get("tool_calls") or []:
        function = call["function"]
        parts.append({"functionCall": {"name": function["name"], "args": json.loads(function["arguments"])}})
    return _body(parts, "STOP")


def content_events(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for part in whole["candidates"][0]["content"]["parts"]:
        if "text" in part:
            for piece in pieces(part["text"]):
                yield _body([{"text": piece}], None)
        else:
            yield _body([part], None)
    yield _body([{"text": ""}], "STOP")


def error(status: int) -> dict[str, Any]:
    return {"error": {"code": status, "message": "out of order", "status": "INTERNAL"}}


def told(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """The conversation of a request as chat messages, read without the adapters."""
    found: list[dict[str, Any]] = []
    system = asked.get("systemInstruction")
    if system:
        found.append({"role": "system", "content": "".join(part["text"] for part in system["parts"])})
    for entry in asked["contents"]:
        parts = entry["parts"]
        for part in parts:
            if "functionResponse" in part:
                given = part["functionResponse"]["response"]
                text = given["result"] if set(given) == {"result"} else json.dumps(given)
                found.append({"role": "tool", "content": text})
        texts = "".join(part.get("text", "") for part in parts)
        calls = [
            (part["functionCall"]["name"], part["functionCall"]["args"]) for part in parts if "functionCall" in part
        ]
        if texts or calls:
            role = "assistant" if entry["role"] == "model" else "user"
            found.append({"role": role, "content": texts, "calls": calls})
    return found


def _body(parts: list[dict[str, Any]], end: str | None) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if end is None:
        return {"candidates": [candidate], "modelVersion": MODEL}
    return {"candidates": [{**candidate, "finishReason": end}], "modelVersion": MODEL, "usageMetadata": USAGE}
