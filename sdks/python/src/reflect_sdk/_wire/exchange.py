"""One API call with retries, within the caller's timeout."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from reflect_sdk._wire import retry
from reflect_sdk._wire.api_errors import connection_error, status_error
from reflect_sdk._wire.http import Answer, Flow, Pause, Request, Unreachable
from reflect_sdk._wire.server_warnings import log_warning


@dataclass(frozen=True, slots=True)
class RequestPolicy:
    """Timeout and retries of a client."""

    base_url: str
    # Seconds for a call including retries.
    timeout: float
    max_retries: int
    clock: Callable[[], float] = time.monotonic

    def within(self, timeout: float, *, max_retries: int | None = None) -> RequestPolicy:
        """The same policy with a shorter timeout."""
        retries = self.max_retries if max_retries is None else max_retries
        return RequestPolicy(self.base_url, min(timeout, self.timeout), retries, self.clock)


def exchange(policy: RequestPolicy, request: Request, what: str, *, absent_ok: bool = False) -> Flow[Answer]:
    """Sends a request and returns the response, or raises the matching error.

    With `absent_ok` a 404 is returned instead of raised. The timeout of a call includes its retries.
    """
    deadline = policy.clock() + (policy.timeout if request.timeout is None else request.timeout)
    attempt = 0
    while True:
        left = max(0.001, deadline - policy.clock())
        outcome = yield from _sent(request, left)
        if isinstance(outcome, Answer):
            log_warning(outcome.headers)
        if isinstance(outcome, Answer) and (outcome.status // 100 == 2 or (absent_ok and outcome.status == 404)):
            return outcome
        attempt += 1
        if attempt <= policy.max_retries and retry.may_retry(request, outcome):
            wait = retry.wait_before(attempt, outcome)
            if policy.clock() + wait < deadline:
                yield Pause(wait)
                continue
        if isinstance(outcome, Answer):
            raise status_error(outcome, what, policy.base_url)
        raise connection_error(outcome, what, policy.base_url) from outcome


def _sent(request: Request, seconds: float) -> Flow[Answer | Unreachable]:
    try:
        answer = yield replace(request, timeout=seconds)
    except Unreachable as problem:
        return problem
    assert answer is not None  # the driver always sends the response of a request
    return answer
