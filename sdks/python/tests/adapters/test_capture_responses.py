"""Responses of a captured client, against a server that speaks the protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from adapters_support import wire
from adapters_support.model_server import ModelServer, Trouble
from adapters_support.traces import trace
from openai import AsyncOpenAI, OpenAI
from openai.types.responses import Response
from pydantic import BaseModel

from reflect_sdk.capture import capture

BEGUN = {"role": "assistant", "content": "Paris.", "model": wire.MODEL}
SAID = {**BEGUN, "usage": wire.USAGE}
ASKED = {"role": "user", "content": "Capital of France?"}


@pytest.fixture
def client(server: ModelServer) -> Iterator[OpenAI]:
    with OpenAI(base_url=server.url, api_key="k", max_retries=0) as client:
        yield capture(client)


def reasoning(text: str) -> dict[str, Any]:
    return {"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}


def test_a_call_is_noted_with_instructions_answer_and_model(server: ModelServer, client: OpenAI) -> None:
    server.says("Paris.")
    with trace() as ctx:
        given = client.responses.create(model="m", instructions="Be brief.", input="Capital of France?")
    assert type(given) is Response
    assert given.output_text == "Paris."
    assert ctx.captured == [{"role": "system", "content": "Be brief."}, ASKED, SAID]


def test_a_conversation_that_grows_is_noted_once(server: ModelServer, client: OpenAI) -> None:
    search = {
        "id": "ws_1",
        "type": "web_search_call",
        "status": "completed",
        "action": {"type": "search", "query": "weather"},
    }
    server.says(
        [reasoning("Look it up."), search, wire.call_item("look_up", {"city": "Paris"})],
        [reasoning("So it rains."), wire.text_item("It rains.")],
    )
    conversation: list[Any] = [ASKED]
    with trace() as ctx:
        given = client.responses.create(model="m", input=conversation)
        conversation += given.output
        conversation.append({"type": "function_call_output", "call_id": "call_1", "output": "rain"})
        client.responses.create(model="m", input=conversation)
    asked, thought, result, told = ctx.captured
    assert asked == ASKED
    assert thought["reasoning"] == "Look it up."
    assert [call["function"]["name"] for call in thought["tool_calls"]] == ["web_search", "look_up"]
    assert result == {"role": "tool", "tool_call_id": "call_1", "name": "look_up", "content": "rain"}
    assert told == {**SAID, "content": "It rains.", "reasoning": "So it rains."}


def test_a_conversation_that_the_provider_keeps_is_noted_in_full(server: ModelServer, client: OpenAI) -> None:
    server.says("1", "2", "3")
    with trace() as ctx:
        first = client.responses.create(model="m", instructions="s", input="yes")
        second = client.responses.create(model="m", instructions="s", input="yes", previous_response_id=first.id)
        with client.responses.stream(model="m", input="yes", previous_response_id=second.id) as stream:
            stream.until_done()
    assert [message["content"] for message in ctx.captured] == ["s", "yes", "1", "yes", "2", "yes", "3"]


def test_an_answer_that_is_cut_or_failed_says_so(server: ModelServer, client: OpenAI) -> None:
    cut = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    failed = {"status": "failed", "error": {"code": "server_error", "message": "no"}}
    server.says({**cut, "output": [wire.text_item("Par", status="incomplete")]}, {**failed, "output": []})
    with trace() as ctx:
        client.responses.create(model="m", input="Capital of France?")
        client.responses.create(model="m", input="Capital of France?")
    assert ctx.captured[1:] == [
        {**SAID, "content": "Par", "incomplete": True, "finish_reason": "max_output_tokens"},
        {"role": "assistant", "content": "", "error": {"code": "server_error", "message": "no"}, "usage": wire.USAGE},
    ]


def test_an_answer_in_the_background_is_not_noted(server: ModelServer, client: OpenAI) -> None:
    server.says({"status": "queued", "output": []})
    with trace() as ctx:
        client.responses.create(model="m", input="Capital of France?", background=True)
    assert ctx.captured == [ASKED]


def test_a_stream_is_passed_on_and_put_together(server: ModelServer, client: OpenAI) -> None:
    answer = [
        reasoning("Look it up."),
        wire.text_item("One moment."),
        wire.call_item("look_up", {"city": "Paris"}),
    ]
    server.says(answer, answer)
    plain = OpenAI(base_url=server.url, api_key="k")
    ids = {"response": {"id"}}
    expected = [
        event.model_dump(exclude=ids)
        for event in plain.responses.create(model="m", input="Capital of France?", stream=True)
    ]
    with trace() as ctx:
        stream = client.responses.create(model="m", input="Capital of France?", stream=True)
        assert type(stream) is openai.Stream
        events = [event.model_dump(exclude=ids) for event in stream]
    assert events == expected
    asked, told = ctx.captured
    assert asked == ASKED
    assert told == {
        **SAID,
        "content": "One moment.",
        "reasoning": "Look it up.",
        "tool_calls": [wire.call("look_up", {"city": "Paris"})],
    }


def test_a_stream_that_is_left_early_is_noted_as_far_as_it_was_read(server: ModelServer, client: OpenAI) -> None:
    server.says(*[[wire.call_item("look_up", {"city": "Paris"}), wire.text_item("Paris, I think.")]] * 2)
    with trace() as ctx:
        with client.responses.stream(model="m", input="Capital of France?") as stream:
            for event in stream:
                if event.type == "response.output_text.delta" and event.snapshot == "Paris,":
                    break
        with client.responses.create(model="m", input="Capital of France?", stream=True) as raw:
            for other in raw:
                if other.type == "response.function_call_arguments.delta":
                    break
    called, told, begun = ctx.captured[1:]
    assert called["tool_calls"] == [wire.call("look_up", {"city": "Paris"})]
    assert told == {**BEGUN, "content": "Paris,", "incomplete": True}
    assert begun["tool_calls"][0]["function"] == {"name": "look_up", "arguments": '{"c'}
    assert begun["incomplete"]


def test_a_stream_that_breaks_is_noted_with_what_went_wrong(server: ModelServer, client: OpenAI) -> None:
    server.says(Trouble(break_after=5, answer="Paris, I think."))
    with trace() as ctx, pytest.raises(Exception) as caught:
        list(client.responses.create(model="m", input="Capital of France?", stream=True))
    said, failed = ctx.captured[1:]
    assert said == {**BEGUN, "content": "Paris,", "incomplete": True}
    # Older versions of the library raise what the HTTP client raised.
    assert failed["error"]["type"] == caught.type.__name__


class City(BaseModel):
    name: str


def test_helpers_give_their_own_objects(server: ModelServer, client: OpenAI) -> None:
    server.says('{"name": "Paris"}', '{"name": "Rome"}')
    with trace() as ctx:
        parsed = client.responses.parse(model="m", input="Capital of France?", text_format=City)
        with client.responses.stream(model="m", input="Of Italy?", text_format=City) as stream:
            final = stream.get_final_response()
    assert parsed.output_parsed == City(name="Paris")
    assert final.output_parsed == City(name="Rome")
    assert [message["content"] for message in ctx.captured[1::2]] == ['{"name": "Paris"}', '{"name": "Rome"}']


def test_all_of_it_awaited(server: ModelServer) -> None:
    server.says("one", "two is said", "three is said", '{"name": "Paris"}', Trouble(400))

    async def run() -> list[dict[str, Any]]:
        client = capture(AsyncOpenAI(base_url=server.url, api_key="k", max_retries=0))
        async with client:
            with trace() as ctx:
                given = await client.responses.create(model="m", input="1?")
                assert type(given) is Response
                async for _ in await client.responses.create(model="m", input="2?", stream=True):
                    pass
                async with client.responses.stream(model="m", input="3?") as helper:
                    async for event in helper:
                        if event.type == "response.output_text.delta" and event.snapshot == "three ":
                            break
                await client.responses.parse(model="m", input="4?", text_format=City)
                with pytest.raises(openai.BadRequestError):
                    await client.responses.create(model="m", input="5?")
            return ctx.captured

    captured = asyncio.run(run())
    assert [message["content"] for message in captured] == [
        *("1?", "one", "2?", "two is said", "3?", "three "),
        *("4?", '{"name": "Paris"}', "5?", ""),
    ]
    assert captured[5]["incomplete"] and captured[9]["error"]["type"] == "BadRequestError"
