"""Waiting for a trace: what ends it, and what does not."""

from __future__ import annotations

from typing import Any

import pytest
from flows import Script, answer, refused

from reflect_sdk import errors
from reflect_sdk._wire.http import Unreachable
from reflect_sdk._wire.project_api import ProjectApi
from reflect_sdk._wire.waiting import wait_for
from reflect_sdk.models import Trace

QUEUED = {"id": "t", "review_status": "pending", "ingest_status": "queued"}
DONE = {"id": "t", "review_status": "reviewed", "ingest_status": "completed", "created_memory_id": "m"}


def wait(script: Script, *, reviewed: bool = True, timeout: float = 60.0, held: bool = False) -> Trace:
    api = ProjectApi("p", script.policy())
    return script.drive(
        wait_for(
            api,
            "t",
            require_reviewed=reviewed,
            poll_interval=0.25,
            wait_timeout=timeout,
            is_queued=lambda: held,
        )
    )


def test_without_a_review_the_first_sight_is_enough() -> None:
    script = Script([answer(body=QUEUED)])
    assert wait(script, reviewed=False).id == "t" and script.asked[0].path == "/v1/projects/p/traces/t"


def test_with_a_review_it_waits_for_the_memory() -> None:
    early: dict[str, Any] = {**DONE, "created_memory_id": None}
    script = Script([answer(body=QUEUED), answer(body=early), answer(body=DONE)])
    assert wait(script).created_memory_id == "m"
    assert [request.path.partition("?")[2] for request in script.asked] == ["wait=5", "wait=20", "wait=20"]


def test_failed_is_a_runtime_error_with_the_servers_words() -> None:
    failed = {**QUEUED, "ingest_status": "failed", "last_ingest_error": "the key is not known there"}
    with pytest.raises(RuntimeError, match="the key is not known there"):
        wait(Script([answer(body=failed)]))


def test_too_late_is_a_timeout_error_that_says_how_far_it_came() -> None:
    busy = {**QUEUED, "last_ingest_error": "the provider is busy"}
    script = Script([answer(body=busy)] * 1000, takes=1.0)
    with pytest.raises(TimeoutError, match=r"ingest_status is queued.*the provider is busy"):
        wait(script, timeout=10.0)
    assert script.clock.now <= 10.6


def test_a_mistyped_id_does_not_burn_the_whole_time() -> None:
    script = Script([refused(404, "not_found")] * 100, takes=1.0)
    with pytest.raises(errors.NotFoundError):
        wait(script, timeout=60.0)
    assert script.clock.now < 10.0


def test_a_run_that_is_still_here_may_be_missing_there() -> None:
    script = Script([refused(404, "not_found")] * 20 + [answer(body=DONE)], takes=1.0)
    assert wait(script, held=True).id == "t"


def test_a_server_that_restarts_does_not_end_the_wait() -> None:
    down = Unreachable("refused", sent=False, timed_out=False)
    script = Script([down] * 9 + [refused(503)] * 3 + [answer(body=DONE)])
    assert wait(script).id == "t"


def test_a_refusal_does() -> None:
    with pytest.raises(errors.AuthenticationError):
        wait(Script([refused(401)]))
