"""Warnings about the learning loop: in the logger, at most one a day, with advice that follows from the figures."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reflect_sdk import HealthCheck, _health_monitor
from reflect_sdk._delivery import Destination
from reflect_sdk._health_advice import advice_for
from reflect_sdk._wire.http import Answer

SOURCES = Path(__file__).resolve().parents[2] / "src"


def empty(**numbers: object) -> str:
    return advice_for(HealthCheck("always_empty", numbers={"empty": 40, "retrievals": 50, **numbers}, fix="server's"))


def test_a_lower_threshold_is_advised_only_if_it_helps() -> None:
    assert "similarity_threshold=0.25 " in empty(near_miss=0.29)
    assert "similarity_threshold=0.2 " in empty(near_miss=0.2)
    far = empty(near_miss=0.12)
    assert "similarity of only 0.12" in far and "similarity_threshold=" not in far and "same task text" in far


def test_the_advice_follows_from_the_cause() -> None:
    assert "max_tokens" in empty(without_room=30, near_miss=0.3)
    assert "embedding model" in empty(degraded=30, near_miss=0.3)
    assert "metadata_filter" in empty() and "metadata_filter" in empty(near_miss=None, degraded="many")
    assert advice_for(HealthCheck("duplicates", fix="server's")) == "server's"


class FakeOutbox:
    def counters(self) -> Any:
        return type("Counters", (), {"sent": 100})()


def monitor(answer: Answer, monkeypatch: pytest.MonkeyPatch, now: list[float]) -> Any:
    monkeypatch.setattr(_health_monitor.time, "monotonic", lambda: now[0])
    found = _health_monitor._HealthMonitor(FakeOutbox())  # type: ignore[arg-type]
    monkeypatch.setattr(found, "_send", lambda *_: answer)
    return found


def answered(body: object) -> Answer:
    return Answer(200, {}, body if isinstance(body, bytes) else json.dumps(body).encode())


CHECKS = [
    {
        "check": "always_empty",
        "level": "failing",
        "message": "Memories are not found.",
        "numbers": {"near_miss": 0.1},
    },
    {"check": "duplicates", "level": "warning", "message": "There are duplicates.", "fix": "Merge them."},
    {"check": "credit_lost", "level": "ok", "message": "fine"},
]


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the monitor logged. Background threads of other tests may log at the same time."""
    return [record.getMessage() for record in caplog.records if record.name == "reflect_sdk.health"]


def test_one_line_a_day_for_the_whole_process(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = [1_000_000.0]
    monkeypatch.setattr(_health_monitor, "_warned_at", [])
    first = monitor(answered({"status": "failing", "checks": CHECKS}), monkeypatch, now)
    second = monitor(answered({"status": "failing", "checks": CHECKS}), monkeypatch, now)
    with caplog.at_level(logging.WARNING, "reflect_sdk"):
        for hour in range(23):
            now[0] = 1_000_000.0 + 3601 * hour
            first.after_batch(Destination("http://a", "p", "k"))
            second.after_batch(Destination("http://a", "q", "k"))
        assert len(warnings(caplog)) == 1
        now[0] += 3 * 3600
        first.after_batch(Destination("http://a", "p", "k"))
    said, _ = warnings(caplog)
    assert said.startswith("Loop health of project 'p': Memories are not found. Fix: ") and "\n" not in said
    assert said.endswith("Also: duplicates; see client.loop_health().")


@pytest.mark.parametrize("body", [b"<html>", b"", [], None, {}, {"status": 1}, {"status": "ok", "checks": [None]}])
def test_a_page_of_a_proxy_is_no_health(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, body: object
) -> None:
    monkeypatch.setattr(_health_monitor, "_warned_at", [])
    monitor(answered(body), monkeypatch, [0.0]).after_batch(Destination("http://a", "p", "k"))
    assert not warnings(caplog)


def test_nothing_is_printed_by_a_program_without_logging() -> None:
    program = "from reflect_sdk import _health_monitor; _health_monitor._log.warning('Loop health')"
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": str(SOURCES)}, capture_output=True, text=True, check=True
    )
    assert done.stdout == done.stderr == ""
