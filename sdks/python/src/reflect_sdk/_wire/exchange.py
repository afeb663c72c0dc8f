"""One call: send, and send again where that may help, within the caller's time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from reflect_sdk._wire import retry
from reflect_sdk._wire.http import Answer, Flow, Pause, Request, Unreachable
from reflect_sdk._wire.refusal import no_connection, refusal


@dataclass(frozen=True, slots=True)
class Manners:
    """How patient a client is."""

    base_url: str
    # Seconds for a call with all its repeats.
    timeout: float
    max_retries: int
    clock: Callable[[], float] = time.monotonic

    def within(self, timeout: float, *, max_retries: int | None = None) -> Manners:
        """The same with less time."""
        retries = self.max_retries if max_retries is None else max_retries
        return Manners(self.base_url, min(timeout, self.timeout), retries, self.clock)


def exchange(manners: Manners, request: Request, what: str, *, absent_ok: bool = False) -> Flow[Answer]:
    """The answer to a request, or the error as which it is raised.

    With `absent_ok` a 404 is an answer too. The time of a call covers its repeats, so a caller never waits
    longer than they said.
    """
    deadline = manners.clock() + (manners.timeout if request.timeout is None else request.timeout)
    attempt = 0
    while True:
        left = max(0.001, deadline - manners.clock())
        outcome = yield from _sent(request, left)
        if isinstance(outcome, Answer) and (outcome.status // 100 == 2 or (absent_ok and outcome.status == 404)):
            return outcome
        attempt += 1
        if attempt <= manners.max_retries and retry.may_retry(request, outcome):
            wait = retry.wait_before(attempt, outcome)
            if manners.clock() + wait < deadline:
                yield Pause(wait)
                continue
        if isinstance(outcome, Answer):
            raise refusal(outcome, what)
        raise no_connection(outcome, what, manners.base_url) from outcome


def _sent(request: Request, seconds: float) -> Flow[Answer | Unreachable]:
    timed = Request(
        request.method,
        request.path,
        request.body,
        request.headers,
        seconds,
        request.repeatable,
        request.authorized,
    )
    try:
        answer = yield timed
    except Unreachable as problem:
        return problem
    assert answer is not None  # a request is always sent its answer
    return answer
