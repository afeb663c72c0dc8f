from __future__ import annotations

import json

import pytest

from reflect_sdk._delivery.answers import Fate, read
from reflect_sdk._delivery.post import BatchAnswer
from reflect_sdk._delivery.trouble import Health, Trouble, pause_after


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
    assert list(reading.fates) == [Fate.ARRIVED, Fate.AGAIN, Fate.REJECTED, Fate.AGAIN, Fate.REJECTED]
    assert reading.words[2] == "conflict: in words"


@pytest.mark.parametrize("body", [{"results": [{}]}, {"results": {}}, [], b"<html>sign in</html>", b"", b"\xff"])
def test_an_answer_of_somebody_else_settles_nothing(body: object) -> None:
    reading = read(answer(200, body), 2)
    assert not reading.fates
    assert reading.health is Health.BUSY


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
    assert not reading.fates
    assert (reading.health, reading.split) == (health, split)
    assert reading.message == f"{status} why: in words"


def test_pauses_grow_and_end() -> None:
    for failures, bound in ((0, 0.5), (1, 1.0), (2, 2.0), (4, 8.0), (50, 8.0), (100_000, 8.0)):
        pauses = [pause_after(failures) for _ in range(2000)]
        assert 0 <= min(pauses) < bound * 0.1
        assert bound * 0.9 < max(pauses) <= bound


def test_the_server_says_when_to_come_back() -> None:
    trouble = Trouble()
    trouble.failed(Health.BUSY, 100.0, 20.0)
    assert trouble.not_before == 120.0
    assert not trouble.hopeless
    trouble.failed(Health.BUSY, 100.0, 4000.0)
    assert trouble.not_before == 160.0
    trouble.failed(Health.REFUSING, 100.0)
    assert trouble.not_before == 130.0
    assert trouble.hopeless
    trouble.over()
    assert trouble.not_before == 0.0
    assert not trouble.hopeless
