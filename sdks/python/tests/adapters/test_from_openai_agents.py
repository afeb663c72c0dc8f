"""Runs of OpenAI Agents as trajectories."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from adapters_support import wire
from adapters_support.model_server import ModelServer
from agents import (
    Agent,
    AgentsException,
    CodeInterpreterTool,
    FileSearchTool,
    HostedMCPTool,
    ImageGenerationTool,
    MaxTurnsExceeded,
    OpenAIResponsesModel,
    Runner,
    WebSearchTool,
    function_tool,
    set_trace_processors,
)
from openai import AsyncOpenAI
from pydantic import BaseModel

from reflect_sdk.converters import from_openai_agents

ASKED = {"role": "user", "content": "Weather in Paris?"}


@pytest.fixture(autouse=True)
def no_processors() -> Iterator[None]:
    # The framework's own would send what it sees to its maker.
    set_trace_processors([])
    yield


@function_tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"rain in {city}"


def model(server: ModelServer) -> OpenAIResponsesModel:
    client = AsyncOpenAI(base_url=server.url, api_key="k", max_retries=0)
    return OpenAIResponsesModel(model="m", openai_client=client)


def run(agent: Agent[Any], asked: Any = "Weather in Paris?") -> list[dict[str, Any]]:
    messages = from_openai_agents(Runner.run_sync(agent, asked))
    assert json.loads(json.dumps(messages)) == messages
    return messages


def reasoning(text: str | None) -> dict[str, Any]:
    summary = [] if text is None else [{"type": "summary_text", "text": text}]
    return {"id": "rs_1", "type": "reasoning", "summary": summary, "encrypted_content": "gAAA"}


def test_messages_reasoning_calls_and_results(server: ModelServer) -> None:
    server.says(
        [
            reasoning("I must look."),
            wire.text_item("Let me see."),
            wire.call_item("weather", {"city": "Paris"}, "call_1"),
            wire.call_item("weather", {"city": "Rome"}, "call_2"),
        ],
        [reasoning(None), wire.text_item("It rains.")],
    )
    assert run(Agent(name="A", model=model(server), tools=[weather])) == [
        ASKED,
        {
            "role": "assistant",
            "agent": "A",
            "content": "Let me see.",
            "reasoning": "I must look.",
            "tool_calls": [
                wire.call("weather", {"city": "Paris"}, "call_1"),
                wire.call("weather", {"city": "Rome"}, "call_2"),
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "name": "weather", "content": "rain in Paris"},
        {"role": "tool", "tool_call_id": "call_2", "name": "weather", "content": "rain in Rome"},
        {"role": "assistant", "agent": "A", "content": "It rains."},
    ]


def test_an_input_of_items_and_a_streamed_run(server: ModelServer) -> None:
    server.says("It rains.")
    asked = [ASKED, {"role": "assistant", "content": "Which one?"}, {"role": "user", "content": "France."}]

    async def streamed() -> list[dict[str, Any]]:
        result = Runner.run_streamed(Agent(name="A", model=model(server)), asked)  # type: ignore[arg-type]
        async for _ in result.stream_events():
            pass
        return from_openai_agents(result)

    answer = {"role": "assistant", "agent": "A", "content": "It rains."}
    assert asyncio.run(streamed()) == [*asked, answer]


def test_tools_at_the_provider_are_kept_with_what_they_gave(server: ModelServer) -> None:
    found = [{"file_id": "f", "filename": "a.txt", "score": 0.5, "text": "It rains.", "attributes": {}}]
    server.says(
        [
            {
                "id": "ws",
                "type": "web_search_call",
                "status": "completed",
                "action": {"type": "search", "query": "weather"},
            },
            {
                "id": "fs",
                "type": "file_search_call",
                "status": "completed",
                "queries": ["q"],
                "results": found,
            },
            {
                "id": "ci",
                "type": "code_interpreter_call",
                "status": "completed",
                "code": "1+1",
                "container_id": "c",
                "outputs": [{"type": "logs", "logs": "2"}],
            },
            {"id": "ig", "type": "image_generation_call", "status": "completed", "result": "QUJD" * 1000},
            {
                "id": "mc",
                "type": "mcp_call",
                "name": "ask",
                "server_label": "wiki",
                "arguments": '{"q": 1}',
                "output": "yes",
                "status": "completed",
            },
            {
                "id": "mf",
                "type": "mcp_call",
                "name": "ask",
                "server_label": "wiki",
                "arguments": "{}",
                "error": "down",
                "status": "failed",
            },
            {
                "id": "ml",
                "type": "mcp_list_tools",
                "server_label": "wiki",
                "tools": [{"name": "ask", "input_schema": {}}],
            },
            wire.text_item("Done."),
        ]
    )
    container: Any = {"type": "code_interpreter", "container": {"type": "auto"}}
    mcp: Any = {"type": "mcp", "server_label": "wiki", "server_url": "http://127.0.0.1:9"}
    tools: list[Any] = [
        WebSearchTool(),
        FileSearchTool(vector_store_ids=["v"]),
        CodeInterpreterTool(tool_config=container),
        ImageGenerationTool(tool_config={"type": "image_generation"}),
        HostedMCPTool(tool_config=mcp),
    ]
    messages = run(Agent(name="A", model=model(server), tools=tools))
    calls = [call for message in messages for call in message.get("tool_calls", ())]
    assert [(call["id"], call["function"]["name"]) for call in calls] == [
        ("ws", "web_search"),
        ("fs", "file_search"),
        ("ci", "code_interpreter"),
        ("ig", "image_generation"),
        ("mc", "ask"),
        ("mf", "ask"),
    ]
    asked = [json.loads(call["function"]["arguments"]) for call in calls]
    assert asked[0]["action"]["query"] == "weather"
    assert asked[1:3] == [{"queries": ["q"]}, {"code": "1+1", "container_id": "c"}]
    assert asked[4] == {"q": 1} and calls[4]["server_label"] == "wiki"
    results = {message["tool_call_id"]: message for message in messages if message["role"] == "tool"}
    assert json.loads(results["fs"]["content"]) == found
    assert json.loads(results["ci"]["content"]) == [{"type": "logs", "logs": "2"}]
    assert results["ig"]["content"] == "(4000 characters of base64 left out)"
    assert results["mc"]["content"] == "yes" and "status" not in results["mc"]
    assert results["mf"]["content"] == "down" and results["mf"]["status"] == "error"
    listed = next(message["item"] for message in messages if "item" in message)
    assert (listed["type"], listed["tools"]) == ("mcp_list_tools", ["ask"])
    assert messages[-1] == {"role": "assistant", "agent": "A", "content": "Done."}


def test_items_of_every_other_kind_are_kept() -> None:
    items = [
        {
            "type": "computer_call",
            "id": "1",
            "call_id": "c1",
            "action": {"type": "click", "x": 1, "y": 2},
            "pending_safety_checks": [],
        },
        {
            "type": "computer_call_output",
            "call_id": "c1",
            "output": {
                "type": "computer_screenshot",
                "image_url": "data:image/png;base64," + "QUJD" * 1000,
            },
        },
        {"type": "shell_call", "id": "2", "call_id": "c2", "action": {"commands": ["ls"]}},
        {
            "type": "shell_call_output",
            "call_id": "c2",
            "output": [{"stdout": "a.txt", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}],
        },
        {"type": "custom_tool_call", "id": "3", "call_id": "c3", "name": "sql", "input": "select 1"},
        {"type": "custom_tool_call_output", "call_id": "c3", "output": "1"},
        {
            "type": "function_call_output",
            "call_id": "c4",
            "output": [
                {"type": "input_text", "text": "see"},
                {"type": "input_image", "image_url": "http://x/y.png"},
            ],
        },
        {"type": "mcp_approval_request", "id": "4", "name": "pay", "arguments": "{}", "server_label": "s"},
        {"type": "mcp_approval_response", "approval_request_id": "4", "approve": False, "reason": "no"},
        {"type": "weather_call", "id": "5", "place": "Paris", "result": "rain"},
        {"type": "something_new", "id": "6"},
        {"neither": "type nor role"},
    ]
    messages = from_openai_agents(items)
    assert json.loads(json.dumps(messages)) == messages
    names = [call["function"]["name"] for message in messages for call in message.get("tool_calls", ())]
    assert names == ["computer", "shell", "sql", "weather"]
    results = [(message.get("name"), message["content"]) for message in messages if message["role"] == "tool"]
    assert results[0][0] == "computer" and "left out" in results[0][1]
    assert "a.txt" in results[1][1]
    assert results[2] == ("sql", "1")
    assert results[3] == (
        None,
        [{"type": "text", "text": "see"}, {"type": "input_image", "image_url": "http://x/y.png"}],
    )
    assert results[4] == ("weather", "rain")
    kept = [(message["role"], message["item"]) for message in messages if "item" in message]
    assert [role for role, _ in kept] == ["assistant", "user", "assistant", "assistant"]
    assert kept[1][1]["reason"] == "no"
    assert kept[3][1] == {"neither": "type nor role"}


def test_refusals_are_kept_as_what_was_said(server: ModelServer) -> None:
    refusal = wire.text_item("", content=[{"type": "refusal", "refusal": "I cannot help with that."}])
    server.says([refusal])
    with pytest.raises(AgentsException) as ended:
        run(Agent(name="A", model=model(server)))
    said = "I cannot help with that."
    assert from_openai_agents(ended.value) == [
        ASKED,
        {"role": "assistant", "content": said, "refusal": said},
    ]
    items = [
        refusal,
        wire.text_item("But", content=[*refusal["content"], *wire.text_item("this.")["content"]]),
    ]
    assert from_openai_agents(items)[1] == {"role": "assistant", "content": "this.", "refusal": said}
    assert from_openai_agents(items)[0] == {
        "role": "assistant",
        "content": said,
        "refusal": said,
    }


def test_a_run_that_was_ended_by_an_exception(server: ModelServer) -> None:
    server.says([wire.call_item("weather", {"city": "Paris"})])
    with pytest.raises(MaxTurnsExceeded) as ended:
        Runner.run_sync(Agent(name="A", model=model(server), tools=[weather]), "Weather?", max_turns=1)
    messages = from_openai_agents(ended.value)
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "assistant"]
    assert messages[3]["error"]["type"] == "MaxTurnsExceeded"


def test_handoffs_say_who_handed_on_to_whom(server: ModelServer) -> None:
    second = Agent(name="Second", model=model(server))
    first = Agent(name="First", model=model(server), handoffs=[second])
    server.says([wire.call_item("transfer_to_second", {})], "It rains.")
    messages = run(first)
    assert messages[1]["agent"] == "First"
    assert messages[2]["handoff"] == {"from": "First", "to": "Second"}
    assert messages[2]["name"] == "transfer_to_second"
    assert messages[3] == {"role": "assistant", "agent": "Second", "content": "It rains."}


class City(BaseModel):
    name: str


def test_an_answer_that_is_no_text_is_the_last_message(server: ModelServer) -> None:
    server.says(
        [wire.call_item("weather", {"city": "Paris"})],
        '{"name": "Paris"}',
        [wire.call_item("weather", {"city": "Paris"})],
    )
    stopping = Agent(name="A", model=model(server), tools=[weather], tool_use_behavior="stop_on_first_tool")
    assert run(stopping)[-1] == {"role": "assistant", "content": "rain in Paris"}
    typed = Agent(name="A", model=model(server), output_type=City)
    assert run(typed)[-1]["content"] == '{"name": "Paris"}'
    assert len(run(stopping)) == 4


def test_a_call_that_waits_for_approval_is_there_once(server: ModelServer) -> None:
    @function_tool(needs_approval=True)
    def pay(amount: int) -> str:
        """Pays."""
        return "paid"

    server.says([wire.call_item("pay", {"amount": 5})])
    messages = run(Agent(name="A", model=model(server), tools=[pay]))
    assert len(messages) == 2
    assert messages[1]["tool_calls"] == [wire.call("pay", {"amount": 5})]
    assert messages[1]["approval"] == "pending"


def test_the_model_is_named_when_the_agent_names_it() -> None:
    item = SimpleNamespace(
        type="message_output_item",
        raw_item=wire.text_item("Hi."),
        agent=SimpleNamespace(name="A", model="gpt-5.4-mini"),
    )
    result = SimpleNamespace(input="Hello", new_items=[item], final_output="Hi.")
    assert from_openai_agents(result)[1] == {
        "role": "assistant",
        "agent": "A",
        "model": "gpt-5.4-mini",
        "content": "Hi.",
    }


def test_nothing_that_is_handed_over_raises() -> None:
    class Hostile:
        type = "message"

        @property
        def content(self) -> Any:
            raise RuntimeError("no")

        def __repr__(self) -> str:
            raise RuntimeError("no")

    loop: dict[str, Any] = {"type": "odd"}
    loop["self"] = [loop, loop]
    odd: list[Any] = [None, 5, b"\xff", Hostile(), object(), loop, {1, 2}, float("nan"), "text", [1]]
    for result in (*odd, odd, SimpleNamespace(input=odd, new_items=odd, final_output=Hostile())):
        json.dumps(from_openai_agents(result))

    class Listing:
        def to_input_list(self) -> list[Any]:
            return [ASKED, {"type": "function_call_output", "call_id": "x", "output": "y"}]

    assert from_openai_agents(Listing()) == [
        ASKED,
        {"role": "tool", "tool_call_id": "x", "content": "y"},
    ]
