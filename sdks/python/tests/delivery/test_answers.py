from __future__ import annotations

import json

import pytest

from reflect_sdk._delivery.answers import RecordOutcome, read
from reflect_sdk._delivery.backoff import Backoff, Health, pause_after
from reflect_sdk._delivery.post import BatchAnswer


def answer(status: int, body: object = None) -> BatchAnswer:
    return BatchAnswer(status, None, body if isinstance(body, bytes) else json.dumps(body).encode())


def error(code: str) -> dict[str, object]:
    return {"error": {"code": code, "message": "in words", "request_id": "r"}}


def test_each_run_is_answered_for_itself() -> None:
    results = [
        {"trace_id": "a"},
        error("unavailable"),
        error("conflict"),
        error("internal"),
        error("invalid_request"),
    ]
    reading = read(answer(200, {"results": results}), 5)
    assert list(reading.outcomes) == [
        RecordOutcome.ACCEPTED,
        RecordOutcome.RETRY,
        RecordOutcome.REJECTED,
        RecordOutcome.RETRY,
        RecordOutcome.REJECTED,
    ]
    assert reading.errors[2] == "conflict: in words"


@pytest.mark.parametrize(
    "body",
    [
        {"results": [{}]},
        {"results": {}},
        {"results": [None, None]},
        {"results": [{}, {"error": {}}]},
        {"results": [{"trace_id": "a"}, {"trace_id": 7}]},
        [],
        None,
        "ok",
        b"<html>sign in</html>",
        b"",
        b"\xff",
    ],
)
def test_a_response_from_another_server_accepts_and_rejects_nothing(body: object) -> None:
    reading = read(answer(200, body), 2)
    assert not reading.outcomes and not reading.split
    assert reading.health is Health.REFUSING and "proxy" in reading.message


def test_a_truncated_response_is_temporary() -> None:
    reading = read(answer(200, b'{"results": [{"trace_id": "a"'), 1)
    assert not reading.outcomes and reading.health is Health.BUSY


@pytest.mark.parametrize("status", [204, 302, 400, 401, 403, 404, 407, 422])
def test_a_page_of_a_proxy_never_rejects_a_run(status: int) -> None:
    reading = read(answer(status, b"<html>no</html>"), 1)
    assert not reading.outcomes and not reading.split and reading.health is Health.REFUSING
    assert "HTML" in reading.message


def test_a_size_limit_of_a_proxy_splits_the_batch_and_keeps_the_run() -> None:
    reading = read(answer(413, b"<html>too large</html>"), 1)
    assert reading.split and reading.foreign and reading.health is Health.BUSY


@pytest.mark.parametrize(
    ("status", "health", "split"),
    [
        (400, Health.GOOD, True),
        (413, Health.GOOD, True),
        (422, Health.GOOD, True),
        (401, Health.REFUSING, False),
        (403, Health.REFUSING, False),
        (404, Health.REFUSING, False),
        (405, Health.REFUSING, False),
        (302, Health.REFUSING, False),
        (408, Health.BUSY, False),
        (425, Health.BUSY, False),
        (429, Health.BUSY, False),
        (500, Health.BUSY, True),
        (502, Health.BUSY, False),
        (503, Health.BUSY, False),
        (504, Health.BUSY, False),
    ],
)
def test_the_whole_is_refused(status: int, health: Health, split: bool) -> None:
    reading = read(answer(status, error("why")), 3)
    assert not reading.outcomes
    assert (reading.health, reading.split) == (health, split)
    assert reading.message == f"{status} why: in words"


def test_pauses_grow_and_end() -> None:
    for failures, bound in ((0, 0.5), (1, 1.0), (2, 2.0), (4, 8.0), (50, 8.0), (100_000, 8.0)):
        pauses = [pause_after(failures) for _ in range(2000)]
        assert 0 <= min(pauses) < bound * 0.1
        assert bound * 0.9 < max(pauses) <= bound


def test_the_server_says_when_to_come_back() -> None:
    backoff = Backoff()
    backoff.record_failure(Health.BUSY, 100.0, 20.0)
    assert backoff.not_before == 120.0
    assert not backoff.unavailable
    backoff.record_failure(Health.BUSY, 100.0, 4000.0)
    assert backoff.not_before == 160.0
    backoff.record_failure(Health.REFUSING, 100.0)
    assert backoff.not_before == 130.0
    assert backoff.unavailable
    backoff.reset()
    assert backoff.not_before == 0.0
    assert not backoff.unavailable
