"""A model server with tools for the agents under test: OpenAI's chat completions and Anthropic's messages.

It is deterministic. The first answer of a conversation calls two tools, the second one is the final answer.
"""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler
from typing import Any

from local_server import listening, respond

MODEL = "scripted-model"
FIRST = "I will look it up."
FINAL = "It is 12 degrees in Oslo. I know nothing about Atlantis."
CALLS = (("call_oslo", "weather", {"city": "Oslo"}), ("call_atlantis", "weather", {"city": "Atlantis"}))


def _openai(request: dict[str, Any]) -> dict[str, Any]:
    answered = any(message.get("role") == "tool" for message in request["messages"])
    message: dict[str, Any] = {"role": "assistant", "content": FINAL if answered else FIRST}
    if not answered:
        message["tool_calls"] = [
            {
                "id": identity,
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for identity, name, arguments in CALLS
        ]
    return {
        "id": "chatcmpl-2" if answered else "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": MODEL,
        "choices": [
            {"index": 0, "message": message, "finish_reason": "stop" if answered else "tool_calls"},
        ],
        "usage": {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30},
    }


def _anthropic(request: dict[str, Any]) -> dict[str, Any]:
    blocks = [
        block
        for message in request["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
    ]
    answered = any(block.get("type") == "tool_result" for block in blocks)
    content: list[dict[str, Any]] = [{"type": "text", "text": FINAL if answered else FIRST}]
    if not answered:
        content += [
            {"type": "tool_use", "id": identity, "name": name, "input": arguments}
            for identity, name, arguments in CALLS
        ]
    return {
        "id": "msg_2" if answered else "msg_1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": content,
        "stop_reason": "end_turn" if answered else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 20, "output_tokens": 10},
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = _anthropic(request) if self.path.endswith("/messages") else _openai(request)
        respond(self, "application/json", json.dumps(answer).encode())

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: the run prints its own lines."""


def model_server() -> AbstractContextManager[str]:
    """Runs a model server, whose base URL it gives."""
    return listening(_Handler)
