"""LangChain and LangGraph, noted through their own callbacks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from adapters_support import wire
from adapters_support.model_server import ModelServer, Trouble
from adapters_support.traces import trace
from langchain.agents import create_agent
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import FakeListLLM, GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import InjectedToolCallId, tool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from reflect_sdk.capture import capture
from reflect_sdk.capture import langchain as reflect_langchain
from reflect_sdk.capture.langchain import ReflectCallbackHandler, install, uninstall

ASKED = {"role": "user", "content": "Weather in Paris?"}


@pytest.fixture
def installed() -> Iterator[ReflectCallbackHandler]:
    yield install()
    uninstall()


@tool
def weather(city: str) -> str:
    """The weather of a city."""
    if city == "Atlantis":
        raise ValueError("no such city")
    return f"rain in {city}"


def model(server: ModelServer, **more: Any) -> ChatOpenAI:
    return ChatOpenAI(model="m", base_url=server.url, api_key="k", max_retries=0, **more)  # type: ignore[arg-type]


def call(name: str, identity: str = "call_1", **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [wire.call(name, arguments, identity)]}


def told(captured: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in captured]


def test_a_handler_that_is_handed_over_notes_what_a_model_says() -> None:
    fake = GenericFakeChatModel(messages=iter([AIMessage("Paris."), AIMessage("Rome.")]))
    handler = ReflectCallbackHandler()
    conversation: list[Any] = [SystemMessage("Be brief."), HumanMessage("France?")]
    with trace() as ctx:
        answer = fake.invoke(conversation, config={"callbacks": [handler]})
        conversation += [answer, HumanMessage("Italy?")]
        fake.invoke(conversation, config={"callbacks": [handler]})
    assert told(ctx.captured) == [
        ("system", "Be brief."),
        ("user", "France?"),
        ("assistant", "Paris."),
        ("user", "Italy?"),
        ("assistant", "Rome."),
    ]


@pytest.mark.usefixtures("installed")
def test_outside_of_a_trace_and_after_uninstalling_nothing_is_noted(server: ModelServer) -> None:
    server.says("1", "2")
    llm = model(server)
    llm.invoke("a")
    uninstall()
    with trace() as ctx:
        llm.invoke("b")
    assert ctx.captured == []


@pytest.mark.usefixtures("installed")
def test_an_installed_handler_is_not_joined_by_a_second_one(server: ModelServer) -> None:
    assert install() is install()
    server.says("1")
    with trace() as ctx:
        model(server).invoke("a", config={"callbacks": [ReflectCallbackHandler()]})
    assert told(ctx.captured) == [("user", "a"), ("assistant", "1")]


@pytest.mark.usefixtures("installed")
def test_models_stream_and_are_awaited(server: ModelServer) -> None:
    server.says("one is said", "two is said", "three is said", call("weather", city="Paris"))

    async def run(llm: ChatOpenAI) -> None:
        await llm.ainvoke("2")
        async for _ in llm.astream("3"):
            pass

    with trace() as ctx:
        llm = model(server, stream_usage=False)
        assert "".join(str(chunk.content) for chunk in llm.stream("1")) == "one is said"
        asyncio.run(run(llm))
        list(llm.bind_tools([weather]).stream("4"))
    assert told(ctx.captured) == [
        *(("user", "1"), ("assistant", "one is said"), ("user", "2"), ("assistant", "two is said")),
        *(("user", "3"), ("assistant", "three is said"), ("user", "4"), ("assistant", "")),
    ]
    assert all(message["model"] == wire.MODEL for message in ctx.captured[1::2])
    assert ctx.captured[-1]["tool_calls"] == [wire.call("weather", {"city": "Paris"})]


@pytest.mark.usefixtures("installed")
def test_a_stream_that_is_left_early_and_a_call_that_fails(server: ModelServer) -> None:
    server.says("one is said", Trouble(400))
    with trace() as ctx:
        llm = model(server, stream_usage=False)
        stream = llm.stream("1")
        assert [next(stream).content for _ in range(3)] == ["", "one", " is"]
        stream.close()
        with pytest.raises(Exception, match="out of order"):
            llm.invoke("2")
    assert told(ctx.captured) == [("user", "1"), ("assistant", "one is"), ("user", "2"), ("assistant", "")]
    assert ctx.captured[1]["incomplete"]
    assert "out of order" in ctx.captured[3]["error"]["message"]


@pytest.mark.usefixtures("installed")
def test_models_without_a_chat_are_noted_too() -> None:
    with trace() as ctx:
        FakeListLLM(responses=["Paris."]).invoke("France?")
    assert ctx.captured == [
        {"role": "user", "content": "France?"},
        {"role": "assistant", "content": "Paris."},
    ]


@pytest.mark.usefixtures("installed")
def test_a_graph_is_noted_message_by_message(server: ModelServer) -> None:
    server.says(call("weather", city="Paris"), "It rains.")
    agent = create_agent(model(server), tools=[weather], system_prompt="Be brief.")
    with trace() as ctx:
        state = agent.invoke({"messages": [ASKED]})
    assert state["messages"][-1].content == "It rains."
    system, asked, called, result, answer = ctx.captured
    assert system == {"role": "system", "content": "Be brief."}
    assert asked == ASKED
    assert called["tool_calls"] == [wire.call("weather", {"city": "Paris"})]
    assert result == {
        "role": "tool",
        "content": "rain in Paris",
        "name": "weather",
        "tool_call_id": "call_1",
    }
    assert answer == {"role": "assistant", "content": "It rains.", "model": wire.MODEL, "usage": wire.USAGE}


@pytest.mark.usefixtures("installed")
def test_a_graph_is_noted_when_awaited_and_when_tools_run_side_by_side(server: ModelServer) -> None:
    both = {
        "tool_calls": [
            wire.call("weather", {"city": "Paris"}, "call_1"),
            wire.call("weather", {"city": "Rome"}, "call_2"),
        ]
    }
    server.says(both, call("weather", "call_3", city="Oslo"), "It rains everywhere.")
    agent = create_agent(model(server), tools=[weather])
    with trace() as ctx:
        asyncio.run(agent.ainvoke({"messages": [ASKED]}))
    assert [message["role"] for message in ctx.captured] == [
        *("user", "assistant", "tool", "tool", "assistant", "tool", "assistant"),
    ]
    results = [message for message in ctx.captured if message["role"] == "tool"]
    assert sorted((result["tool_call_id"], result["content"]) for result in results) == [
        ("call_1", "rain in Paris"),
        ("call_2", "rain in Rome"),
        ("call_3", "rain in Oslo"),
    ]


@pytest.mark.usefixtures("installed")
def test_a_tool_that_raises_is_the_last_thing_noted(server: ModelServer) -> None:
    server.says(call("weather", city="Atlantis"))
    agent = create_agent(model(server), tools=[weather])
    with trace() as ctx, pytest.raises(ValueError, match="no such city"):
        agent.invoke({"messages": [ASKED]})
    assert ctx.captured[-1] == {
        "role": "tool",
        "tool_call_id": "call_1",
        "name": "weather",
        "content": "ValueError: no such city",
        "status": "error",
    }


@pytest.mark.usefixtures("installed")
def test_a_tool_that_reports_an_error_is_noted_once(server: ModelServer) -> None:
    server.says(call("weather", town="Paris"), "I used it wrongly.")
    agent = create_agent(model(server), tools=[weather])
    with trace() as ctx:
        agent.invoke({"messages": [ASKED]})
    assert [message["role"] for message in ctx.captured] == ["user", "assistant", "tool", "assistant"]
    assert ctx.captured[2]["status"] == "error"
    assert "city" in ctx.captured[2]["content"]


@tool
def remember(fact: str, call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Remembers a fact."""
    return Command(update={"messages": [ToolMessage(f"noted: {fact}", tool_call_id=call_id)]})


@pytest.mark.usefixtures("installed")
def test_a_tool_that_updates_the_graph_is_noted_with_its_message(server: ModelServer) -> None:
    server.says(call("remember", fact="rain"), "Done.")
    agent = create_agent(model(server), tools=[remember])
    with trace() as ctx:
        agent.invoke({"messages": [ASKED]})
    assert told(ctx.captured)[2:] == [("tool", "noted: rain"), ("assistant", "Done.")]


@tool
def approved(amount: int) -> str:
    """Asks a human."""
    return str(interrupt({"amount": amount}))


@pytest.mark.usefixtures("installed")
def test_a_graph_that_waits_for_a_human_has_not_failed(server: ModelServer) -> None:
    server.says(call("approved", amount=5), "Paid.")
    agent = create_agent(model(server), tools=[approved], checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    with trace() as ctx:
        agent.invoke({"messages": [ASKED]}, thread)
        assert [message["role"] for message in ctx.captured] == ["user", "assistant"]
        agent.invoke(Command(resume="yes"), thread)
    assert told(ctx.captured)[2:] == [("tool", "yes"), ("assistant", "Paid.")]


@pytest.mark.usefixtures("installed")
def test_a_tool_without_a_model_is_noted_with_its_call() -> None:
    with trace() as ctx:
        weather.invoke({"city": "Paris"})
        weather.invoke({"type": "tool_call", "id": "x", "name": "weather", "args": {"city": "Rome"}})
    first, result, second, _ = ctx.captured
    assert first["tool_calls"] == [wire.call("weather", {"city": "Paris"}, "")]
    assert result == {"role": "tool", "tool_call_id": "", "name": "weather", "content": "rain in Paris"}
    assert second["tool_calls"] == [wire.call("weather", {"city": "Rome"}, "x")]


@pytest.mark.usefixtures("installed")
def test_threads_of_the_program_are_followed_by_their_parent_run(server: ModelServer) -> None:
    server.says("from a thread")
    llm = model(server)

    def in_a_thread(question: str, config: Any) -> str:
        # A bare thread starts without the trace; LangChain's config is all it is given.
        answers: list[str] = []
        thread = threading.Thread(target=lambda: answers.append(str(llm.invoke(question, config).content)))
        thread.start()
        thread.join()
        return answers[0]

    with trace() as ctx:
        assert RunnableLambda(in_a_thread).invoke("hello") == "from a thread"
    assert told(ctx.captured) == [("user", "hello"), ("assistant", "from a thread")]


@pytest.mark.usefixtures("installed")
def test_traces_side_by_side_do_not_mix(server: ModelServer) -> None:
    class Echo(ModelServer):
        def next(self, path: str, asked: dict[str, Any]) -> Any:
            return "to " + asked["messages"][-1]["content"]

    echo = Echo()
    llm = model(echo)
    captured: dict[int, list[dict[str, Any]]] = {}

    def run(number: int) -> None:
        with trace() as ctx:
            for step in range(3):
                llm.invoke(f"{number}.{step}")
            captured[number] = ctx.captured

    threads = [threading.Thread(target=run, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    echo.close()
    for number in range(6):
        expected = [
            pair for step in range(3) for pair in (("user", f"{number}.{step}"), ("assistant", f"to {number}.{step}"))
        ]
        assert told(captured[number]) == expected


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("responses_api", [False, True])
def test_a_captured_client_below_is_not_noted_twice(server: ModelServer, responses_api: bool) -> None:
    if responses_api:
        server.says([wire.call_item("weather", {"city": "Paris"})], "It rains.")
    else:
        server.says(call("weather", city="Paris"), "It rains.")
    llm = model(server, use_responses_api=responses_api)
    capture(llm.root_client)
    agent = create_agent(llm, tools=[weather])
    with trace() as ctx:
        agent.invoke({"messages": [ASKED]})
    assert [message["role"] for message in ctx.captured] == ["user", "assistant", "tool", "assistant"]


def test_a_fault_of_ours_is_logged_and_disturbs_nothing(
    installed: ReflectCallbackHandler,
    server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ours")

    assert isinstance(installed, BaseCallbackHandler)
    monkeypatch.setattr(reflect_langchain, "asked_of", broken)
    server.says("1", "2")
    with trace() as ctx:
        assert model(server).invoke("a").content == "1"
        assert model(server).invoke("a").content == "2"
    assert ctx.captured == []
    assert caplog.text.count("Capture failed while reading the messages for a chat model") == 1
    caplog.clear()
