"""Converts contents of Gemini's API, which Google ADK uses for all models, to chat messages."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any

from reflect_sdk.converters._bytes import without_bytes
from reflect_sdk.converters._content import content_of, tool_call
from reflect_sdk.converters._plain import as_text, is_list, is_mapping, known_fields, plain, read, read_text

# The ids that ADK gives to calls without an id. It removes them before it sends a conversation.
_OWN_IDS = "adk-"


class Contents:
    """Converts a conversation in its order.

    Gemini's tool calls have no ids. They get their number in the conversation, which is the same in every request.
    """

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._count = 0
        # The ids of the calls without a result, by name.
        self._open: defaultdict[str, deque[str]] = defaultdict(deque)

    def messages(self, contents: object) -> list[dict[str, Any]]:
        """The messages of the next contents."""
        found: list[dict[str, Any]] = []
        for content in contents if is_list(contents) else ():
            parts = read(content, "parts")
            role = "assistant" if read_text(content, "role") == "model" else "user"
            found.extend(self._content(role, parts if is_list(parts) else ()))
        return found

    def _content(self, role: str, parts: Sequence[object]) -> list[dict[str, Any]]:
        results: list[dict[str, Any]] = []
        blocks: list[Any] = []
        thoughts: list[str] = []
        calls: list[dict[str, Any]] = []
        for part in parts:
            call, given, text = read(part, "function_call"), read(part, "function_response"), read_text(part, "text")
            if call is not None:
                calls.append(self._call(call))
            elif given is not None:
                results.append(self._result(given))
            elif text is not None and read(part, "thought"):
                thoughts.append(text)
            elif text is not None:
                blocks.append({"type": "text", "text": text})
            else:
                rest = known_fields(part)
                rest = {name: rest[name] for name in rest if name not in ("text", "thought", "thought_signature")}
                if rest:
                    blocks.append({"type": "part", **without_bytes(rest)})
        if not (blocks or thoughts or calls):
            return results
        message: dict[str, Any] = {"role": role}
        content_of(blocks, between="" if role == "assistant" else "\n").put(message)
        if thoughts:
            message["reasoning"] = "".join(thoughts)
        if calls:
            message["tool_calls"] = calls
        return [*results, message]

    def _call(self, call: object) -> dict[str, Any]:
        name = read_text(call, "name") or "unknown"
        self._count += 1
        identity = call_id(call) or f"{self._agent}-{self._count}"
        self._open[name].append(identity)
        return tool_call(identity, name, plain(read(call, "args")))

    def _result(self, given: object) -> dict[str, Any]:
        name, identity = read_text(given, "name") or "unknown", call_id(given)
        waiting = self._open[name]
        if identity is None:
            identity = waiting.popleft() if waiting else ""
        elif identity in waiting:
            waiting.remove(identity)
        return tool_message(identity, name, read(given, "response"))


def call_id(call: object, name: str = "id") -> str | None:
    """The id that the model gave to a call."""
    identity = read_text(call, name)
    return None if identity is None or identity.startswith(_OWN_IDS) else identity


def tool_message(identity: str, name: str, result: object) -> dict[str, Any]:
    """The result of a tool. ADK wraps a value that is not an object into one."""
    if is_mapping(result) and set(result) == {"result"}:
        result = result["result"]
    return {"role": "tool", "tool_call_id": identity, "name": name, "content": as_text(result)}
