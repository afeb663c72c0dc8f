"""Stores runs without a result, reviews them later in one call, and shows the memories.

This is the workflow of a team whose runs are judged by people: agents run all day, a reviewer reviews the pending
runs, and only then does the project learn. Here the reviewer is the function `judge`, which compares each answer with
a policy; the agent's answers are fixed.

    pip install reflect-memory-client
    export REFLECT_API_KEY=rf_live_... REFLECT_PROJECT_ID=my-project
    python deferred_bulk_review.py
"""

from __future__ import annotations

import uuid
from typing import Any

from reflect_sdk import ReflectClient, Trace

ANSWERS = {
    "Refund order 1182, which arrived broken": "Refunded 24.00 to the card that paid for it.",
    "Refund order 1190, bought 80 days ago": "Refunded 310.00 to the card that paid for it.",
    "Change the address of order 1201 before it ships": "The address is changed.",
    "Cancel order 1177, which has shipped": "The order is cancelled.",
    "Send the invoice of order 1150 again": "The invoice is on its way to the customer.",
}


def run_the_agent(client: ReflectClient, shift: str) -> None:
    """Stores one run per task without a result."""
    for task, answer in ANSWERS.items():
        with client.trace(task, metadata={"shift": shift}) as run:
            run.step("user", run.augmented_task)
            run.step("assistant", answer)


def judge(trace: Trace) -> dict[str, Any]:
    """The review of one run: an entry for `review_traces`."""
    if "80 days" in trace.task:
        wrong = "Orders older than 60 days are not refunded. Offer store credit instead."
    elif "has shipped" in trace.task:
        wrong = "What has shipped cannot be cancelled. Send a return label instead."
    else:
        return {"trace_id": trace.id, "result": "pass"}
    return {"trace_id": trace.id, "result": "fail", "feedback_text": wrong}


def main() -> None:
    """Stores the runs, reviews all of them, and prints the memories."""
    shift = uuid.uuid4().hex
    with ReflectClient() as client:
        run_the_agent(client, shift)
        # A read sends queued runs first, so the pending list includes the runs from above.
        pending = [
            trace for trace in client.iter_traces(review_status="pending") if trace.metadata.get("shift") == shift
        ]
        print(f"Pending: {len(pending)} runs")

        outcomes = client.review_traces([judge(trace) for trace in pending])
        taken = [outcome for outcome in outcomes if not outcome.error]
        print(f"Reviewed: {len(taken)}, refused: {len(outcomes) - len(taken)}")

        # The call above does not wait for memories. Wait for each trace to read its memory.
        for outcome in taken:
            trace = client.wait_for_trace(outcome.trace_id, require_reviewed=True)
            result = trace.review.result if trace.review else "?"
            print(f"  {result}  memory {trace.created_memory_id}  {trace.task}")

        task = "Refund order 1260, bought three months ago"
        print(f"What the next run is told about: {task}")
        for memory in client.query_memories(task, limit=2, metadata_filter={"shift": shift}):
            print(f"  {memory.similarity:.2f}  {memory.reflection.splitlines()[0]}")


if __name__ == "__main__":
    main()
