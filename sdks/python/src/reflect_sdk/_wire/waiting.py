"""Waiting until a trace is processed."""

from __future__ import annotations

from collections.abc import Callable

from reflect_sdk._wire.exchange import exchange
from reflect_sdk._wire.http import Flow, Pause, Request
from reflect_sdk._wire.place import Place
from reflect_sdk.errors import (
    APIConnectionError,
    APIStatusError,
    IngestFailedError,
    NotFoundError,
    WaitTimeoutError,
)
from reflect_sdk.models import Trace

# How long one request lets the server wait for us; it allows 50.
LONG_POLL = 20.0
# A trace that nobody has heard of may be on its way from another process, but not for long.
UNKNOWN_FOR = 5.0


def wait_for(
    place: Place,
    trace_id: str,
    *,
    require_reviewed: bool,
    poll_interval: float,
    wait_timeout: float,
    on_its_way: Callable[[], bool] = lambda: False,
) -> Flow[Trace]:
    """The trace, once it is there, and reviewed if that is asked for.

    The server is asked to answer only when the trace is settled, so a wait costs few requests; between two of
    them at least `poll_interval` passes. `on_its_way` says that this process still holds the trace: then it may
    be missing for as long as the caller is patient.
    """
    clock = place.manners.clock
    began = clock()
    deadline = began + wait_timeout
    known = False
    while True:
        left = deadline - clock()
        # Without a review there is nothing to wait for but the trace itself.
        patience = LONG_POLL if known else UNKNOWN_FOR
        try:
            trace = yield from _asked(place, trace_id, left, min(left, patience) if require_reviewed or known else 0)
        except NotFoundError:
            if clock() - began >= min(UNKNOWN_FOR, wait_timeout) and not on_its_way():
                raise
            last = "the server does not know it"
        except (APIConnectionError, APIStatusError) as problem:
            # A server that is restarted does not end a wait. A refusal does.
            if isinstance(problem, APIStatusError) and problem.status_code < 500 and problem.status_code != 429:
                raise
            last = problem.message
        else:
            known = True
            if trace.ingest_status == "failed":
                raise IngestFailedError(trace.last_ingest_error or f"The review of trace {trace_id} failed.")
            if not require_reviewed or (trace.review_status == "reviewed" and trace.created_memory_id):
                return trace
            last = f"review_status is {trace.review_status}, ingest_status is {trace.ingest_status}"
            if trace.last_ingest_error:
                last += f", and the last attempt ended with: {trace.last_ingest_error}"
        left = deadline - clock()
        if left <= 0:
            raise WaitTimeoutError(f"Trace {trace_id} was not done after {wait_timeout:g} s: {last.rstrip('.')}.")
        yield Pause(min(poll_interval, left))


def _asked(place: Place, trace_id: str, left: float, wait: float) -> Flow[Trace]:
    # The server counts in whole seconds. A little more than is left, so that its answer to the last question counts.
    path = place.path("traces", trace_id, wait=int(wait) or None)
    request = Request("GET", path, timeout=max(0.0, left) + 0.5)
    answer = yield from exchange(place.manners, request, "wait_for_trace")
    return Trace.from_dict(answer.json())
