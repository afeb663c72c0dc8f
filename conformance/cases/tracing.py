"""Item 46: the context manager and the decorator, which send traces automatically."""

from __future__ import annotations

import asyncio

from reflect_sdk import ReflectClient, Trace, TraceContext, TraceResult, reflect_trace

from cases.registry import case
from cases.runs import messages, remember
from cases.setting import Setting

SEEDED = "Parse the CSV export and return the top five rows"
CRASH = "the disk is full"


@case(46, "Context manager and decorator submit with the right ids; an exception becomes a fail")
def automatic_traces(here: Setting) -> None:
    for run, result in (
        (by_context, "pass"),
        (by_result, "fail"),
        (by_string, None),
        (by_coroutine, "pass"),
        (by_exception, "fail"),
    ):
        # A pass can share the lesson of the memory that it followed, and a query returns one memory of each.
        client = here.client(here.another_project())
        seeded = remember(here, client, SEEDED)
        trace = run(client)
        assert seeded in trace.retrieved_memory_ids, f"{trace.task}: {trace.retrieved_memory_ids}"
        if result is None:
            assert trace.review is None, f"{trace.task}: review is {trace.review!r}"
        else:
            done = client.wait_for_trace(trace.id, require_reviewed=True, wait_timeout=here.patience)
            assert done.review is not None and done.review.result == result, f"{trace.task}: {done!r}"
            assert done.review.mode == "inline"


def by_context(client: ReflectClient) -> Trace:
    """A `with` block that sets its output."""
    with client.trace(f"{SEEDED} of orders") as ctx:
        assert ctx.trace_id is None
        ctx.set_output(trajectory=messages(ctx.augmented_task), result="pass", model="m-1")
    assert ctx.trace_id, "no trace id after the block"
    trace = client.get_trace(ctx.trace_id)
    assert trace.retrieved_memory_ids == ctx.memory_ids
    assert trace.task == ctx.task and trace.model == "m-1"
    return trace


def by_result(client: ReflectClient) -> Trace:
    """A decorated function that returns a full result."""

    @reflect_trace(client, task=lambda question: question)
    def answer(ctx: TraceContext, question: str) -> TraceResult:
        return TraceResult(
            output="rows",
            trajectory=messages(ctx.augmented_task, "the wrong rows"),
            result="fail",
            feedback_text="It returned the bottom rows.",
        )

    task = f"{SEEDED} of customers"
    assert answer(task) == "rows"  # type: ignore[call-arg]
    trace = only(client, task)
    assert trace.final_response == "the wrong rows"
    return trace


def by_string(client: ReflectClient) -> Trace:
    """A decorated function that returns a string, which is both trajectory and response."""

    @reflect_trace(client)
    def answer(ctx: TraceContext, question: str) -> str:
        return "42 rows"

    task = f"{SEEDED} of suppliers"
    assert answer(task) == "42 rows"  # type: ignore[call-arg]
    trace = only(client, task)
    assert trace.final_response == "42 rows"
    assert "42 rows" in trace.trajectory[0].values(), f"the trajectory is {trace.trajectory!r}"
    return trace


def by_coroutine(client: ReflectClient) -> Trace:
    """A decorated coroutine, which uses the client's asynchronous calls."""

    @reflect_trace(client)
    async def answer(ctx: TraceContext, question: str) -> TraceResult:
        return TraceResult(output="rows", trajectory=messages(ctx.augmented_task), result="success")

    task = f"{SEEDED} of invoices"
    assert asyncio.run(answer(task)) == "rows"  # type: ignore[call-arg]
    return only(client, task)


def by_exception(client: ReflectClient) -> Trace:
    """A `with` block that raises an exception after its output was set."""
    task = f"{SEEDED} of parcels"
    try:
        with client.trace(task) as ctx:
            ctx.set_output(trajectory=messages(ctx.augmented_task), result="pass")
            raise ValueError(CRASH)
    except ValueError as error:
        assert str(error) == CRASH
    trace = only(client, task)
    assert trace.review is not None, "the review is not on the trace"
    assert trace.review.feedback_text == CRASH, f"feedback is {trace.review.feedback_text!r}"
    return trace


def only(client: ReflectClient, task: str) -> Trace:
    """The only trace of a task; the decorator does not return its id."""
    found = [trace for trace in client.list_traces() if trace.task == task]
    assert len(found) == 1, f"{len(found)} traces of {task!r}"
    return found[0]
