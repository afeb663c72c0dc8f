"""Converts items of OpenAI's Responses API to chat messages.

The API has one item per event: a message, reasoning, a tool call, a tool output. Items of the same model answer
become one message. Tools that run at the provider (web search, code interpreter, MCP, future ones) are recognized
by the structure of their items, not by a list of names.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from reflect_sdk.converters._bytes import without_bytes
from reflect_sdk.converters._content import content_of, thoughts_of, tool_call
from reflect_sdk.converters._plain import as_text, is_list, known_fields, plain, read, read_text

# Fields with the result of a provider tool.
_GIVEN = ("output", "outputs", "results", "result")
# Fields that are neither arguments nor results.
_WORDS = ("id", "type", "status", "call_id", "name", "server_label", "namespace", "error", "created_by")
_FORMAL = frozenset((*_WORDS, "fingerprint"))
_ASKED = ("arguments", "input")
_TROUBLE = frozenset({"failed", "error"})


class Items:
    """Assembles items to messages, in order.

    Example:
        items = Items()
        items.extend("What is the weather?")
        items.extend(response.output, model=response.model)
        items.messages()
    """

    def __init__(self) -> None:
        self._messages: list[dict[str, Any]] = []
        self._names: dict[str, str] = {}
        self._thoughts: dict[str, Any] | None = None
        # The current assistant message, to which tool calls are added.
        self._open: dict[str, Any] | None = None

    def messages(self) -> list[dict[str, Any]]:
        """The messages so far."""
        self._settle()
        return self._messages

    def extend(self, items: object, **marks: Any) -> None:
        """Adds items, or a user text. `marks` are added to every assistant message."""
        if isinstance(items, str):
            self._say({"role": "user", "content": items})
        elif is_list(items):
            for item in items:
                self.add(item, **marks)
        elif items is not None:
            self.add(items, **marks)

    def add(self, item: object, **marks: Any) -> None:
        """Adds one item of any type."""
        kind = read_text(item, "type")
        if isinstance(item, str):
            self._say({"role": "user", "content": item})
        elif kind == "reasoning":
            self._think(item, marks)
        elif kind == "message" or (kind is None and read_text(item, "role")):
            self._message(item, marks)
        elif kind is not None and (kind.endswith(("_call", "_use")) or kind == "program"):
            self._call(item, kind, marks)
        elif kind is not None and kind.endswith("_output"):
            self._output(item, kind)
        else:
            self._odd(item, kind, marks)

    def has_call(self, identity: str) -> bool:
        """Whether the messages contain this tool call."""
        return identity in self._names

    def mark_last(self, **marks: Any) -> None:
        """Adds fields to the last message."""
        if self._messages:
            self._messages[-1].update(marks)

    def _message(self, item: object, marks: Mapping[str, Any]) -> None:
        role = read_text(item, "role") or "assistant"
        found = content_of(read(item, "content"), between="" if role == "assistant" else "\n")
        message: dict[str, Any] = {"role": role}
        found.put(message)
        if found.calls:
            message["tool_calls"] = found.calls
        if role != "assistant":
            self._say(message)
            return
        if read_text(item, "status") == "incomplete":
            message["incomplete"] = True
        self._say(self._with_thoughts({**message, **marks}), open_=True)

    def _think(self, item: object, marks: Mapping[str, Any]) -> None:
        text = thoughts_of(item)
        if not text:
            # Encrypted by the provider: there is no readable text.
            return
        earlier = self._thoughts
        if earlier is not None:
            text = f"{earlier['reasoning']}\n{text}"
        self._thoughts = {"role": "assistant", "content": "", "reasoning": text, **marks}

    def _call(self, item: object, kind: str, marks: Mapping[str, Any]) -> None:
        identity = read_text(item, "call_id") or read_text(item, "id") or ""
        name = read_text(item, "name") or kind.removesuffix("_call").removesuffix("_use")
        given = {key: found for key in _GIVEN if (found := read(item, key)) is not None}
        asked = _asked(item, given)
        self._names[identity] = name
        call = tool_call(identity, name, asked, server_label=read_text(item, "server_label"))
        message = self._open
        if message is None or self._thoughts is not None:
            message = self._with_thoughts({"role": "assistant", "content": "", **marks})
            self._say(message, open_=True)
        message.setdefault("tool_calls", []).append(call)
        error = read(item, "error")
        if given or error is not None:
            self._result(identity, name, next(iter(given.values()), error), failed=_failed(item))

    def _output(self, item: object, kind: str) -> None:
        identity = read_text(item, "call_id") or read_text(item, "id") or ""
        given = next((found for key in _GIVEN if (found := read(item, key)) is not None), None)
        if given is None:
            given = _rest(item, ())
        name = self._names.get(identity) or read_text(item, "name")
        if name is None and kind != "function_call_output":
            name = kind.removesuffix("_output").removesuffix("_call")
        self._result(identity, name, given, failed=_failed(item))

    def _result(self, identity: str, name: str | None, given: object, *, failed: bool) -> None:
        message: dict[str, Any] = {"role": "tool", "tool_call_id": identity}
        if name is not None:
            message["name"] = name
        message["content"] = _result_content(given)
        if failed:
            message["status"] = "error"
        self._say(message)

    def _odd(self, item: object, kind: str | None, marks: Mapping[str, Any]) -> None:
        kept = without_bytes(known_fields(item))
        if kind == "mcp_list_tools" and is_list(kept.get("tools")):
            # A list of available tools is not an event.
            kept["tools"] = [read(tool, "name") for tool in kept["tools"]]
        # An approval response comes from the user.
        role = "user" if kind is not None and kind.endswith("_response") else "assistant"
        self._say({"role": role, "content": "", "item": kept, **marks})

    def _with_thoughts(self, message: dict[str, Any]) -> dict[str, Any]:
        thoughts, self._thoughts = self._thoughts, None
        if thoughts is not None:
            message["reasoning"] = "\n".join(filter(None, (thoughts["reasoning"], message.get("reasoning"))))
        return message

    def _say(self, message: dict[str, Any], *, open_: bool = False) -> None:
        self._settle()
        self._messages.append(message)
        self._open = message if open_ else None

    def _settle(self) -> None:
        """Writes reasoning without a following message as its own message."""
        thoughts, self._thoughts = self._thoughts, None
        if thoughts is not None:
            self._messages.append(thoughts)
            self._open = thoughts


def _asked(item: object, given: Mapping[str, object]) -> object:
    for key in _ASKED:
        found = read(item, key)
        if found is not None:
            return found if isinstance(found, str) else plain(found)
    return without_bytes(_rest(item, given))


def _rest(item: object, known: Collection[str]) -> dict[str, Any]:
    found = known_fields(item).items()
    return {key: entry for key, entry in found if key not in _FORMAL and key not in known}


def _failed(item: object) -> bool:
    return read(item, "error") is not None or read(item, "status") in _TROUBLE


def _is_part(part: object) -> bool:
    kind = read_text(part, "type")
    return isinstance(part, str) or (kind is not None and (kind == "text" or kind.startswith("input_")))


def _result_content(given: object) -> str | list[dict[str, Any]]:
    if isinstance(given, str):
        return str(without_bytes(given))
    if is_list(given) and all(_is_part(part) for part in given):
        return content_of(given).said
    return as_text(without_bytes(plain(given)))
