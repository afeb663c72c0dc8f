"""Messages of LangChain as trajectories."""

from __future__ import annotations

import json
from typing import Any

from adapters_support import wire
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    messages_to_dict,
)

from reflect_sdk.converters import from_deepagents


def test_plain_dicts_stay_what_they_are() -> None:
    messages = [
        {"role": "user", "content": "Hi", "x": {"kept": [1, 2.5, None]}},
        {"role": "assistant", "content": [{"type": "text", "text": "Hello"}]},
        {"type": "ai", "content": "in LangChain's own words"},
        {"nothing": "known"},
        *messages_to_dict([HumanMessage("wrapped")]),
    ]
    assert from_deepagents(messages) == messages
    assert from_deepagents({"messages": messages}) == messages
    assert from_deepagents(messages[0]) == [messages[0]]
    # A copy: a change of one does not affect the other.
    from_deepagents(messages)[0]["x"]["kept"].append(3)
    assert messages[0]["x"] == {"kept": [1, 2.5, None]}


def test_contents_given_as_blocks() -> None:
    blocks: list[Any] = [
        {"type": "thinking", "thinking": "First, ", "signature": "s"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "second."}]},
        {"type": "redacted_thinking", "data": "sealed"},
        {"type": "text", "text": "It "},
        {"type": "text", "text": "rains."},
        {"type": "tool_use", "id": "call_1", "name": "weather", "input": {"city": "Paris"}},
        {"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {"query": "q"}},
    ]
    called: Any = [{"id": "call_1", "name": "weather", "args": {"city": "Paris"}}]
    picture = {"type": "image_url", "image_url": {"url": "http://x/y.png"}}
    messages = from_deepagents(
        [
            SystemMessage([{"type": "text", "text": "Be"}, "brief."]),
            HumanMessage([{"type": "text", "text": "Look"}, picture]),
            AIMessage(blocks, tool_calls=called, response_metadata={"model_name": "m-1"}),
        ]
    )
    assert messages[0] == {"role": "system", "content": "Be\nbrief."}
    assert messages[1] == {"role": "user", "content": [{"type": "text", "text": "Look"}, picture]}
    assert messages[2] == {
        "role": "assistant",
        "content": "It rains.",
        "reasoning": "First, \nsecond.",
        "tool_calls": [
            wire.call("weather", {"city": "Paris"}),
            wire.call("web_search", {"query": "q"}, "srv"),
        ],
        "model": "m-1",
    }


def test_calls_that_were_no_json_and_tools_that_failed() -> None:
    invalid: Any = [{"id": "c", "name": "weather", "args": '{"city": ', "error": None}]
    messages = from_deepagents(
        [
            AIMessage("", invalid_tool_calls=invalid, additional_kwargs={"refusal": "No."}),
            ToolMessage("no such city", tool_call_id="c", name="weather", status="error"),
            ToolMessage("fine", tool_call_id="d", artifact=object()),
        ]
    )
    call = messages[0]["tool_calls"][0]
    assert call["function"] == {"name": "weather", "arguments": '{"city": '}
    assert call["error"] == "The arguments are not valid JSON."
    assert messages[0]["content"] == messages[0]["refusal"] == "No."
    assert messages[1] == {
        "role": "tool",
        "content": "no such city",
        "name": "weather",
        "tool_call_id": "c",
        "status": "error",
    }
    assert messages[2] == {"role": "tool", "content": "fine", "tool_call_id": "d"}
    json.dumps(messages)


def test_other_kinds_of_messages() -> None:
    reasoning = {"reasoning_content": "hm"}
    messages = from_deepagents(
        [
            AIMessageChunk(content="a chunk", additional_kwargs=reasoning),
            ChatMessage("in character", role="narrator"),
            FunctionMessage("old style", name="f"),
            ("human", "a pair"),
            "a text",
            RemoveMessage(id="gone"),
            HumanMessage("named", name="Ann"),
        ]
    )
    assert [(message["role"], message["content"]) for message in messages] == [
        ("assistant", "a chunk"),
        ("narrator", "in character"),
        ("function", "old style"),
        ("user", "a pair"),
        ("user", "a text"),
        ("other", ""),
        ("user", "named"),
    ]
    assert messages[0]["reasoning"] == "hm"
    assert messages[5]["data"]["id"] == "gone"
    assert messages[6]["name"] == "Ann"
    assert from_deepagents(("human", "a pair")) == [{"role": "user", "content": "a pair"}]
    assert from_deepagents(HumanMessage("alone")) == [{"role": "user", "content": "alone"}]


def test_nothing_that_is_handed_over_raises_or_becomes_a_repr() -> None:
    class Hostile:
        type = "ai"

        @property
        def content(self) -> Any:
            raise RuntimeError("no")

        def __repr__(self) -> str:
            raise RuntimeError("no")

    loop: dict[str, Any] = {"role": "user"}
    loop["content"] = [loop, loop]
    odd: list[Any] = [5, b"\xff", Hostile(), object(), loop, {1}, float("inf"), [1], ("a", "b", "c"), (5, 6)]
    for messages in (*odd, odd, {"messages": odd}, {"messages": 5}, iter(odd), {}, None, []):
        json.dumps(from_deepagents(messages))
    assert from_deepagents(None) == from_deepagents([]) == []
    assert from_deepagents([5]) == [{"role": "other", "content": "", "data": 5}]
