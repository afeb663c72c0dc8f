"""The loop without a client: plain HTTP, batch reviews, and the receipt instead of memory ids."""

from __future__ import annotations

import time
from typing import Any
from uuid import uuid4

import httpx

from cases.newer import accepted
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

# One request waits as long as the server allows; the loop repeats it until this has passed.
ONE_WAIT_SECONDS = 45
PATIENCE_SECONDS = 600.0


def through_http(place: Place, progress: Progress) -> None:
    """The same story as through the client."""
    with place.project("loop-http") as http:
        go_round(http, place.text_model, progress)


def go_round(http: httpx.Client, model: str, progress: Progress) -> None:
    """A failed run, a search, a run that used what was found, and its review."""
    with progress.step("a failed run is sent, POST /traces"):
        failed = send_run(http, FAILED_TASK, FAILED_RUN)
    with progress.step("it is judged, and so is a run that does not exist, POST /reviews/batch"):
        verdict = {"result": "fail", "feedback_text": FEEDBACK}
        taken, refused = judge(http, {failed: verdict, str(uuid4()): verdict})
    assert taken["trace_id"] == failed and taken["review"]["result"] == "fail", f"answered {taken!r}"
    assert refused["error"]["code"], f"answered {refused!r}"
    with progress.step("the review becomes a memory, GET /traces/{id}?wait"):
        learned = wait_for_memory(http, failed)

    with progress.step("a similar task is augmented with it, POST /memory/augment"):
        augmented = augment(http, SIMILAR_TASK)
    assert [memory["id"] for memory in augmented["memories"]] == [learned], f"found {augmented['memories']!r}"
    text = augmented["augmented_task"]
    memory = augmented["memories"][0]
    assert text.startswith(SIMILAR_TASK) and memory["reflection"] in text, f"the text is {text!r}"
    assert text == f"{SIMILAR_TASK}\n\n{augmented['memory_block']}", f"the text is {text!r}"
    progress.memory(memory)
    check_lesson(memory, model=model, trace_id=failed, success=False)
    check_utility(memory, 0.5)

    with progress.step("an unrelated task stays as it is"):
        unrelated = augment(http, UNRELATED_TASK)
    assert unrelated["memories"] == [], f"found {unrelated['memories']!r}"
    assert unrelated["augmented_task"] == UNRELATED_TASK, f"the text is {unrelated['augmented_task']!r}"

    with progress.step("a run that was shown it is sent with the receipt of the search"):
        better = send_run(http, SIMILAR_TASK, BETTER_RUN, retrieval_id=augmented["retrieval_id"])
    with progress.step("it passes, POST /reviews/batch"):
        judge(http, {better: {"result": "pass"}})
    with progress.step("that review becomes a memory too"):
        second = wait_for_memory(http, better)

    with progress.step("the pass moved the first memory, POST /memory/query"):
        answer = http.post("/memory/query", json={"task": SIMILAR_TASK})
        found = accepted(answer)
    check_by_meaning(answer)
    moved, made = check_moved(http, learned, second)
    check_served(found, moved, made)
    progress.note(f"q_value 0.50 -> {moved['q_value']:.2f}")
    # A memory that joined the lesson of another one has its text.
    if made["lesson_id"] == made["id"]:
        check_lesson(made, model=model, trace_id=better, success=True)


def send_run(http: httpx.Client, task: str, trajectory: list[dict[str, Any]], **extra: Any) -> str:
    """Stores a run without a verdict."""
    made = accepted(http.post("/traces", json={"task": task, "trajectory": trajectory, **extra}))
    assert made["ingest_status"] == "completed", f"ingest_status is {made['ingest_status']!r}"
    return str(made["id"])


def judge(http: httpx.Client, verdicts: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Reviews many runs in one call; as many answers come back."""
    reviews = [{"trace_id": trace_id, **verdict} for trace_id, verdict in verdicts.items()]
    answer = accepted(http.post("/reviews/batch", json={"reviews": reviews}))
    results: list[dict[str, Any]] = answer["results"]
    assert len(results) == len(reviews), f"{len(results)} answers to {len(reviews)} reviews"
    return results


def wait_for_memory(http: httpx.Client, trace_id: str) -> str:
    """The id of the memory that a run's review becomes."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        trace = accepted(http.get(f"/traces/{trace_id}", params={"wait": ONE_WAIT_SECONDS}))
        assert trace["ingest_status"] != "failed", f"learning failed: {trace['last_ingest_error']}"
        if trace["created_memory_id"]:
            assert trace["review_status"] == "reviewed", f"review_status is {trace['review_status']!r}"
            return str(trace["created_memory_id"])
    raise AssertionError(f"there is no memory after {PATIENCE_SECONDS:g} s")


def augment(http: httpx.Client, task: str) -> dict[str, Any]:
    """The task with its memories."""
    answer = http.post("/memory/augment", json={"task": task})
    check_by_meaning(answer)
    augmented: dict[str, Any] = accepted(answer)
    assert augmented["degraded"] is False, "the server used keyword search"
    return augmented
