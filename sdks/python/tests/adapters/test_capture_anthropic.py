"""Calls of Anthropic's client, noted through its middleware."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import anthropic
import pytest
from adapters_support import wire
from adapters_support.model_server import ModelServer, Trouble
from adapters_support.traces import trace
from anthropic import Anthropic, AsyncAnthropic

from reflect_sdk.capture import anthropic as reflect_anthropic
from reflect_sdk.capture.anthropic import ReflectMiddleware

ASKED = {"role": "user", "content": "Weather in Paris?"}
SAID = {"role": "assistant", "content": "It rains.", "model": wire.MODEL, "usage": wire.USAGE}
CALL = {"tool_calls": [wire.call("weather", {"city": "Paris"})]}
ASK: Any = {"model": "m", "max_tokens": 100, "messages": [ASKED]}


@pytest.fixture
def client(server: ModelServer) -> Iterator[Anthropic]:
    with Anthropic(base_url=server.root, api_key="k", max_retries=0, middleware=[ReflectMiddleware()]) as client:
        yield client


def awaiting(server: ModelServer) -> AsyncAnthropic:
    return AsyncAnthropic(base_url=server.root, api_key="k", max_retries=0, middleware=[ReflectMiddleware()])


def test_a_conversation_with_a_tool_is_noted_once(server: ModelServer, client: Anthropic) -> None:
    server.says({**CALL, "content": "One moment.", "reasoning_content": "hm"}, "It rains.")
    with trace() as ctx:
        given = client.messages.create(**ASK, system="Be brief.")
        used = given.content[-1]
        assert used.type == "tool_use"
        result: Any = {"type": "tool_result", "tool_use_id": used.id, "content": "rain", "is_error": True}
        messages: Any = [
            ASKED,
            {"role": "assistant", "content": given.content},
            {"role": "user", "content": [result]},
        ]
        client.messages.create(**{**ASK, "messages": messages}, system="Be brief.")
    assert ctx.captured == [
        {"role": "system", "content": "Be brief."},
        ASKED,
        {**SAID, **CALL, "content": "One moment.", "reasoning": "hm"},
        {"role": "tool", "tool_call_id": "call_1", "content": "rain", "status": "error"},
        SAID,
    ]


def test_outside_of_a_trace_nothing_is_noted(server: ModelServer, client: Anthropic) -> None:
    server.says("one", "two")
    client.messages.create(**ASK)
    with trace() as ctx:
        client.messages.count_tokens(model="m", messages=[ASKED])  # type: ignore[list-item]
    client.messages.create(**ASK)
    assert ctx.captured == []


@pytest.mark.parametrize("way", ["create", "stream", "beta"])
def test_a_stream_is_put_together(server: ModelServer, client: Anthropic, way: str) -> None:
    server.says({**CALL, "content": "One moment.", "reasoning_content": "hm"})
    with trace() as ctx:
        if way == "create":
            events = list(client.messages.create(**ASK, stream=True))
            assert events[-1].type == "message_stop"
        else:
            messages: Any = client.messages if way == "stream" else client.beta.messages
            with messages.stream(**ASK) as stream:
                assert "".join(stream.text_stream) == "One moment."
                assert stream.get_final_message().content[-1].input == {"city": "Paris"}
    assert ctx.captured == [ASKED, {**SAID, **CALL, "content": "One moment.", "reasoning": "hm"}]


def test_a_stream_that_is_left_early_or_breaks_is_noted_as_far_as_it_was_read(
    server: ModelServer, client: Anthropic
) -> None:
    server.says("Paris, I think.", Trouble(break_after=3, answer="Paris, I think."))
    with trace() as ctx:
        with client.messages.stream(**ASK) as stream:
            assert next(iter(stream.text_stream)) == "Par"
        with pytest.raises(Exception) as caught:
            list(client.messages.create(**ASK, stream=True))
    cut, again, failed = ctx.captured[1:]
    assert (cut["content"], cut["incomplete"]) == ("Par", True)
    assert (again["content"], again["incomplete"]) == ("Par", True)
    assert failed["error"]["type"] == caught.type.__name__


def test_only_the_error_of_the_last_attempt_is_noted(server: ModelServer) -> None:
    server.says(Trouble(), "It rains.", Trouble(), Trouble())
    middleware = [ReflectMiddleware()]
    client = Anthropic(base_url=server.root, api_key="k", max_retries=1, middleware=middleware)
    with trace() as ctx:
        client.messages.create(**ASK)
        with pytest.raises(anthropic.InternalServerError, match="out of order"):
            client.messages.create(**ASK, stream=True)
    error = {"type": "api_error", "message": "out of order"}
    assert ctx.captured == [ASKED, SAID, {"role": "assistant", "content": "", "error": error}]


def test_the_asynchronous_client(server: ModelServer) -> None:
    server.says("It rains.", "It rains.", "It rains.", Trouble(400))

    async def run() -> list[dict[str, Any]]:
        client = awaiting(server)
        with trace() as ctx:
            await client.messages.create(**ASK)
            async with client.messages.stream(**ASK) as stream:
                assert await stream.get_final_text() == "It rains."
            raw = await client.messages.with_raw_response.create(**ASK)
            assert (await raw.parse()).content[0].text == "It rains."
            with pytest.raises(anthropic.BadRequestError, match="out of order"):
                await client.messages.create(**ASK)
            return ctx.captured

    asked, *answers, failed = asyncio.run(run())
    assert [asked, *answers] == [ASKED, SAID, SAID, SAID]
    assert failed["error"] == {"type": "invalid_request_error", "message": "out of order"}


def test_a_streamed_response_that_nobody_reads_is_not_read(server: ModelServer, client: Anthropic) -> None:
    server.says("It rains.")
    with trace() as ctx, client.messages.with_streaming_response.create(**ASK) as response:
        assert not response.http_response.is_closed
    assert ctx.captured == [ASKED]


@pytest.mark.parametrize("system", [None, "Be brief.", [{"type": "text", "text": "Be brief."}]])
def test_memories_are_added_to_the_system_prompt_once(server: ModelServer, client: Anthropic, system: Any) -> None:
    server.says("1", "2", "3")
    given = {} if system is None else {"system": system}
    with trace() as ctx:
        ctx.memory_block = "<memories>\nTake an umbrella.\n</memories>"
        client.messages.create(**ASK, **given)
        client.messages.create(**{**ASK, "messages": [{"role": "user", "content": f"Go. {ctx.memory_block}"}]})
        plain = client.copy(middleware=[ReflectMiddleware(add_memories=False)])
        plain.messages.create(**ASK)
    first, second, third = server.asked
    assert first["system"][-1] == {"type": "text", "text": ctx.memory_block}
    assert len(first["system"]) == (1 if system is None else 2)
    assert "system" not in second and "system" not in third
    assert str(ctx.captured).count("umbrella") == 2


def test_a_fault_of_ours_is_logged_and_disturbs_nothing(
    server: ModelServer, client: Anthropic, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fault(*args: Any) -> Any:
        raise RuntimeError("ours")

    monkeypatch.setattr(reflect_anthropic, "memories_for", fault)
    server.says("It rains.")
    with trace() as ctx:
        given = client.messages.create(**ASK)
    assert given.content[0].type == "text"
    assert ctx.captured == []
    assert caplog.text.count("Capture failed while reading a request to Anthropic") == 1
    caplog.clear()
