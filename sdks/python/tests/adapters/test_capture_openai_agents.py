"""Runs of OpenAI Agents, noted through their own tracing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from adapters_support import wire
from adapters_support.model_server import ModelServer, Trouble
from adapters_support.traces import trace
from agents import (
    Agent,
    GuardrailFunctionOutput,
    InputGuardrail,
    InputGuardrailTripwireTriggered,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    function_tool,
    set_trace_processors,
)
from agents.tracing import TracingProcessor
from openai import AsyncOpenAI

from reflect_sdk.capture import capture
from reflect_sdk.capture import openai_agents as reflect_agents
from reflect_sdk.capture.openai_agents import ReflectTracingProcessor, install, uninstall

ASKED = {"role": "user", "content": "Weather in Paris?"}


class Other(TracingProcessor):
    """Another processor."""

    def __init__(self) -> None:
        self.spans = 0

    def on_trace_start(self, trace: Any) -> None: ...
    def on_trace_end(self, trace: Any) -> None: ...
    def on_span_start(self, span: Any) -> None: ...
    def on_span_end(self, span: Any) -> None:
        self.spans += 1

    def shutdown(self) -> None: ...
    def force_flush(self) -> None: ...


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> Iterator[Other]:
    # The framework's own processor would send what it sees to its maker.
    other = Other()
    set_trace_processors([other])
    monkeypatch.setattr(reflect_agents, "_installed", None)
    install()
    yield other
    uninstall()
    set_trace_processors([])


@function_tool
def weather(city: str) -> str:
    """The weather of a city."""
    return f"rain in {city}"


@function_tool(failure_error_function=None)
def broken(city: str) -> str:
    """Fails."""
    raise ValueError("no such city")


def client(server: ModelServer) -> AsyncOpenAI:
    return AsyncOpenAI(base_url=server.url, api_key="k", max_retries=0)


def responses(server: ModelServer) -> OpenAIResponsesModel:
    return OpenAIResponsesModel(model="m", openai_client=client(server))


def chat(server: ModelServer) -> OpenAIChatCompletionsModel:
    return OpenAIChatCompletionsModel(model="m", openai_client=client(server))


def told(captured: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in captured]


def test_a_run_is_noted_and_other_processors_stay(server: ModelServer, other: Other) -> None:
    reasoning = {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Look."}]}
    server.says([reasoning, wire.call_item("weather", {"city": "Paris"})], "It rains.")
    agent = Agent(name="A", instructions="Be brief.", model=responses(server), tools=[weather])
    assert install() is install()
    with trace() as ctx:
        assert Runner.run_sync(agent, "Weather in Paris?").final_output == "It rains."
    assert other.spans > 0
    assert ctx.captured == [
        {"role": "system", "content": "Be brief."},
        ASKED,
        {
            "role": "assistant",
            "content": "",
            "model": wire.MODEL,
            "usage": wire.USAGE,
            "reasoning": "Look.",
            "tool_calls": [wire.call("weather", {"city": "Paris"})],
        },
        {"role": "tool", "name": "weather", "content": "rain in Paris", "tool_call_id": "call_1"},
        {"role": "assistant", "content": "It rains.", "model": wire.MODEL, "usage": wire.USAGE},
    ]


@pytest.mark.usefixtures("other")
def test_outside_of_a_trace_and_after_uninstalling_nothing_is_noted(server: ModelServer) -> None:
    server.says("1", "2")
    agent = Agent(name="A", model=responses(server))
    Runner.run_sync(agent, "a")
    uninstall()
    with trace() as ctx:
        Runner.run_sync(agent, "b")
    assert ctx.captured == []


@pytest.mark.usefixtures("other")
def test_a_run_over_the_chat_api_is_noted_alike(server: ModelServer) -> None:
    server.says({"tool_calls": [wire.call("weather", {"city": "Paris"})]}, "It rains.")
    agent = Agent(name="A", instructions="Be brief.", model=chat(server), tools=[weather])
    with trace() as ctx:
        Runner.run_sync(agent, "Weather in Paris?")
    assert told(ctx.captured) == [
        ("system", "Be brief."),
        ("user", "Weather in Paris?"),
        ("assistant", ""),
        ("tool", "rain in Paris"),
        ("assistant", "It rains."),
    ]
    assert ctx.captured[-1]["model"] == "m"


@pytest.mark.usefixtures("other")
@pytest.mark.parametrize("kind", [responses, chat])
def test_a_streamed_run_is_noted(server: ModelServer, kind: Any) -> None:
    if kind is responses:
        server.says([wire.call_item("weather", {"city": "Paris"})], "It rains.")
    else:
        server.says({"tool_calls": [wire.call("weather", {"city": "Paris"})]}, "It rains.")
    agent = Agent(name="A", model=kind(server), tools=[weather])

    async def run() -> list[dict[str, Any]]:
        with trace() as ctx:
            result = Runner.run_streamed(agent, "Weather in Paris?")
            async for _ in result.stream_events():
                pass
            return ctx.captured

    assert told(asyncio.run(run())) == [
        ("user", "Weather in Paris?"),
        ("assistant", ""),
        ("tool", "rain in Paris"),
        ("assistant", "It rains."),
    ]


@pytest.mark.usefixtures("other")
def test_a_handoff_repeats_nothing(server: ModelServer) -> None:
    second = Agent(name="Second", instructions="You answer.", model=responses(server))
    first = Agent(name="First", instructions="You hand on.", model=responses(server), handoffs=[second])
    server.says([wire.call_item("transfer_to_second", {})], "It rains.")
    with trace() as ctx:
        Runner.run_sync(first, "Weather in Paris?")
    assert told(ctx.captured) == [
        ("system", "You hand on."),
        ("user", "Weather in Paris?"),
        ("assistant", ""),
        ("system", "You answer."),
        ("tool", '{"assistant": "Second"}'),
        ("assistant", "It rains."),
    ]


@pytest.mark.usefixtures("other")
def test_tools_guardrails_and_models_that_stop_a_run_are_noted(server: ModelServer) -> None:
    async def stop(*_: Any) -> GuardrailFunctionOutput:
        return GuardrailFunctionOutput(output_info=None, tripwire_triggered=True)

    model = responses(server)
    server.says([wire.call_item("broken", {"city": "Atlantis"})], Trouble(400))
    with trace() as ctx:
        with pytest.raises(Exception, match="no such city"):
            Runner.run_sync(Agent(name="A", model=model, tools=[broken]), "a")
        with pytest.raises(Exception, match="out of order"):
            Runner.run_sync(Agent(name="B", model=model), "b")
        guarded = Agent(
            name="C",
            model=model,
            input_guardrails=[InputGuardrail(stop, name="polite", run_in_parallel=False)],
        )
        with pytest.raises(InputGuardrailTripwireTriggered):
            Runner.run_sync(guarded, "c")
    failed, refused, stopped = ctx.captured[2:]
    assert failed["tool_call_id"] == "call_1" and failed["status"] == "error"
    assert failed["content"] == "no such city"
    assert "out of order" in refused["error"]["message"]
    assert stopped == {"role": "system", "content": "The guardrail polite was triggered."}


@pytest.mark.usefixtures("other")
def test_sensitive_data_that_is_to_be_left_out_is_left_out(server: ModelServer) -> None:
    server.says("secret")
    agent = Agent(name="A", model=responses(server))
    with trace() as ctx:
        Runner.run_sync(agent, "secret?", run_config=RunConfig(trace_include_sensitive_data=False))
    assert "secret" not in str(ctx.captured)


@pytest.mark.usefixtures("other")
def test_a_captured_client_below_is_not_noted_twice(server: ModelServer) -> None:
    server.says([wire.call_item("weather", {"city": "Paris"})], "It rains.")
    model = OpenAIResponsesModel(model="m", openai_client=capture(client(server)))
    agent = Agent(name="A", instructions="Be brief.", model=model, tools=[weather])

    async def run() -> list[dict[str, Any]]:
        with trace() as ctx:
            result = Runner.run_streamed(agent, "Weather in Paris?")
            async for _ in result.stream_events():
                pass
            return ctx.captured

    assert [message["role"] for message in asyncio.run(run())] == [
        *("system", "user", "assistant", "tool", "assistant"),
    ]


@pytest.mark.usefixtures("other")
def test_a_fault_of_ours_is_logged_and_disturbs_nothing(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fault(*args: Any) -> Any:
        raise RuntimeError("ours")

    monkeypatch.setattr(reflect_agents, "response_of", fault)
    server.says("1", "2")
    agent = Agent(name="A", model=responses(server))
    with trace() as ctx:
        assert Runner.run_sync(agent, "a").final_output == "1"
        assert Runner.run_sync(agent, "a").final_output == "2"
    assert ctx.captured == []
    assert caplog.text.count("Capture failed while recording a span") == 1
    assert isinstance(install(), ReflectTracingProcessor)
    caplog.clear()
