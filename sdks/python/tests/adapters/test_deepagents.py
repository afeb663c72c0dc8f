"""Deep Agents: noted while they run, and their state as a trajectory. The package needs Python 3.11."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from adapters_support import wire
from adapters_support.model_server import ModelServer
from adapters_support.traces import trace
from deepagents import create_deep_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

from reflect_sdk.capture.langchain import install, uninstall
from reflect_sdk.converters import from_deepagents

ASKED = {"role": "user", "content": "Weather in Paris?"}


@pytest.fixture
def installed() -> Iterator[None]:
    install()
    yield
    uninstall()


def model(server: ModelServer) -> ChatOpenAI:
    return ChatOpenAI(model="m", base_url=server.url, api_key="k", max_retries=0)  # type: ignore[arg-type]


def call(name: str, identity: str = "call_1", **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [wire.call(name, arguments, identity)]}


@tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"rain in {city}"


def test_the_state_of_a_deep_agent(server: ModelServer) -> None:
    server.says(call("weather", city="Paris"), "It rains.")
    agent = create_deep_agent(model=model(server), tools=[weather])
    state = agent.invoke({"messages": [{"role": "user", "content": "Weather?"}]})
    messages = from_deepagents(state)
    assert messages == from_deepagents(state["messages"])
    assert json.loads(json.dumps(messages)) == messages
    assert messages == [
        {"role": "user", "content": "Weather?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [wire.call("weather", {"city": "Paris"})],
            "model": wire.MODEL,
        },
        {"role": "tool", "content": "rain in Paris", "name": "weather", "tool_call_id": "call_1"},
        {"role": "assistant", "content": "It rains.", "model": wire.MODEL},
    ]


@pytest.mark.usefixtures("installed")
def test_a_deep_agent_and_its_subagent_are_noted(server: ModelServer) -> None:
    server.says(
        call("task", description="Find the weather.", subagent_type="finder"),
        call("weather", "call_2", city="Paris"),
        "It rains in Paris.",
        "Take an umbrella.",
    )
    finder: Any = {
        "name": "finder",
        "description": "Finds weather.",
        "system_prompt": "You find.",
        "tools": [weather],
        "model": model(server),
    }
    agent = create_deep_agent(model=model(server), subagents=[finder], system_prompt="You plan.")
    with trace() as ctx:
        agent.invoke({"messages": [ASKED]})
    kept = [message for message in ctx.captured if message["role"] != "system"]
    assert [(message["role"], message.get("agent")) for message in kept] == [
        ("user", None),
        ("assistant", None),
        ("user", None),
        ("assistant", "finder"),
        ("tool", None),
        ("assistant", "finder"),
        ("tool", None),
        ("assistant", None),
    ]
    assert kept[4]["content"] == "rain in Paris"
    assert kept[6]["content"] == "It rains in Paris."
    assert kept[7]["content"] == "Take an umbrella."
