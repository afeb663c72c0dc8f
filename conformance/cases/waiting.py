"""Waiting for a trace, items 31 to 34: what the client's polling depends on."""

from __future__ import annotations

import time

from cases.registry import case
from cases.runs import messages
from cases.setting import Setting

TASK = "Reconcile the invoices of last week"


@case(31, "create_trace_and_wait with a pass returns a reviewed trace with its memory")
def wait_for_review(here: Setting) -> None:
    trace = here.client().create_trace_and_wait(
        task=TASK, trajectory=messages(TASK), review_result="pass", wait_timeout=here.patience
    )

    assert trace.review_status == "reviewed", f"review_status is {trace.review_status!r}"
    assert trace.created_memory_id, "created_memory_id is not set"
    assert trace.review is not None, "review is null"
    assert trace.review.result == "pass", f"the result is {trace.review.result!r}"
    assert trace.review.trace_id == trace.id
    assert trace.review.mode == "inline", f"the mode is {trace.review.mode!r}"
    assert trace.ingest_status == "completed", f"ingest_status is {trace.ingest_status!r}"


@case(32, "`reviewed` is never visible while created_memory_id is null")
def reviewed_with_memory(here: Setting) -> None:
    client = here.client()
    waiting = {
        client.create_trace(task=f"{TASK} {n}", trajectory=messages(TASK), review_result="pass").id
        for n in range(8)
    }
    deadline = time.monotonic() + here.patience
    # Without a pause, to detect a state between two commits.
    while waiting and time.monotonic() < deadline:
        for trace_id in sorted(waiting):
            trace = client.get_trace(trace_id)
            if trace.review_status == "reviewed":
                assert trace.created_memory_id, "reviewed was visible before the memory was"
                waiting.discard(trace_id)
    assert not waiting, f"{len(waiting)} of 8 traces were never reviewed"


@case(33, "A failing provider leaves `failed` and a readable error, which the client raises")
def provider_fails(here: Setting) -> None:
    client = here.client()
    made = client.create_trace(
        task=f"{TASK} {here.failing_task}", trajectory=messages(TASK), review_result="fail"
    )
    try:
        client.wait_for_trace(made.id, require_reviewed=True, wait_timeout=here.patience)
    except RuntimeError as error:
        raised = str(error)
    else:
        raise AssertionError("the client returned a trace although the provider failed")

    trace = client.get_trace(made.id)
    assert trace.ingest_status == "failed", f"ingest_status is {trace.ingest_status!r}"
    assert trace.last_ingest_error and trace.last_ingest_error.strip()
    assert raised == trace.last_ingest_error, f"raised {raised!r}, stored {trace.last_ingest_error!r}"
    assert trace.ingest_attempts >= 1, f"ingest_attempts is {trace.ingest_attempts}"


@case(34, "create_trace_and_wait without a review returns a pending trace, review null")
def wait_without_review(here: Setting) -> None:
    trace = here.client().create_trace_and_wait(task=TASK, trajectory=messages(TASK), wait_timeout=10.0)

    assert trace.task == TASK
    assert trace.review_status == "pending", f"review_status is {trace.review_status!r}"
    assert trace.review is None, f"review is {trace.review!r}"
    assert trace.created_memory_id is None
    assert trace.ingest_status == "completed", f"ingest_status is {trace.ingest_status!r}"
