"""Chat completions of a captured client, against a server that speaks the protocol."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator
from typing import Any

import openai
import pytest
from adapters_support import wire
from adapters_support.model_server import ModelServer, Trouble
from adapters_support.traces import trace
from openai import AsyncOpenAI, OpenAI
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import BaseModel

from reflect_sdk.capture import capture

ASK: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Capital of France?"}]
BEGUN = {"role": "assistant", "content": "Paris.", "model": wire.MODEL}
SAID = {**BEGUN, "usage": wire.USAGE}


@pytest.fixture
def client(server: ModelServer) -> Iterator[OpenAI]:
    with OpenAI(base_url=server.url, api_key="k", max_retries=0) as client:
        yield capture(client)


def awaiting(server: ModelServer) -> AsyncOpenAI:
    return capture(AsyncOpenAI(base_url=server.url, api_key="k", max_retries=0))


def test_a_call_is_noted_with_its_answer_and_model(server: ModelServer, client: OpenAI) -> None:
    server.says("Paris.")
    with trace() as ctx:
        given = client.chat.completions.create(model="m", messages=ASK)
    assert type(given) is ChatCompletion
    assert given.choices[0].message.content == "Paris."
    assert ctx.captured == [*ASK, SAID]


def test_outside_of_a_trace_nothing_is_noted(server: ModelServer, client: OpenAI) -> None:
    server.says("one", "two")
    client.chat.completions.create(model="m", messages=ASK)
    with trace() as ctx:
        pass
    client.chat.completions.create(model="m", messages=ASK)
    assert ctx.captured == []
    assert len(server.asked) == 2


def test_a_conversation_that_grows_is_noted_once(server: ModelServer, client: OpenAI) -> None:
    server.says({"tool_calls": [wire.call("look_up", {"city": "Paris"})]}, " It rains. ", "Yes.")
    messages: list[Any] = list(ASK)
    with trace() as ctx:
        given = client.chat.completions.create(model="m", messages=messages)
        # The object itself goes back, as the library's own documentation does it.
        messages.append(given.choices[0].message)
        messages.append({"role": "tool", "tool_call_id": "call_1", "content": "rain"})
        given = client.chat.completions.create(model="m", messages=messages)
        # And here its stripped text, as most people do it.
        messages.append({"role": "assistant", "content": (given.choices[0].message.content or "").strip()})
        messages.append({"role": "user", "content": "Sure?"})
        client.chat.completions.create(model="m", messages=messages)
    call = {"role": "assistant", "content": "", "tool_calls": [wire.call("look_up", {"city": "Paris"})]}
    assert ctx.captured == [
        *ASK,
        {**call, "model": wire.MODEL, "usage": wire.USAGE},
        {"role": "tool", "tool_call_id": "call_1", "content": "rain"},
        {**SAID, "content": " It rains. "},
        {"role": "user", "content": "Sure?"},
        {**SAID, "content": "Yes."},
    ]


def test_the_same_question_again_is_a_new_answer(server: ModelServer, client: OpenAI) -> None:
    server.says("Paris.", "Paris.")
    with trace() as ctx:
        client.chat.completions.create(model="m", messages=ASK)
        client.chat.completions.create(model="m", messages=ASK)
    assert ctx.captured == [*ASK, SAID, SAID]


def test_a_history_that_is_cut_short_is_not_noted_again(server: ModelServer, client: OpenAI) -> None:
    server.says("1", "2", "3")
    system, user = {"role": "system", "content": "s"}, {"role": "user", "content": "a"}
    with trace() as ctx:
        client.chat.completions.create(model="m", messages=[system, user])  # type: ignore[list-item]
        two: Any = [{"role": "assistant", "content": "1"}, {"role": "user", "content": "b"}]
        client.chat.completions.create(model="m", messages=[system, user, *two])  # type: ignore[list-item]
        three: Any = [{"role": "assistant", "content": "2"}, {"role": "user", "content": "c"}]
        client.chat.completions.create(model="m", messages=[system, two[1], *three])
    assert [message["content"] for message in ctx.captured] == ["s", "a", "1", "b", "2", "c", "3"]


def test_two_conversations_with_the_same_instructions(server: ModelServer, client: OpenAI) -> None:
    server.says("1", "2")
    with trace() as ctx:
        for question in ("a", "b"):
            messages: Any = [ASK[0], {"role": "user", "content": question}]
            client.chat.completions.create(model="m", messages=messages)
    assert [message["content"] for message in ctx.captured] == ["Be brief.", "a", "1", "b", "2"]


def test_reasoning_refusals_and_alternatives_are_kept(server: ModelServer, client: OpenAI) -> None:
    server.says(
        {"content": "Paris.", "reasoning_content": "France, hm."},
        {"refusal": "I cannot.", "finish_reason": "content_filter"},
        [{"content": "one"}, {"content": "two"}],
        "three",
    )
    with trace() as ctx:
        for _ in range(2):
            client.chat.completions.create(model="m", messages=ASK)
        client.chat.completions.create(model="m", messages=ASK, n=2)
        # Going on with the second of two alternatives.
        on: Any = [*ASK, {"role": "assistant", "content": "two"}, {"role": "user", "content": "on"}]
        client.chat.completions.create(model="m", messages=on)
    thought, refused, *rest = ctx.captured[2:]
    assert thought == {**SAID, "reasoning": "France, hm."}
    assert refused == {
        **SAID,
        "content": "I cannot.",
        "refusal": "I cannot.",
        "finish_reason": "content_filter",
    }
    assert [message["content"] for message in rest] == ["one", "two", "on", "three"]


def test_pictures_are_named_and_their_bytes_are_not_sent(server: ModelServer, client: OpenAI) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "QUJD" * 1000}}
    question: Any = [{"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]}]
    server.says("A cat.")
    with trace() as ctx:
        client.chat.completions.create(model="m", messages=question)
    text, kept = ctx.captured[0]["content"]
    assert text == {"type": "text", "text": "What is it?"}
    assert kept["image_url"]["url"] == "data:image/png;base64,(4000 characters left out)"
    assert server.asked[0]["messages"][0]["content"][1] == picture


def test_messages_from_a_generator_reach_the_server(server: ModelServer, client: OpenAI) -> None:
    server.says("Paris.")
    with trace() as ctx:
        client.chat.completions.create(model="m", messages=(message for message in ASK))
    assert server.asked[0]["messages"] == ASK
    assert ctx.captured == [*ASK, SAID]


def test_a_failed_call_is_noted_and_raises_what_it_raised(server: ModelServer, client: OpenAI) -> None:
    server.says(Trouble(400), "Paris.")
    with trace() as ctx:
        with pytest.raises(openai.BadRequestError) as caught:
            client.chat.completions.create(model="m", messages=ASK)
        client.chat.completions.create(model="m", messages=ASK)
    error = ctx.captured[2]["error"]
    assert error == {"type": "BadRequestError", "message": str(caught.value)}
    assert ctx.captured[3:] == [SAID]


def test_a_stream_is_passed_on_and_put_together(server: ModelServer, client: OpenAI) -> None:
    answer = {
        "content": "Paris, I think.",
        "reasoning_content": "hm, hm",
        "tool_calls": [wire.call("a", {"x": "long enough"}, "1"), wire.call("b", {}, "2")],
    }
    server.says(answer, answer)
    plain = OpenAI(base_url=server.url, api_key="k")
    expected = [
        chunk.model_dump(exclude={"id"})
        for chunk in plain.chat.completions.create(model="m", messages=ASK, stream=True)
    ]
    with trace() as ctx:
        stream = client.chat.completions.create(model="m", messages=ASK, stream=True)
        assert type(stream) is openai.Stream
        assert ctx.captured == ASK
        chunks = list(stream)
    assert all(type(chunk) is ChatCompletionChunk for chunk in chunks)
    assert [chunk.model_dump(exclude={"id"}) for chunk in chunks] == expected
    assert ctx.captured[2:] == [
        {
            "role": "assistant",
            "content": "Paris, I think.",
            "reasoning": "hm, hm",
            "tool_calls": answer["tool_calls"],
            "model": wire.MODEL,
            "usage": wire.USAGE,
        }
    ]


def test_streamed_alternatives_are_kept_apart(server: ModelServer, client: OpenAI) -> None:
    server.says([{"content": "first one"}, {"content": "second one"}])
    with trace() as ctx:
        list(client.chat.completions.create(model="m", messages=ASK, stream=True, n=2))
    assert [message["content"] for message in ctx.captured[2:]] == ["first one", "second one"]


def test_a_stream_is_read_by_hand_and_as_a_context(server: ModelServer, client: OpenAI) -> None:
    server.says("Paris.", "Paris.")
    with trace() as ctx:
        stream = client.chat.completions.create(model="m", messages=ASK, stream=True)
        while next(stream, None) is not None:
            pass
        with client.chat.completions.create(model="m", messages=ASK, stream=True) as stream:
            for _ in stream:
                pass
    assert ctx.captured == [*ASK, SAID, SAID]


def test_a_stream_that_is_left_early_is_noted_as_far_as_it_was_read(server: ModelServer, client: OpenAI) -> None:
    server.says("Paris, I think.", "Paris, I think.", "Paris, I think.")
    with trace() as ctx:
        with client.chat.completions.create(model="m", messages=ASK, stream=True) as stream:
            for chunk in stream:
                if chunk.choices[0].delta.content == "is,":
                    break
        stream = client.chat.completions.create(model="m", messages=ASK, stream=True)
        next(stream), next(stream)
        stream.close()
        assert stream.response.is_closed
        # Never looked at: asked, and nothing heard.
        client.chat.completions.create(model="m", messages=ASK, stream=True).close()
    assert ctx.captured == [
        *ASK,
        {**BEGUN, "content": "Paris,", "incomplete": True},
        {**BEGUN, "content": "Par", "incomplete": True},
    ]


def test_a_stream_that_is_thrown_away_is_noted_as_far_as_it_was_read(server: ModelServer, client: OpenAI) -> None:
    server.says("Paris, I think.")
    with trace() as ctx:
        for chunk in client.chat.completions.create(model="m", messages=ASK, stream=True):
            if chunk.choices[0].delta.content == "is,":
                break
        gc.collect()
    assert ctx.captured == [*ASK, {**BEGUN, "content": "Paris,", "incomplete": True}]


def test_a_stream_that_breaks_is_noted_with_what_went_wrong(server: ModelServer, client: OpenAI) -> None:
    server.says(Trouble(break_after=3, answer="Paris, I think."))
    with trace() as ctx, pytest.raises(Exception) as caught:
        list(client.chat.completions.create(model="m", messages=ASK, stream=True))
    said, failed = ctx.captured[2:]
    assert said == {**BEGUN, "content": "Paris,", "incomplete": True}
    # Older versions of the library raise what the HTTP client raised.
    assert failed["error"]["type"] == caught.type.__name__


def test_the_answer_belongs_to_the_trace_in_which_was_asked(server: ModelServer, client: OpenAI) -> None:
    server.says("Paris.")
    with trace() as outer:
        stream = client.chat.completions.create(model="m", messages=ASK, stream=True)
        with trace() as inner:
            list(stream)
    assert outer.captured == [*ASK, SAID]
    assert inner.captured == []


def test_the_stream_helper_gives_its_own_events_and_final_completion(server: ModelServer, client: OpenAI) -> None:
    server.says("Paris.", "Paris, I think.")
    with trace() as ctx:
        with client.chat.completions.stream(model="m", messages=ASK) as stream:
            kinds = {event.type for event in stream}
            final = stream.get_final_completion()
        with client.chat.completions.stream(model="m", messages=ASK) as stream:
            for event in stream:
                if event.type == "content.delta" and event.snapshot == "Paris,":
                    break
    assert kinds == {"chunk", "content.delta", "content.done"}
    assert final.choices[0].message.content == "Paris."
    assert ctx.captured == [*ASK, SAID, {**BEGUN, "content": "Paris,", "incomplete": True}]


class City(BaseModel):
    name: str


def test_parsed_answers_are_noted_as_their_text(server: ModelServer, client: OpenAI) -> None:
    server.says('{"name": "Paris"}')
    with trace() as ctx:
        given = client.chat.completions.parse(model="m", messages=ASK, response_format=City)
    assert given.choices[0].message.parsed == City(name="Paris")
    assert ctx.captured == [*ASK, {**SAID, "content": '{"name": "Paris"}'}]


def test_all_of_it_awaited(server: ModelServer) -> None:
    server.says("one", "two is said", "three is said", '{"name": "Paris"}', Trouble(400))

    async def run() -> list[dict[str, Any]]:
        async with awaiting(server) as client:
            create = client.chat.completions.create
            with trace() as ctx:
                given = await create(model="m", messages=ASK)
                assert type(given) is ChatCompletion
                stream = await create(model="m", messages=ASK, stream=True)
                assert type(stream) is openai.AsyncStream
                async for _ in stream:
                    pass
                async with client.chat.completions.stream(model="m", messages=ASK) as helper:
                    async for event in helper:
                        if event.type == "content.delta" and event.snapshot == "three ":
                            break
                parsed = await client.chat.completions.parse(model="m", messages=ASK, response_format=City)
                assert parsed.choices[0].message.parsed == City(name="Paris")
                with pytest.raises(openai.BadRequestError):
                    await create(model="m", messages=ASK)
            return ctx.captured

    captured = asyncio.run(run())
    assert captured[:2] == ASK
    assert [message["content"] for message in captured[2:]] == [
        "one",
        "two is said",
        "three ",
        '{"name": "Paris"}',
        "",
    ]
    assert captured[4]["incomplete"] and captured[6]["error"]["type"] == "BadRequestError"


def test_tasks_side_by_side_do_not_mix_their_messages(server: ModelServer) -> None:
    questions = [f"question {number}" for number in range(8)]
    server.says(*(f"answer {number}" for number in range(8)))

    async def run() -> list[dict[str, Any]]:
        async with awaiting(server) as client:
            with trace() as ctx:
                asking = [
                    client.chat.completions.create(model="m", messages=[{"role": "user", "content": question}])
                    for question in questions
                ]
                await asyncio.gather(*asking)
            return ctx.captured

    captured = asyncio.run(run())
    pairs = list(zip(captured[::2], captured[1::2], strict=True))
    assert sorted(asked["content"] for asked, _ in pairs) == questions
    assert all(asked["role"] == "user" and told["role"] == "assistant" for asked, told in pairs)


def test_a_cancelled_call_is_noted(server: ModelServer) -> None:
    class Deaf(ModelServer):
        def next(self, path: str, asked: dict[str, Any]) -> Any:
            heard.set()
            release.wait(30)
            return "too late"

    heard, release = threading.Event(), threading.Event()
    deaf = Deaf()

    async def run() -> list[dict[str, Any]]:
        async with awaiting(deaf) as client:
            with trace() as ctx:
                calling = asyncio.ensure_future(client.chat.completions.create(model="m", messages=ASK))
                await asyncio.to_thread(heard.wait, 30)
                calling.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await calling
            return ctx.captured

    try:
        captured = asyncio.run(run())
    finally:
        release.set()
        deaf.close()
    assert captured[:2] == ASK
    assert captured[2]["error"]["type"] == "CancelledError"
