"""Model servers that follow a script: the APIs that Claude Code and Codex call, on this machine.

A model answers the prompt with the commands of its script, one after the other, and then with a text. All
requests are kept, so a check can see what reached the model.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from local_server import listening, respond


@dataclass
class ModelScript:
    """What the model does with a prompt."""

    # The command lines that it runs, in order.
    commands: list[str]
    # The text at the end.
    text: str
    # The bodies of all requests, in order.
    requests: list[dict[str, Any]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def keep(self, body: dict[str, Any]) -> None:
        """Keeps the body of a request."""
        with self.lock:
            self.requests.append(body)

    def whole_text(self) -> str:
        """Everything that was sent to the model."""
        with self.lock:
            return json.dumps(self.requests, ensure_ascii=False)


def _event(name: str, **fields: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **fields})}\n\n".encode()


def anthropic_answer(script: ModelScript, body: dict[str, Any]) -> Iterator[bytes]:
    """The answer of the Messages API, as a stream."""
    tools = {tool.get("name") for tool in body.get("tools") or []}
    done = _results_since_prompt(body.get("messages") or [])
    number = len(script.requests)
    message = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 1},
    }
    yield _event("message_start", message=message)
    if "Bash" in tools and done < len(script.commands):
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {}}
        given = json.dumps({"command": script.commands[done], "description": "Run it"})
        yield _event("content_block_start", index=0, content_block=call)
        delta = {"type": "input_json_delta", "partial_json": given}
        yield _event("content_block_delta", index=0, delta=delta)
        reason = "tool_use"
    else:
        text = script.text if "Bash" in tools else "A title"
        yield _event("content_block_start", index=0, content_block={"type": "text", "text": ""})
        yield _event("content_block_delta", index=0, delta={"type": "text_delta", "text": text})
        reason = "end_turn"
    yield _event("content_block_stop", index=0)
    ended = {"stop_reason": reason, "stop_sequence": None}
    yield _event("message_delta", delta=ended, usage={"output_tokens": 20})
    yield _event("message_stop")


def _results_since_prompt(messages: list[dict[str, Any]]) -> int:
    """How many results of tools follow the last prompt."""
    done = 0
    for message in reversed(messages):
        content = message.get("content")
        blocks = content if isinstance(content, list) else []
        results = sum(block.get("type") == "tool_result" for block in blocks)
        if message.get("role") == "user" and results == 0:
            break
        done += results
    return done


def responses_answer(script: ModelScript, body: dict[str, Any]) -> Iterator[bytes]:
    """The answer of the Responses API, as a stream."""
    items = body.get("input") or []
    done = 0
    for item in reversed(items):
        if item.get("type") == "message" and item.get("role") == "user":
            break
        done += item.get("type") == "function_call_output"
    number = len(script.requests)
    response = {"id": f"resp_{number}"}
    yield _event("response.created", response=response)
    if done < len(script.commands):
        tool = _shell_tool(body)
        item = {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "name": tool[0],
            "arguments": json.dumps({tool[1]: script.commands[done]}),
        }
    else:
        content = [{"type": "output_text", "text": script.text, "annotations": []}]
        item = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": content}
    yield _event("response.output_item.done", output_index=0, item=item)
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 15,
    }
    yield _event("response.completed", response={**response, "usage": usage})


def _shell_tool(body: dict[str, Any]) -> tuple[str, str]:
    """The tool that runs a command, and the name of its argument."""
    names = {tool.get("name") for tool in body.get("tools") or []}
    return ("exec_command", "cmd") if "exec_command" in names else ("shell_command", "command")


class _Handler(BaseHTTPRequestHandler):
    """Answers the calls of both APIs."""

    script: ModelScript
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Lists and checks that have no meaning here."""
        self._json({"data": [], "models": []})

    def do_HEAD(self) -> None:
        """Whether the server is there."""
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        """One call."""
        text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = json.loads(text or b"{}")
        path = self.path.split("?")[0]
        if path.endswith("/count_tokens"):
            self._json({"input_tokens": 10})
        elif path.endswith("/messages"):
            self.script.keep(body)
            self._stream(anthropic_answer(self.script, body))
        elif path.endswith("/responses"):
            self.script.keep(body)
            self._stream(responses_answer(self.script, body))
        else:
            self._json({})

    def _json(self, answer: dict[str, Any]) -> None:
        respond(self, "application/json", json.dumps(answer).encode())

    def _stream(self, events: Iterator[bytes]) -> None:
        respond(self, "text/event-stream", b"".join(events))

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: the requests are kept."""


def model_server(script: ModelScript) -> AbstractContextManager[str]:
    """Runs a model server, whose address it gives."""
    return listening(type("Handler", (_Handler,), {"script": script}))
