"""What the documents promise of their blocks in words, written as checks.

Promises that are Python expressions are evaluated by themselves, see `promises.py`. Here is the rest, and
how many traces each block leaves behind: not one less, and none twice.
"""

from __future__ import annotations

import asyncio
import html
import uuid
from collections.abc import Callable, Sequence

from reflect_sdk import Memory, ReflectClient, Trace, reflect_trace

from .aftermath import Aftermath
from .prelude import CLI_TASK, CSV_TASK

# Functions that are only defined store nothing.
STORED = {
    "000": {2: 0, 3: 0, 4: 0, 5: 1},
    "001": {1: 1, 2: 1, 3: 1, 4: 1, 5: 0, 6: 0, 7: 1, 8: 2, 9: 2, 10: 1, 11: 0},
    "002": {1: 1, 2: 1, 3: 1, 4: 0, 5: 1, 6: 0},
}

Check = Callable[[Aftermath], None]
CHECKS: dict[tuple[str, int], Check] = {}


def kept(document: str, block: int, after: Aftermath) -> int:
    """Raises when something is not as the document says; says how much was looked at."""
    expected, found = STORED[document][block], len(after.stored())
    assert found == expected, f"{found} traces came in; the block stores {expected}"
    CHECKS[document, block](after)
    return 2


def after_block(document: str, block: int) -> Callable[[Check], Check]:
    """Has a check run after a block."""

    def put(check: Check) -> Check:
        CHECKS[document, block] = check
        return check

    return put


@after_block("000", 2)
def _the_client_reaches_the_documented_address(after: Aftermath) -> None:
    reflect = after["reflect"]

    assert isinstance(reflect, ReflectClient)
    assert same_traces(reflect.list_traces(), after.client.list_traces())


@after_block("000", 3)
def _the_memories_are_in_the_text_of_the_task(after: Aftermath) -> None:
    augmented = after["augmented"]

    memories_are_written_below(CLI_TASK, augmented.augmented_task, augmented.memories)
    assert len(augmented.memories) <= 3, f"{len(augmented.memories)} memories; at most 3 were asked for"


@after_block("000", 4)
def _the_model_answered(after: Aftermath) -> None:
    assert after["response"].choices[0].message.content


@after_block("000", 5)
def _the_run_is_learned_from(after: Aftermath) -> None:
    trace = after["trace"]

    fully_processed(trace, "pass")
    assert trace.model == "gpt-5.4-mini", f"model is {trace.model!r}"
    assert trace.retrieved_memory_ids == [memory.id for memory in after["augmented"].memories]
    assert trace.trajectory == after["trajectory"], f"trajectory is {trace.trajectory}"


@after_block("001", 1)
def _the_trace_names_the_memories_that_were_retrieved(after: Aftermath) -> None:
    ctx = after["ctx"]
    trace = after.reviewed(ctx.trace_id)

    memories_are_written_below(CSV_TASK, ctx.augmented_task, ctx.memories)
    fully_processed(trace, "pass")
    assert trace.task == CSV_TASK, f"task is {trace.task!r}"
    assert trace.retrieved_memory_ids == [memory.id for memory in ctx.memories]
    assert trace.model == "gpt-5.4-mini", f"model is {trace.model!r}"
    assert trace.final_response == after.said, f"final_response is {trace.final_response!r}"


@after_block("001", 2)
def _the_memory_is_there_at_once_and_can_be_retrieved(after: Aftermath) -> None:
    trace = after.client.get_trace(after["ctx"].trace_id)
    fully_processed(trace, "pass")

    retrieved = after.client.augment_with_memories(task=trace.task, limit=50).memories
    found = [memory.id for memory in retrieved]
    assert trace.created_memory_id in found, f"{trace.created_memory_id} is not among {found}"


@after_block("001", 3)
def _the_awaited_run_is_learned_from(after: Aftermath) -> None:
    trace = after.reviewed(after["ctx"].trace_id)

    fully_processed(trace, "pass")
    assert trace.trajectory == after["messages"], f"trajectory is {trace.trajectory}"


@after_block("001", 4)
def _calling_the_function_submitted_the_trace(after: Aftermath) -> None:
    trace = after.reviewed(after.stored()[0].id)

    fully_processed(trace, "pass")
    assert trace.task == CSV_TASK, f"task is {trace.task!r}"
    assert trace.retrieved_memory_ids, "the trace names no memories; the task has some"
    assert trace.final_response == after.said, f"final_response is {trace.final_response!r}"


@after_block("001", 5)
def _a_result_and_a_plain_string_are_both_recorded(after: Aftermath) -> None:
    answered = after["answer"]("Count the rows")
    assert answered == after.said, f"the caller got {answered!r}"
    assert len(after.stored()) == 1, "calling the function stores one trace"
    assert after.reviewed(after.stored()[0].id).final_response == after.said

    @reflect_trace(after.client)
    def prototype(_ctx: object, _question: str) -> str:
        return "There are 12 rows."

    assert prototype("Count the rows once more") == "There are 12 rows."
    trace = after.stored()[0]
    assert trace.task == "Count the rows once more", f"task is {trace.task!r}"
    assert trace.final_response == "There are 12 rows.", f"final_response is {trace.final_response!r}"
    assert trace.review_status == "pending", f"review_status is {trace.review_status!r}"


@after_block("001", 6)
def _an_asynchronous_function_without_a_result_returns_none(after: Aftermath) -> None:
    answered = asyncio.run(after["answer"]("Count the columns"))

    assert answered is None, f"the caller got {answered!r}"


@after_block("001", 7)
def _the_run_is_learned_from_in_the_background(after: Aftermath) -> None:
    submission, augmented = after["submission"], after["augmented"]
    assert submission.ingest_status == "queued", f"ingest_status is {submission.ingest_status!r}"
    trace = after.reviewed(submission.id)

    fully_processed(trace, "pass")
    assert trace.retrieved_memory_ids == [memory.id for memory in augmented.memories]
    assert trace.retrieved_memory_ids, "the trace names no memories; the task has some"
    assert trace.final_response == after.said, f"final_response is {trace.final_response!r}"


@after_block("001", 8)
def _both_runs_are_learned_from(after: Aftermath) -> None:
    fully_processed(after["trace"], "pass")
    fully_processed(after.reviewed(after["submission"].id), "pass")


@after_block("001", 9)
def _every_way_to_review_inline_works(after: Aftermath) -> None:
    assert after["answer"]("Sort the inbox") == after["response"]

    traces = after.stored()
    assert len(traces) == 3, f"{len(traces)} traces came in; each of the three ways stores one"
    for trace in traces:
        fully_processed(after.reviewed(trace.id), "pass")


@after_block("001", 10)
def _the_deferred_review_is_attached(after: Aftermath) -> None:
    ctx, trace = after["ctx"], after["trace"]

    assert after.printed == f"Trace submitted: {ctx.trace_id}\n", f"it printed {after.printed!r}"
    assert trace.id == ctx.trace_id
    fully_processed(trace, "fail")
    assert trace.review.feedback_text == "Summary missed the revenue decline in Q3"


@after_block("001", 11)
@after_block("002", 6)
def _lists_and_single_traces_are_fetched(after: Aftermath) -> None:
    pending, reviewed = after["pending"], after["reviewed"]

    assert pending, "there is a trace without a review"
    assert all(trace.review_status == "pending" for trace in pending)
    assert reviewed, "there are reviewed traces"
    for trace in reviewed:
        fully_processed(trace, trace.review.result)
    assert same_traces([*pending, *reviewed], after["all_traces"])
    assert after["trace"].id == after.stored_trace_id


@after_block("002", 1)
def _the_trace_is_stored_as_it_was_given(after: Aftermath) -> None:
    submission = after["submission"]
    trace = after.client.get_trace(submission.id)

    assert after.printed == f"{submission.id}\n{submission.ingest_status}\n", f"it printed {after.printed!r}"
    assert str(uuid.UUID(submission.id)) == submission.id
    assert submission.ingest_status == "completed", f"ingest_status is {submission.ingest_status!r}"
    assert trace.final_response == "Here are the top 5 rows: ...", f"it is {trace.final_response!r}"
    assert trace.retrieved_memory_ids == ["mem-abc", "mem-def"], f"they are {trace.retrieved_memory_ids}"
    assert trace.metadata == {"source": "cli", "run_id": "run-123"}, f"metadata is {trace.metadata}"
    assert trace.review_status == "pending", f"review_status is {trace.review_status!r}"


@after_block("002", 2)
def _a_success_is_a_pass(after: Aftermath) -> None:
    fully_processed(after.reviewed(after["submission"].id), "pass")


@after_block("002", 3)
def _a_failure_is_a_fail(after: Aftermath) -> None:
    assert after["submission"].ingest_status == "completed"
    fully_processed(after["trace"], "fail")


@after_block("002", 4)
@after_block("002", 5)
def _the_wait_ends_with_the_memory(after: Aftermath) -> None:
    fully_processed(after["trace"], "pass")


def fully_processed(trace: Trace, result: str) -> None:
    """The trace has its review, its memory, and nothing left to do."""
    assert trace.review_status == "reviewed", f"review_status is {trace.review_status!r}"
    assert trace.ingest_status == "completed", f"ingest_status is {trace.ingest_status!r}"
    assert trace.created_memory_id, "created_memory_id is not set"
    assert trace.review is not None, "no review is attached"
    assert trace.review.result == result, f"the result is {trace.review.result!r}"


def memories_are_written_below(task: str, augmented_task: str, memories: Sequence[Memory]) -> None:
    """The text for the prompt holds the task and the lesson of every memory."""
    assert memories, "no memory was retrieved; the task has some"
    assert all(isinstance(memory, Memory) for memory in memories)
    assert task in augmented_task and augmented_task != task, f"the task became {augmented_task!r}"
    # What could pass for the structure of the text is escaped in it.
    text = html.unescape(augmented_task)
    for memory in memories:
        assert memory.reflection in text, f"the lesson of {memory.id} is not in {augmented_task!r}"


def same_traces(some: Sequence[Trace], others: Sequence[Trace]) -> bool:
    """Whether both hold the same traces, in whatever order."""
    return sorted(trace.id for trace in some) == sorted(trace.id for trace in others)
