"""Runs of an imaginary agent, and the memories that come of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reflect_sdk import Memory, ReflectClient

from cases.setting import Setting

# Utilities are compared with this slack, since a server may keep them in single precision.
SLACK = 1e-4

Message = dict[str, Any]


def messages(task: str, answer: str = "Done.") -> list[Message]:
    """The smallest trajectory: a question and its answer."""
    return [{"role": "user", "content": task}, {"role": "assistant", "content": answer}]


def remember(
    here: Setting,
    client: ReflectClient,
    task: str,
    result: str = "pass",
    *,
    used: Sequence[str] = (),
    metadata: dict[str, Any] | None = None,
) -> str:
    """Reviews a run of the task inline and returns the id of the memory it left."""
    trace = client.create_trace_and_wait(
        task=task,
        trajectory=messages(task),
        retrieved_memory_ids=used,
        metadata=metadata,
        review_result=result,
        feedback_text="The header row was counted as data." if result == "fail" else None,
        wait_timeout=here.patience,
    )
    assert trace.created_memory_id, "a reviewed trace came back without created_memory_id"
    return trace.created_memory_id


def recall(client: ReflectClient, task: str, memory_id: str) -> Memory:
    """The memory as a query for its own task returns it."""
    found = client.query_memories(task, limit=20, lambda_=0.0)
    for memory in found:
        if memory.id == memory_id:
            return memory
    raise AssertionError(f"a query for {task!r} returned {len(found)} memories, not {memory_id}")


def expect_utility(client: ReflectClient, task: str, memory_id: str, expected: float) -> None:
    """Fails unless the memory's q_value is the expected one."""
    found = recall(client, task, memory_id).q_value
    assert abs(found - expected) < SLACK, f"q_value is {found}, expected {expected}"
