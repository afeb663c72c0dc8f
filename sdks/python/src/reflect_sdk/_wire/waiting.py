"""Waiting until a trace is processed."""

from __future__ import annotations

from collections.abc import Callable

from reflect_sdk._wire.http import Flow, Pause, Request
from reflect_sdk._wire.project_api import ProjectApi
from reflect_sdk.errors import (
    APIConnectionError,
    APIStatusError,
    IngestFailedError,
    NotFoundError,
    WaitTimeoutError,
)
from reflect_sdk.models import Trace

# The long-poll time of one request in seconds; the server allows up to 50.
LONG_POLL = 20.0
# How long an unknown trace may be missing, because another process may still be sending it.
UNKNOWN_TRACE_TIMEOUT = 5.0


def wait_for(
    api: ProjectApi,
    trace_id: str,
    *,
    require_reviewed: bool,
    poll_interval: float,
    wait_timeout: float,
    is_queued: Callable[[], bool] = lambda: False,
) -> Flow[Trace]:
    """Waits until the trace is stored and, with `require_reviewed`, until its review is processed.

    Uses long polling, so a wait needs few requests; at least `poll_interval` passes between two of them.
    `is_queued` returns whether this process still has the trace in its queue: then the trace may be missing until
    `wait_timeout`.
    """
    clock = api.policy.clock
    began = clock()
    deadline = began + wait_timeout
    known = False
    while True:
        left = deadline - clock()
        # Without a review, wait only for the trace itself.
        patience = LONG_POLL if known else UNKNOWN_TRACE_TIMEOUT
        try:
            trace = yield from _asked(api, trace_id, left, min(left, patience) if require_reviewed or known else 0)
        except NotFoundError:
            if clock() - began >= min(UNKNOWN_TRACE_TIMEOUT, wait_timeout) and not is_queued():
                raise
            last = "the server does not have it"
        except (APIConnectionError, APIStatusError) as problem:
            # A restart of the server does not end the wait. A client error does.
            if isinstance(problem, APIStatusError) and problem.status_code < 500 and problem.status_code != 429:
                raise
            last = problem.message
        else:
            known = True
            if trace.ingest_status == "failed":
                raise IngestFailedError(
                    trace.last_ingest_error or f"Learning from the review of trace {trace_id} failed."
                )
            if not require_reviewed or (trace.review_status == "reviewed" and trace.created_memory_id):
                return trace
            last = f"review_status is {trace.review_status}, ingest_status is {trace.ingest_status}"
            if trace.last_ingest_error:
                last += f", and the last attempt failed with: {trace.last_ingest_error}"
        left = deadline - clock()
        if left <= 0:
            raise WaitTimeoutError(
                f"{api.call}: trace {trace_id} was not processed after {wait_timeout:g} s: {last.rstrip('.')}."
            )
        yield Pause(min(poll_interval, left))


def _asked(api: ProjectApi, trace_id: str, left: float, wait: float) -> Flow[Trace]:
    # The server counts whole seconds. The request timeout is slightly longer, to receive the last long-poll response.
    path = api.path("traces", trace_id, wait=int(wait) or None)
    request = Request("GET", path, timeout=max(0.0, left) + 0.5)
    answer = yield from api.send(request)
    return api.read(answer, Trace.from_dict)
