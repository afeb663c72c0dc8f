"""`@reflect_trace` on functions of all kinds."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Generator
from typing import Any

import pytest

from reflect_sdk import (
    AsyncReflectClient,
    ConfigurationError,
    ReflectClient,
    Trace,
    TraceContext,
    TraceResult,
    current_trace,
    reflect_trace,
)


def only(client: ReflectClient, task: str) -> Trace:
    found = [trace for trace in client.list_traces() if trace.task == task]
    assert len(found) == 1, f"{len(found)} traces of {task!r}"
    return found[0]


def test_a_result_says_all(client: ReflectClient) -> None:
    @reflect_trace(client, task=lambda question: f"Answer {question}")
    def answer(ctx: TraceContext, question: str) -> TraceResult:
        """Answers."""
        assert ctx.task == f"Answer {question}"
        return TraceResult(
            output="42",
            trajectory=[{"role": "user", "content": question}],
            result="fail",
            feedback_text="late",
            model="m",
        )

    assert answer("one") == "42"
    assert answer.__name__ == "answer" and answer.__doc__ == "Answers."
    assert list(inspect.signature(answer).parameters) == ["question"]
    trace = only(client, "Answer one")
    assert trace.final_response == "42" and trace.model == "m"
    assert trace.review is not None and trace.review.feedback_text == "late"


def test_a_text_is_trajectory_and_response(client: ReflectClient) -> None:
    @reflect_trace(client)
    def answer(ctx: TraceContext, question: str) -> str:
        return "forty-two"

    assert answer("Say it") == "forty-two"
    trace = only(client, "Say it")
    assert trace.final_response == "forty-two" and trace.trajectory[0]["content"] == "forty-two"


def test_anything_else_is_kept_as_json(client: ReflectClient) -> None:
    @reflect_trace(client, task="Count them")
    def answer(ctx: TraceContext) -> dict[str, int]:
        return {"count": 3}

    assert answer() == {"count": 3}
    trace = only(client, "Count them")
    assert trace.final_response == '{"count":3}' and trace.trajectory == [
        {"role": "assistant", "content": '{"count":3}'}
    ]


def test_nothing_is_nothing_unless_something_was_said(client: ReflectClient) -> None:
    @reflect_trace(client)
    def silent(ctx: TraceContext, task: str) -> None: ...

    @reflect_trace(client)
    def noting(ctx: TraceContext, task: str) -> None:
        ctx.step("assistant", "done")

    assert silent("Quiet") is None and noting("Noted") is None
    assert only(client, "Noted").trajectory == [{"role": "assistant", "content": "done"}]
    assert [trace.task for trace in client.list_traces()] == ["Noted"]


def test_methods_get_the_context_after_self(client: ReflectClient) -> None:
    class Agent:
        name = "agent"

        @reflect_trace(client)
        def answer(self, ctx: TraceContext, question: str) -> str:
            assert isinstance(ctx, TraceContext)
            return f"{self.name}: {question}"

        @classmethod
        @reflect_trace(client)
        def of_class(cls, ctx: TraceContext, question: str) -> str:
            return f"{cls.__name__}: {question}"

        @staticmethod
        @reflect_trace(client)
        def of_nobody(ctx: TraceContext, question: str) -> str:
            return question

    assert Agent().answer("first") == "agent: first"
    assert Agent.of_class("second") == "Agent: second"
    assert Agent.of_nobody("third") == "third"
    assert sorted(trace.task for trace in client.list_traces()) == ["first", "second", "third"]


def test_without_the_context_it_is_the_current_one(client: ReflectClient) -> None:
    @reflect_trace(client, inject_context=False)
    def answer(question: str) -> str:
        ctx = current_trace()
        assert ctx is not None and ctx.task == question
        return "yes"

    assert answer("Is it?") == "yes"
    assert answer(question="Is it not?") == "yes"
    assert {trace.task for trace in client.list_traces()} == {"Is it?", "Is it not?"}


def test_a_coroutine(client: ReflectClient) -> None:
    @reflect_trace(client, blocking=True)
    async def answer(ctx: TraceContext, question: str) -> TraceResult:
        await asyncio.sleep(0)
        return TraceResult(output=[1], trajectory=[{"role": "assistant", "content": "one"}], result="success")

    assert inspect.iscoroutinefunction(answer)
    assert asyncio.run(answer("Await it")) == [1]
    assert only(client, "Await it").created_memory_id


def test_an_asynchronous_client_decorates_asynchronous_functions(
    client: ReflectClient, async_client: AsyncReflectClient
) -> None:
    @reflect_trace(async_client)
    async def answer(ctx: TraceContext, question: str) -> str:
        return "ok"

    assert asyncio.run(answer("With the other client")) == "ok"
    assert only(client, "With the other client").final_response == "ok"
    with pytest.raises(ConfigurationError, match="async def"):

        @reflect_trace(async_client)
        def plain(ctx: TraceContext, question: str) -> str:
            return "no"


def test_a_generator_streams_and_is_stored_whole(client: ReflectClient) -> None:
    inside: list[Any] = []

    @reflect_trace(client)
    def answer(ctx: TraceContext, question: str) -> Generator[str, str | None, TraceResult | None]:
        inside.append(current_trace())
        said = yield "a"
        yield f"b{said or ''}"
        return None

    stream = answer("Stream it")
    assert next(stream) == "a"
    assert current_trace() is None, "the caller's code is not part of the run"
    assert stream.send("!") == "b!"
    with pytest.raises(StopIteration):
        next(stream)
    assert inside[0] is not None
    assert only(client, "Stream it").final_response == "ab!"


def test_a_generator_that_is_left_is_interrupted(client: ReflectClient) -> None:
    @reflect_trace(client)
    def answer(ctx: TraceContext, question: str) -> Generator[str, None, None]:
        ctx.set_output(trajectory=[{"role": "assistant", "content": "half"}], result="pass")
        yield "a"
        yield "b"

    stream = answer("Leave it")
    next(stream)
    stream.close()
    trace = only(client, "Leave it")
    marks = {"interrupted": "GeneratorExit", "discarded_result": "pass"}
    assert trace.review is None and trace.metadata["reflect"] == marks


def test_what_a_generator_yielded_before_it_was_left_is_kept(client: ReflectClient) -> None:
    @reflect_trace(client)
    def answer(ctx: TraceContext, question: str) -> Generator[str, None, None]:
        yield "half "
        yield "of it"
        yield "never"

    @reflect_trace(client)
    async def answer_async(ctx: TraceContext, question: str) -> AsyncGenerator[str, None]:
        yield "half "
        yield "of it"
        yield "never"

    async def main() -> None:
        stream = answer_async("Leave it too")
        await anext(stream)
        await anext(stream)
        await stream.aclose()

    stream = answer("Leave it")
    next(stream), next(stream)
    stream.close()
    asyncio.run(main())
    for task in ("Leave it", "Leave it too"):
        trace = only(client, task)
        assert trace.final_response == "half of it" and trace.metadata["reflect"]["interrupted"] == "GeneratorExit"


def test_an_asynchronous_generator(client: ReflectClient) -> None:
    @reflect_trace(client)
    async def answer(ctx: TraceContext, question: str) -> AsyncGenerator[str, None]:
        for part in ("x", "y"):
            await asyncio.sleep(0)
            yield part

    async def main() -> list[str]:
        return [part async for part in answer("Stream it too")]

    assert asyncio.run(main()) == ["x", "y"]
    assert only(client, "Stream it too").final_response == "xy"


def test_an_exception_passes_through_and_is_stored(client: ReflectClient) -> None:
    @reflect_trace(client)
    def answer(ctx: TraceContext, question: str) -> str:
        ctx.step("assistant", "hm")
        raise LookupError("no such row")

    with pytest.raises(LookupError):
        answer("Break it")
    trace = only(client, "Break it")
    assert trace.review is not None and trace.review.feedback_text == "no such row"
