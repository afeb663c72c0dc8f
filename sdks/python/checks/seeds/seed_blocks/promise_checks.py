"""Checks for effects that the documents promise in prose.

`promises.py` evaluates promises that are Python expressions. This module has the other checks, and the exact
number of traces that each block stores.
"""

from __future__ import annotations

import asyncio
import html
import uuid
from collections.abc import Callable, Sequence

from reflect_sdk import Memory, ReflectClient, Trace, reflect_trace

from .block_result import BlockResult
from .prelude import CLI_TASK, CSV_TASK

# A block that only defines functions stores nothing.
STORED = {
    "000": {2: 0, 3: 0, 4: 0, 5: 1},
    "001": {1: 1, 2: 1, 3: 1, 4: 1, 5: 0, 6: 0, 7: 1, 8: 2, 9: 2, 10: 1, 11: 0},
    "002": {1: 1, 2: 1, 3: 1, 4: 0, 5: 1, 6: 0},
}

Check = Callable[[BlockResult], None]
CHECKS: dict[tuple[str, int], Check] = {}


def check_promises(document: str, block: int, result: BlockResult) -> int:
    """Raises AssertionError if a promise is broken; returns the number of checks."""
    expected, found = STORED[document][block], len(result.stored())
    assert found == expected, f"{found} traces came in; the block stores {expected}"
    CHECKS[document, block](result)
    return 2


def after_block(document: str, block: int) -> Callable[[Check], Check]:
    """Registers the check of a block."""

    def register(check: Check) -> Check:
        CHECKS[document, block] = check
        return check

    return register


@after_block("000", 2)
def _the_client_reaches_the_documented_address(result: BlockResult) -> None:
    reflect = result["reflect"]

    assert isinstance(reflect, ReflectClient)
    assert same_traces(reflect.list_traces(), result.client.list_traces())


@after_block("000", 3)
def _the_memories_are_in_the_text_of_the_task(result: BlockResult) -> None:
    augmented = result["augmented"]

    memories_are_written_below(CLI_TASK, augmented.augmented_task, augmented.memories)
    assert len(augmented.memories) <= 3, f"{len(augmented.memories)} memories; at most 3 were asked for"


@after_block("000", 4)
def _the_model_answered(result: BlockResult) -> None:
    assert result["response"].choices[0].message.content


@after_block("000", 5)
def _the_run_is_learned_from(result: BlockResult) -> None:
    trace = result["trace"]

    fully_processed(trace, "pass")
    assert trace.model == "gpt-5.4-mini", f"model is {trace.model!r}"
    assert trace.retrieved_memory_ids == [memory.id for memory in result["augmented"].memories]
    assert trace.trajectory == result["trajectory"], f"trajectory is {trace.trajectory}"


@after_block("001", 1)
def _the_trace_names_the_memories_that_were_retrieved(result: BlockResult) -> None:
    ctx = result["ctx"]
    trace = result.reviewed(ctx.trace_id)

    memories_are_written_below(CSV_TASK, ctx.augmented_task, ctx.memories)
    fully_processed(trace, "pass")
    assert trace.task == CSV_TASK, f"task is {trace.task!r}"
    assert trace.retrieved_memory_ids == [memory.id for memory in ctx.memories]
    assert trace.model == "gpt-5.4-mini", f"model is {trace.model!r}"
    assert trace.final_response == result.said, f"final_response is {trace.final_response!r}"


@after_block("001", 2)
def _the_memory_is_there_at_once_and_can_be_retrieved(result: BlockResult) -> None:
    trace = result.client.get_trace(result["ctx"].trace_id)
    fully_processed(trace, "pass")

    retrieved = result.client.augment_with_memories(task=trace.task, limit=50).memories
    found = [memory.id for memory in retrieved]
    assert trace.created_memory_id in found, f"{trace.created_memory_id} is not among {found}"


@after_block("001", 3)
def _the_awaited_run_is_learned_from(result: BlockResult) -> None:
    trace = result.reviewed(result["ctx"].trace_id)

    fully_processed(trace, "pass")
    assert trace.trajectory == result["messages"], f"trajectory is {trace.trajectory}"


@after_block("001", 4)
def _calling_the_function_submitted_the_trace(result: BlockResult) -> None:
    trace = result.reviewed(result.stored()[0].id)

    fully_processed(trace, "pass")
    assert trace.task == CSV_TASK, f"task is {trace.task!r}"
    assert trace.retrieved_memory_ids, "the trace names no memories; the task has some"
    assert trace.final_response == result.said, f"final_response is {trace.final_response!r}"


@after_block("001", 5)
def _a_result_and_a_plain_string_are_both_recorded(result: BlockResult) -> None:
    answered = result["answer"]("Count the rows")
    assert answered == result.said, f"the caller got {answered!r}"
    assert len(result.stored()) == 1, "calling the function stores one trace"
    assert result.reviewed(result.stored()[0].id).final_response == result.said

    @reflect_trace(result.client)
    def prototype(_ctx: object, _question: str) -> str:
        return "There are 12 rows."

    assert prototype("Count the rows once more") == "There are 12 rows."
    trace = result.stored()[0]
    assert trace.task == "Count the rows once more", f"task is {trace.task!r}"
    assert trace.final_response == "There are 12 rows.", f"final_response is {trace.final_response!r}"
    assert trace.review_status == "pending", f"review_status is {trace.review_status!r}"


@after_block("001", 6)
def _an_asynchronous_function_without_a_result_returns_none(result: BlockResult) -> None:
    answered = asyncio.run(result["answer"]("Count the columns"))

    assert answered is None, f"the caller got {answered!r}"


@after_block("001", 7)
def _the_run_is_learned_from_in_the_background(result: BlockResult) -> None:
    submission, augmented = result["submission"], result["augmented"]
    assert submission.ingest_status == "queued", f"ingest_status is {submission.ingest_status!r}"
    trace = result.reviewed(submission.id)

    fully_processed(trace, "pass")
    assert trace.retrieved_memory_ids == [memory.id for memory in augmented.memories]
    assert trace.retrieved_memory_ids, "the trace names no memories; the task has some"
    assert trace.final_response == result.said, f"final_response is {trace.final_response!r}"


@after_block("001", 8)
def _both_runs_are_learned_from(result: BlockResult) -> None:
    fully_processed(result["trace"], "pass")
    fully_processed(result.reviewed(result["submission"].id), "pass")


@after_block("001", 9)
def _every_way_to_review_inline_works(result: BlockResult) -> None:
    assert result["answer"]("Sort the inbox") == result["response"]

    traces = result.stored()
    assert len(traces) == 3, f"{len(traces)} traces came in; each of the three ways stores one"
    for trace in traces:
        fully_processed(result.reviewed(trace.id), "pass")


@after_block("001", 10)
def _the_deferred_review_is_attached(result: BlockResult) -> None:
    ctx, trace = result["ctx"], result["trace"]

    assert result.printed == f"Trace submitted: {ctx.trace_id}\n", f"it printed {result.printed!r}"
    assert trace.id == ctx.trace_id
    fully_processed(trace, "fail")
    assert trace.review.feedback_text == "Summary missed the revenue decline in Q3"


@after_block("001", 11)
@after_block("002", 6)
def _lists_and_single_traces_are_fetched(result: BlockResult) -> None:
    pending, reviewed = result["pending"], result["reviewed"]

    assert pending, "there is a trace without a review"
    assert all(trace.review_status == "pending" for trace in pending)
    assert reviewed, "there are reviewed traces"
    for trace in reviewed:
        fully_processed(trace, trace.review.result)
    assert same_traces([*pending, *reviewed], result["all_traces"])
    assert result["trace"].id == result.stored_trace_id


@after_block("002", 1)
def _the_trace_is_stored_as_it_was_given(result: BlockResult) -> None:
    submission = result["submission"]
    trace = result.client.get_trace(submission.id)

    assert result.printed == f"{submission.id}\n{submission.ingest_status}\n", f"it printed {result.printed!r}"
    assert str(uuid.UUID(submission.id)) == submission.id
    assert submission.ingest_status == "completed", f"ingest_status is {submission.ingest_status!r}"
    assert trace.final_response == "Here are the top 5 rows: ...", f"it is {trace.final_response!r}"
    assert trace.retrieved_memory_ids == ["mem-abc", "mem-def"], f"they are {trace.retrieved_memory_ids}"
    assert trace.metadata == {"source": "cli", "run_id": "run-123"}, f"metadata is {trace.metadata}"
    assert trace.review_status == "pending", f"review_status is {trace.review_status!r}"


@after_block("002", 2)
def _a_success_is_a_pass(result: BlockResult) -> None:
    fully_processed(result.reviewed(result["submission"].id), "pass")


@after_block("002", 3)
def _a_failure_is_a_fail(result: BlockResult) -> None:
    assert result["submission"].ingest_status == "completed"
    fully_processed(result["trace"], "fail")


@after_block("002", 4)
@after_block("002", 5)
def _the_wait_ends_with_the_memory(result: BlockResult) -> None:
    fully_processed(result["trace"], "pass")


def fully_processed(trace: Trace, result: str) -> None:
    """The trace has its review and its memory, and is completely processed."""
    assert trace.review_status == "reviewed", f"review_status is {trace.review_status!r}"
    assert trace.ingest_status == "completed", f"ingest_status is {trace.ingest_status!r}"
    assert trace.created_memory_id, "created_memory_id is not set"
    assert trace.review is not None, "no review is attached"
    assert trace.review.result == result, f"the result is {trace.review.result!r}"


def memories_are_written_below(task: str, augmented_task: str, memories: Sequence[Memory]) -> None:
    """The prompt contains the task and the lesson of every memory."""
    assert memories, "no memory was retrieved; the task has some"
    assert all(isinstance(memory, Memory) for memory in memories)
    assert task in augmented_task and augmented_task != task, f"the task became {augmented_task!r}"
    # Characters that could be read as structure are escaped.
    text = html.unescape(augmented_task)
    for memory in memories:
        assert memory.reflection in text, f"the lesson of {memory.id} is not in {augmented_task!r}"


def same_traces(some: Sequence[Trace], others: Sequence[Trace]) -> bool:
    """Whether both contain the same traces, in any order."""
    return sorted(trace.id for trace in some) == sorted(trace.id for trace in others)
