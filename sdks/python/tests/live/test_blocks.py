"""Runs as blocks, against a real server: what is stored when they end one way or another."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import reflect_sdk
from reflect_sdk import AsyncReflectClient, ReflectClient, Trace, TraceContext

TASK = "Sort the letters of the archive"
MESSAGES = [{"role": "user", "content": "sort"}, {"role": "assistant", "content": "sorted"}]


def stored(client: ReflectClient, ctx: TraceContext) -> Trace:
    assert ctx.trace_id is not None
    return client.get_trace(ctx.trace_id)


def test_a_run_carries_its_receipt_and_its_memories(client: ReflectClient, lesson: Callable[..., str]) -> None:
    memory = lesson(TASK)
    with client.trace(TASK) as ctx:
        assert ctx.trace_id is None
        assert memory in ctx.retrieved_memory_ids == ctx.memory_ids
        assert ctx.augmented_task == f"{TASK}\n\n{ctx.memory_block}" and "Look twice." in ctx.memory_block
        ctx.set_output(trajectory=MESSAGES, result="pass", model="m", metadata={"a": 1})
    trace = client.wait_for_trace(str(ctx.trace_id), require_reviewed=True)
    assert trace.link == "receipt" and trace.linked_memory_ids == [memory] and trace.retrieval_id == ctx.retrieval_id
    assert trace.review is not None and trace.review.mode == "inline"
    assert trace.metadata == {"a": 1} and trace.model == "m" and trace.final_response == "sorted"
    assert client.query_memories(TASK, ranking="classic")[0].reviews >= 0


def test_blocking_waits_for_the_memory(client: ReflectClient) -> None:
    with client.trace(TASK, blocking=True) as ctx:
        ctx.set_output(trajectory=MESSAGES, result="pass")
    assert client.query_memories(TASK), "the memory was not there when the block had ended"


def test_blocking_without_a_review_waits_for_nothing(client: ReflectClient) -> None:
    with client.trace(TASK, blocking=True) as ctx:
        ctx.set_output(trajectory=MESSAGES)
    assert stored(client, ctx).review is None


def test_blocking_tells_when_learning_failed(client: ReflectClient, live: Any) -> None:
    with (
        pytest.raises(RuntimeError, match="API key"),
        client.trace(f"Count {live.failing_task}", blocking=True) as ctx,
    ):
        ctx.set_output(trajectory=MESSAGES, result="pass")
    assert stored(client, ctx).ingest_status == "failed"


def test_an_exception_after_the_output_is_a_fail_with_its_text(client: ReflectClient) -> None:
    with pytest.raises(ValueError, match="disk"), client.trace(TASK) as ctx:
        ctx.set_output(trajectory=MESSAGES, result="pass")
        raise ValueError("the disk is full")
    trace = stored(client, ctx)
    assert trace.review is not None and trace.review.result == "fail"
    assert trace.review.feedback_text == "the disk is full"
    assert trace.metadata["reflect"]["error"] == "ValueError"
    assert "test_blocks.py" in trace.metadata["reflect"]["where"]


def test_what_was_said_of_a_run_stays_when_it_breaks(client: ReflectClient) -> None:
    with pytest.raises(ValueError), client.trace(TASK) as ctx:
        ctx.set_output(trajectory=MESSAGES, result="fail", feedback_text="Not by date.")
        raise ValueError("the disk is full")
    trace = stored(client, ctx)
    assert trace.review is not None and trace.review.feedback_text == "Not by date.\nthe disk is full"


def test_the_memory_block_is_the_prompt_without_the_task(client: ReflectClient, lesson: Callable[..., str]) -> None:
    with client.trace(TASK) as ctx:
        assert ctx.memory_block == "" and ctx.augmented_task == TASK
    lesson(TASK, guidance="Sort by sender first.")
    with client.trace(TASK) as ctx:
        assert "Sort by sender first." in ctx.memory_block and TASK + "\n\n" + ctx.memory_block == ctx.augmented_task
        ctx.set_output(trajectory=MESSAGES)
    assert client.augment_with_memories(TASK).memory_block == ctx.memory_block


def test_auto_fail_can_be_turned_off(client: ReflectClient) -> None:
    with pytest.raises(ValueError), client.trace(TASK, auto_fail_on_exception=False) as ctx:
        ctx.set_output(trajectory=MESSAGES)
        raise ValueError("no")
    assert stored(client, ctx).review is None


def test_an_exception_before_the_output_still_leaves_a_trace(client: ReflectClient) -> None:
    with pytest.raises(ValueError), client.trace(TASK) as ctx:
        raise ValueError("early")
    trace = stored(client, ctx)
    assert trace.review is None and trace.metadata["reflect"]["error"] == "ValueError"
    assert trace.trajectory[0]["content"] == ctx.augmented_task

    with pytest.raises(ValueError), client.trace(TASK) as ctx:
        ctx.step("assistant", "I look it up")
        ctx.tool("search", {"q": "x"}, ["hit"])
        raise ValueError("later")
    trace = stored(client, ctx)
    assert trace.review is not None and trace.review.result == "fail" and len(trace.trajectory) == 3


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError])
def test_an_interrupted_run_is_never_a_failure(client: ReflectClient, interruption: type[BaseException]) -> None:
    with pytest.raises(interruption), client.trace(TASK) as ctx:
        ctx.set_output(trajectory=MESSAGES, result="pass")
        raise interruption
    trace = stored(client, ctx)
    assert trace.review is None and trace.metadata["reflect"]["interrupted"] == interruption.__name__


async def cancelled(client: AsyncReflectClient, seen: list[TraceContext], begun: asyncio.Event) -> None:
    async with client.trace(TASK) as ctx:
        seen.append(ctx)
        ctx.set_output(trajectory=MESSAGES, result="pass")
        begun.set()
        await asyncio.Event().wait()


def test_a_cancelled_task_is_interrupted(client: ReflectClient, async_client: AsyncReflectClient) -> None:
    seen: list[TraceContext] = []

    async def main() -> None:
        begun = asyncio.Event()
        task = asyncio.create_task(cancelled(async_client, seen, begun))
        await begun.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(main())
    trace = stored(client, seen[0])
    assert trace.review is None and trace.metadata["reflect"]["interrupted"] == "CancelledError"


def test_a_run_that_says_nothing_is_told_where(client: ReflectClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "reflect_sdk"), client.trace(TASK) as ctx:
        pass
    assert ctx.trace_id is None
    assert "test_blocks.py" in caplog.text and "set_output" in caplog.text
    assert client.delivery.empty == 1 and client.list_traces() == []


def test_captured_messages_are_the_trajectory(client: ReflectClient) -> None:
    with client.trace(TASK) as ctx:
        ctx.step("user", "sort")
        ctx.step("assistant", "sorted", model="small-1")
        ctx.review("fail", "not by date")
        assert len(ctx.captured) == 2
    trace = stored(client, ctx)
    assert [message["content"] for message in trace.trajectory] == ["sort", "sorted"] and trace.model == "small-1"
    assert trace.review is not None and trace.review.feedback_text == "not by date"
    with client.trace(TASK) as ctx:
        ctx.set_output(trajectory=MESSAGES, result="pass")
        ctx.defer()
    assert stored(client, ctx).review is None


def test_a_verdict_given_first_holds(client: ReflectClient) -> None:
    with client.trace(TASK) as ctx:
        ctx.review("fail", "not by date")
        ctx.set_output(trajectory=MESSAGES)
    review = stored(client, ctx).review
    assert review is not None and (review.result, review.feedback_text) == ("fail", "not by date")


def test_a_run_without_an_id_is_explained(client: ReflectClient) -> None:
    with client.trace(TASK) as ctx:
        for call in (client.get_trace, client.wait_for_trace, client.withdraw_review, client.retry_trace):
            with pytest.raises(ValueError, match="block of the run has not ended"):
                call(ctx.trace_id)
        with pytest.raises(ValueError, match="block of the run has not ended"):
            client.review_trace(ctx.trace_id, result="pass")
        ctx.set_output(trajectory=MESSAGES)
    assert client.review_trace(ctx.trace_id, result="pass").created_memory_id


def test_a_run_inside_a_run_names_it(client: ReflectClient) -> None:
    with client.trace(TASK) as outer:
        assert reflect_sdk.current_trace() is outer
        with client.trace("A part of it") as inner:
            assert reflect_sdk.current_trace() is inner
            inner.set_output(trajectory=MESSAGES)
        outer.set_output(trajectory=MESSAGES)
    assert reflect_sdk.current_trace() is None
    assert stored(client, inner).metadata["reflect"]["parent_trace_id"] == outer.trace_id


def test_threads_join_the_run_when_they_are_given_its_context(client: ReflectClient) -> None:
    def work(n: int) -> None:
        current = reflect_sdk.current_trace()
        assert current is not None
        current.step("assistant", f"part {n}")

    with client.trace(TASK) as ctx, ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(reflect_sdk.copy_context().run, work, n) for n in range(8)]:
            future.result()
        assert len(ctx.captured) == 8
    assert len(stored(client, ctx).trajectory) == 8


def test_a_block_that_a_fork_doubles_is_two_runs(client: ReflectClient) -> None:
    with client.trace(TASK) as ctx:
        child = os.fork()
        ctx.set_output(trajectory=MESSAGES, metadata={"child": child == 0})
    if child == 0:
        client.flush(20)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    found = {trace.id: trace.metadata["child"] for trace in client.list_traces()}
    assert sorted(found.values()) == [False, True] and found[str(ctx.trace_id)] is False


def test_a_bad_result_is_refused_where_it_is_said(client: ReflectClient) -> None:
    with pytest.raises(reflect_sdk.InvalidReviewResultError), client.trace(TASK) as ctx:
        ctx.set_output(trajectory=MESSAGES, result="partial")


def test_the_other_task_is_the_one_that_is_stored(client: ReflectClient) -> None:
    with client.trace(TASK) as ctx:
        ctx.set_output(
            trajectory=MESSAGES, task="Sort by date", alpha=0.1, result="success", reference_context="policy"
        )
    trace = client.wait_for_trace(str(ctx.trace_id), require_reviewed=True)
    assert trace.task == "Sort by date" and trace.reference_context == "policy"
    assert trace.review is not None and trace.review.alpha == pytest.approx(0.1)


def test_a_review_follows_a_run_that_is_still_on_its_way(client: ReflectClient) -> None:
    with client.trace(TASK) as ctx:
        ctx.set_output(trajectory=MESSAGES)
    trace = client.review_trace(str(ctx.trace_id), result="failure", feedback_text="Not by date")
    assert trace.review_status == "reviewed" and trace.created_memory_id
