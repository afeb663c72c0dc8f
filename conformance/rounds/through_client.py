"""The loop with the unmodified published client."""

from __future__ import annotations

import time
from typing import Any

from reflect_sdk import ReflectClient, Trace

from cases.wire import recorded
from rounds.checks import check_by_meaning, check_lesson, check_moved, check_served, check_utility
from rounds.place import Place
from rounds.progress import Progress
from rounds.story import (
    BETTER_RUN,
    FAILED_RUN,
    FAILED_TASK,
    FEEDBACK,
    SIMILAR_TASK,
    UNRELATED_TASK,
)

# Long enough for the server's own timeout of the model, which then is the reported error.
PATIENCE_SECONDS = 600.0


def through_client(place: Place, progress: Progress) -> None:
    """A failed run, a search, a run that used what was found, and its review."""
    client = ReflectClient(base_url=place.base_url, api_key=place.key, project_id="loop-client")

    with progress.step("a failed run with feedback becomes a memory"):
        failed = client.create_trace_and_wait(
            task=FAILED_TASK,
            trajectory=FAILED_RUN,
            review_result="fail",
            feedback_text=FEEDBACK,
            wait_timeout=PATIENCE_SECONDS,
        )
    assert failed.created_memory_id, "the trace is reviewed and has no created_memory_id"
    learned = failed.created_memory_id

    with progress.step("a similar task retrieves it"):
        found = query(client, SIMILAR_TASK)
    assert [memory["id"] for memory in found] == [learned], f"found {[memory['id'] for memory in found]}"
    progress.memory(found[0])
    check_lesson(found[0], model=place.text_model, trace_id=failed.id, success=False)
    check_utility(found[0], 0.5)

    with progress.step("an unrelated task does not"):
        unrelated = query(client, UNRELATED_TASK)
    assert unrelated == [], f"found {len(unrelated)}, at a similarity of {unrelated[0]['similarity']}"

    with progress.step("a run is shown it and is sent without a verdict"), client.trace(SIMILAR_TASK) as run:
        assert run.memory_ids == [learned], f"the run was shown {run.memory_ids}"
        assert learned in run.augmented_task, "the augmented task does not hold the memory"
        run.set_output(trajectory=BETTER_RUN)
    assert run.trace_id, "the run was not sent"

    reviewed = review(client, run.trace_id, progress)
    assert reviewed.created_memory_id, (
        f"the deferred review ended {reviewed.ingest_status!r} without created_memory_id: "
        f"{reviewed.last_ingest_error!r}"
    )
    assert reviewed.review_status == "reviewed", f"review_status is {reviewed.review_status!r}"
    verdict = reviewed.review
    assert verdict is not None and verdict.mode == "deferred", f"review is {verdict!r}"
    progress.note(f"created_memory_id {reviewed.created_memory_id}")

    with progress.step("the pass moved the first memory"):
        found = query(client, SIMILAR_TASK)
    with place.project("loop-client") as http:
        moved, second = check_moved(http, learned, reviewed.created_memory_id)
    check_served(found, moved, second)
    progress.note(f"q_value 0.50 -> {moved['q_value']:.2f}")
    progress.memory(found[0])
    # A memory that joined the lesson of another one has its text.
    if second["lesson_id"] == second["id"]:
        check_lesson(second, model=place.text_model, trace_id=reviewed.id, success=True)


def review(client: ReflectClient, trace_id: str, progress: Progress) -> Trace:
    """Reviews a run as a pass. The server answers after at most 50 s; sending it again continues to wait."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    with progress.step("its deferred review, a pass, returns with a memory of its own"):
        answer = client.review_trace(trace_id, result="pass")
    while answer.ingest_status in ("queued", "processing") and time.monotonic() < deadline:
        with progress.step("the model was not done in that time; the same review is sent again"):
            answer = client.review_trace(trace_id, result="pass")
    return answer


def query(client: ReflectClient, task: str) -> list[dict[str, Any]]:
    """The server's raw response to the client's query: the client omits the origin of a lesson."""
    with recorded() as seen:
        through = client.query_memories(task)
    check_by_meaning(seen[0])
    found: list[dict[str, Any]] = seen[0].json()
    assert [memory.id for memory in through] == [memory["id"] for memory in found]
    return found
