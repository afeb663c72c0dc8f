"""The expected effect of each Python block of the README: one check per block, by heading.

A check gets the names that the blocks defined so far, and the output of this block.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

Names: TypeAlias = dict[str, Any]
Promise: TypeAlias = Callable[[Names, str], None]

PROMISES: dict[str, Promise] = {}

WAYS, LOST = "Three ways to record a run", "What happens when the server is slow or away"


def of_block(name: str) -> Callable[[Promise], Promise]:
    """Registers the check of one block."""

    def enter(promise: Promise) -> Promise:
        PROMISES[name] = promise
        return promise

    return enter


@of_block("reflect-memory-client")
def _a_block_is_stored(names: Names, printed: str) -> None:
    trace = learned(names, names["run"].trace_id)
    assert trace.task == "Refund order 1182, which arrived broken"
    assert trace.final_response == names["answer"] and trace.review.result == "pass"


@of_block(WAYS)
def _steps_are_the_trajectory(names: Names, printed: str) -> None:
    trace = names["client"].get_trace(names["run"].trace_id)
    assert [message["role"] for message in trace.trajectory] == ["user", "assistant", "tool", "assistant"]
    # The block waited for it.
    assert trace.created_memory_id and trace.review.result == "fail"


@of_block(f"{WAYS} 2")
def _a_decorated_call_is_stored(names: Names, printed: str) -> None:
    assert printed.strip() == names["my_agent"]("")
    newest = next(names["client"].iter_traces())
    assert newest.task == "Where is order 1190?" and newest.final_response == printed.strip()


@of_block(f"{WAYS} 3")
def _a_call_waits_for_the_memory(names: Names, printed: str) -> None:
    trace, augmented = names["trace"], names["augmented"]
    assert printed.strip() == trace.created_memory_id and trace.review_status == "reviewed"
    assert augmented.memories and trace.retrieved_memory_ids == augmented.memory_ids


@of_block(f"{WAYS} 4")
def _a_marked_step_is_learned(names: Names, printed: str) -> None:
    trace = names["client"].get_trace(names["run"].trace_id)
    assert trace.trajectory[0]["reflect_step"]["action"] == "ask the neighbours"
    memory = names["client"].get_memory(trace.created_memory_id)
    assert (memory.task, memory.correct_action) == (names["state"], "ask the neighbours")


@of_block("Reviews")
def _a_run_is_reviewed_later(names: Names, printed: str) -> None:
    assert printed.split() == ["reviewed", names["reviewed"].created_memory_id]
    assert names["reviewed"].review.mode == "deferred"


@of_block("Reviews 2")
def _many_are_reviewed_at_once(names: Names, printed: str) -> None:
    assert names["run"].trace_id in [trace.id for trace in names["pending"]]
    assert printed.strip() == str([None] * len(names["pending"]))
    assert learned(names, names["run"].trace_id).review.result == "pass"


@of_block("Signals")
def _a_signal_finds_its_run(names: Names, printed: str) -> None:
    assert printed.strip() == "matched True"
    trace = names["client"].get_trace(names["run"].trace_id)
    assert trace.keys == {"commit": "4f2a9c1", "pull_request": "118"}


@of_block("Memories")
def _a_memory_is_edited_and_deleted(names: Names, printed: str) -> None:
    assert printed.strip() == "2 deleted"
    stored = names["client"].get_memory(names["memory"].id)
    assert stored.status == "deleted" and stored.guidance == "Use a plain envelope." and len(stored.versions) == 2


@of_block("Asynchronous code")
def _awaited_runs_arrive(names: Names, printed: str) -> None:
    assert printed.startswith("FlushResult(sent=") and "pending=0, spooled=0, dropped=0" in printed
    assert any(trace.task == "Find a train to Oslo" for trace in names["client"].iter_traces())


@of_block(LOST)
def _everything_has_arrived(names: Names, printed: str) -> None:
    delivered, produced = names["delivered"], names["client"].delivery.produced
    assert (delivered.pending, delivered.spooled, delivered.dropped) == (0, 0, 0)
    assert printed.splitlines()[1] == f"{produced} {{}}" and produced >= 6


@of_block("Masking")
def _the_server_never_saw_it(names: Names, printed: str) -> None:
    assert printed.strip() == "Answer [email]"
    assert "ada@" not in str(names["careful"].get_trace(names["run"].trace_id).to_dict())


@of_block("Capturing model calls")
def _the_call_is_the_trajectory(names: Names, printed: str) -> None:
    assert printed.strip() == "['user', 'assistant']"
    trace = names["client"].get_trace(names["run"].trace_id)
    asked, answered = trace.trajectory
    assert asked["content"] == names["run"].augmented_task
    # Not what it says: the model is a very small one, and its answer may be empty.
    assert (trace.final_response or "").split() == (answered["content"] or "").split()


@of_block("Errors")
def _what_is_not_there_is_not_found(names: Names, printed: str) -> None:
    assert printed.startswith("404 not_found get_trace: 404 no such trace")


@of_block("Is it learning?")
def _the_project_has_learned(names: Names, printed: str) -> None:
    assert names["health"].status in ("ok", "unknown", "warning"), f"loop health says {names['health']}"
    assert "photo of the damage" in printed, "the lesson of an earlier block is not retrieved"
    assert names["guide"].version == 1 and str(names["guide"])[:60] in printed


def learned(names: Names, trace_id: str) -> Any:
    """Waits until the review of the trace has become a memory."""
    return names["client"].wait_for_trace(trace_id, require_reviewed=True)
