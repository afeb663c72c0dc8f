"""What users write, with every type spelt out: mypy and pyright must agree with it. It is never run.

The calls are those of the documented interface. Each value is handed to a name of a declared type, so a type
that changes, or one that is lost on the way and becomes `Any`, is an error here before it is one for a user.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from typing_extensions import assert_type

import reflect_sdk
from reflect_sdk import (
    AcceptedSignal,
    APIStatusError,
    AsyncReflectClient,
    AugmentedTask,
    FeedbackToken,
    IngestFailedError,
    Memory,
    OutgoingSignal,
    RateLimitError,
    ReflectClient,
    ReflectError,
    Review,
    Signal,
    SignalSource,
    Trace,
    TraceContext,
    TraceResult,
    TraceSubmission,
    WaitTimeoutError,
    reflect_trace,
)

Messages = list[dict[str, Any]]


def my_agent(task: str) -> str:
    """An agent."""
    return f"Here are the rows: {task}"


async def my_llm(task: str) -> str:
    """An agent that is awaited."""
    return my_agent(task)


def connect() -> ReflectClient:
    """Every setting by name; all of them may come from the environment instead."""
    ReflectClient()
    return ReflectClient(base_url="http://localhost:8000", api_key="rf_live_...", project_id="demo", timeout=30.0)


def signals(client: ReflectClient) -> None:
    """Outcomes that other systems report."""
    run = client.create_trace(task="Round refunds", trajectory="...", keys={"commit": "4f2a9c1"})
    assert_type(client.send_signal("ci", key=("commit", "4f2a9c1"), outcome="fail", comment="..."), AcceptedSignal)
    scored: OutgoingSignal = {"source": "evaluation", "trace_id": run.id, "score": 0.9}
    by_key: OutgoingSignal = {"source": "merge", "key": ("pull_request", "118"), "outcome": "pass"}
    assert_type(client.send_signals([scored, by_key]), list[AcceptedSignal])
    assert_type(client.list_signals(run.id), list[Signal])
    assert_type(client.list_signal_sources(), list[SignalSource])
    assert_type(client.create_feedback_token(run.id, expires_in_seconds=3600), FeedbackToken)


def explicit_calls(client: ReflectClient) -> None:
    """Pattern 3: every step by hand."""
    augmented = client.augment_with_memories(task="Parse the CSV", limit=3, lambda_=0.5)
    assert_type(augmented, AugmentedTask)
    assert_type(augmented.augmented_task, str)
    assert_type(augmented.memories, list[Memory])
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": augmented.augmented_task},
    ]
    trajectory = [*messages, {"role": "assistant", "content": my_agent(augmented.augmented_task)}]

    submission = client.create_trace(
        task="Parse the CSV",
        trajectory=trajectory,
        final_response=None,
        retrieved_memory_ids=[memory.id for memory in augmented.memories],
        model="gpt-5.4-mini",
        metadata={"source": "cli", "run_id": "run-123"},
        review_result="pass",
        feedback_text=None,
    )
    assert_type(submission, TraceSubmission)
    assert_type(submission.id, str)
    assert_type(submission.ingest_status, str)
    client.create_trace(task="As text", trajectory="what it said", retrieved_memory_ids=("mem-abc",))

    trace = client.create_trace_and_wait(
        task="...", trajectory=trajectory, review_result="pass", poll_interval=0.5, wait_timeout=30.0
    )
    assert_type(trace, Trace)
    assert_type(trace.created_memory_id, str | None)
    assert_type(trace.review_status, str)
    assert_type(client.wait_for_trace(submission.id, require_reviewed=True), Trace)


def memories(client: ReflectClient) -> float:
    """What a memory holds."""
    found = client.query_memories("Parse the CSV", limit=5, lambda_=0.0)
    assert_type(found, list[Memory])
    best = found[0]
    assert_type(best.task, str)
    assert_type(best.reflection, str)
    assert_type(best.success, bool | None)
    return best.q_value + best.similarity + best.score


def reviews(client: ReflectClient, trace_id: str) -> None:
    """A review that comes later, and what can be read."""
    trace = client.review_trace(trace_id=trace_id, result="fail", feedback_text="It missed the decline in Q3")
    assert_type(trace.review, Review | None)
    if trace.review is not None:
        assert_type(trace.review.result, str)
        assert_type(trace.review.feedback_text, str | None)
    pending = client.list_traces(review_status="pending")
    assert_type(pending, list[Trace])
    assert_type(client.list_traces(), list[Trace])
    assert_type(client.get_trace(trace_id="abc-123").trajectory, Messages)


def with_a_block(client: ReflectClient, messages: Messages) -> str | None:
    """Pattern 1: the context manager."""
    with client.trace("Parse the CSV", limit=5, lambda_=0.5, blocking=True) as ctx:
        assert_type(ctx, TraceContext)
        assert_type(ctx.memories, list[Memory])
        response = my_agent(ctx.augmented_task)
        ctx.set_output(
            trajectory=messages,
            final_response=response,
            result="pass",
            feedback_text=None,
            model="gpt-5.4-mini",
            metadata={"source": "cli"},
        )
    assert_type(ctx.trace_id, str | None)
    return ctx.trace_id


def an_exception_goes_on(client: ReflectClient) -> str:
    """A block lets exceptions through, so code after it needs no second `return`."""
    with client.trace("...", auto_fail_on_exception=False):
        return "done"


async def with_an_awaited_block(client: ReflectClient, messages: Messages) -> None:
    """The same, awaited."""
    async with client.trace_async("Debug login timeout") as ctx:
        assert_type(ctx, TraceContext)
        await my_llm(ctx.augmented_task)
        ctx.set_output(trajectory=messages, result="success")
    trace = await client.create_trace_and_wait_async(task="...", trajectory=messages)
    assert_type(trace, Trace)
    assert_type(await client.augment_with_memories_async("..."), AugmentedTask)


async def with_the_awaited_client(messages: Messages) -> None:
    """The client whose calls are all awaited."""
    async with AsyncReflectClient(base_url="http://localhost:8000", api_key="k", project_id="p") as client:
        assert_type(await client.query_memories("..."), list[Memory])
        async with client.trace("...") as ctx:
            ctx.set_output(trajectory=messages)
        assert_type(await client.list_traces(), list[Trace])


def decorated(client: ReflectClient) -> None:
    """Pattern 2: the decorator, which takes the context away from the caller's arguments."""

    @reflect_trace(client, task=lambda question: question)
    def answer(ctx: TraceContext, question: str) -> TraceResult:
        return TraceResult(
            output=my_agent(ctx.augmented_task),
            trajectory=[{"role": "user", "content": question}],
            result="pass",
            feedback_text=None,
            model="gpt-5.4-mini",
            metadata={"source": "cli"},
        )

    answer("Parse the CSV and return the top 5 rows")

    @reflect_trace(client)
    def quick(ctx: TraceContext, question: str) -> str:
        return my_agent(question)

    assert_type(quick("Parse the CSV"), str)

    @reflect_trace(client, task="always the same", inject_context=False)
    def unaware(rows: int, *, columns: int = 3) -> str:
        return my_agent(str(rows * columns))

    assert_type(unaware(5, columns=2), str)

    @reflect_trace(client, limit=3, lambda_=0.2, blocking=True, auto_fail_on_exception=False)
    async def awaited(ctx: TraceContext, question: str) -> str:
        return await my_llm(ctx.augmented_task)

    async def main() -> None:
        assert_type(await awaited("Parse the CSV"), str)

    takes_main: Callable[[], Any] = main
    takes_main()


def streaming(client: ReflectClient) -> None:
    """Generators stay generators."""

    @reflect_trace(client)
    def chunks(ctx: TraceContext, question: str) -> Iterator[str]:
        yield my_agent(question)

    for chunk in chunks("Parse the CSV"):
        assert_type(chunk, str)

    @reflect_trace(client)
    async def awaited_chunks(ctx: TraceContext, question: str) -> AsyncIterator[str]:
        yield await my_llm(question)

    async def main() -> None:
        async for chunk in awaited_chunks("Parse the CSV"):
            assert_type(chunk, str)

    takes_main: Callable[[], Any] = main
    takes_main()


class Agent:
    """Methods can be decorated too."""

    client = connect()

    @reflect_trace(client)
    def answer(self, ctx: TraceContext, question: str) -> str:
        """The context comes after `self`."""
        return my_agent(ctx.augmented_task)


def errors(client: ReflectClient) -> None:
    """The documented built-in exceptions, and ours."""
    try:
        client.create_trace_and_wait(task="...", trajectory=[], review_result="pass")
    except RateLimitError as error:
        assert_type(error.retry_after, float | None)
    except APIStatusError as error:
        assert_type(error.status_code, int)
        assert_type(error.code, str | None)
    except (IngestFailedError, WaitTimeoutError) as error:
        as_documented: RuntimeError | TimeoutError = error
        print(as_documented)
    except ReflectError as error:
        assert_type(error.hint, str | None)
        assert_type(error.request_id, str | None)


def leaving(client: ReflectClient) -> int:
    """What is on its way can be waited for."""
    sent = client.flush(timeout=5.0)
    assert_type(sent, reflect_sdk.FlushResult)
    with client:
        assert_type(reflect_sdk.__version__, str)
    return sent.sent + sent.pending + sent.spooled + sent.dropped
