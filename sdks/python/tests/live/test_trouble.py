"""Server failures, a failing mask, and a broken loop: the agent continues, and a warning is logged."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import reflect_sdk
from reflect_sdk import ReflectClient, _health_monitor
from reflect_sdk._wire import recall

MESSAGES = [{"role": "assistant", "content": "done"}]


@pytest.fixture(autouse=True)
def nothing_known_to_be_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall, "_down_until", {})
    monkeypatch.setattr(recall, "_warned_at", {})


@pytest.fixture
def silent_server() -> Iterator[str]:
    """Takes connections and never answers: what no real part does on demand."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_a_silent_server_costs_a_deadline_and_then_nothing(silent_server: str, tmp_path: Path) -> None:
    client = ReflectClient(base_url=silent_server, api_key="k", spool=tmp_path, retrieval_timeout=0.3)
    began = time.monotonic()
    with client.trace("t") as ctx:
        assert ctx.degraded is not None and ctx.augmented_task == "t" and ctx.memories == []
        ctx.set_output(trajectory=MESSAGES)
    assert time.monotonic() - began < 5.0
    assert ctx.trace_id is not None
    began = time.monotonic()
    for _ in range(50):
        with client.trace("t") as ctx:
            ctx.set_output(trajectory=MESSAGES)
    assert time.monotonic() - began < 5.0, "every run waited for the same deadline"
    assert client.delivery.produced == 51


def test_a_server_that_is_not_there(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    client = ReflectClient(base_url="http://127.0.0.1:9", api_key="k", spool=tmp_path)
    with caplog.at_level(logging.WARNING, "reflect_sdk"):
        augmented = client.augment_with_memories("t")
    assert augmented.augmented_task == "t" and "cannot reach" in str(augmented.degraded)
    assert "continues without memories" in caplog.text
    with pytest.raises(reflect_sdk.APIConnectionError, match="Check that the server is running"):
        client.list_traces()
    with client.trace("t") as ctx:
        ctx.set_output(trajectory=MESSAGES)
    result = client.flush(timeout=0.5)
    assert (result.sent, result.spooled, result.dropped) == (0, 1, 0)


def test_the_trace_of_a_run_without_memories_says_why(settings: dict[str, Any]) -> None:
    client = ReflectClient(**settings, retrieval_timeout=0.0001)
    with client.trace("t") as ctx:
        ctx.set_output(trajectory=MESSAGES, metadata={"mine": 1})
    trace = client.get_trace(str(ctx.trace_id))
    assert trace.metadata["mine"] == 1 and trace.metadata["reflect"]["degraded"] == ctx.degraded
    assert str(ctx.degraded).startswith("no memories: ")


def test_a_wrong_key_stops_no_run_but_is_raised_by_explicit_calls(live: Any, tmp_path: Path) -> None:
    client = ReflectClient(base_url=live.base_url, api_key="rf_live_wrong", spool=tmp_path)
    with client.trace("t") as ctx:
        assert "not known" in str(ctx.degraded)
        ctx.set_output(trajectory=MESSAGES)
    for call in (client.augment_with_memories, client.query_memories):
        with pytest.raises(reflect_sdk.AuthenticationError, match="REFLECT_API_KEY"):
            call("t")


def test_a_failing_mask_lets_nothing_out(settings: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    def broken(text: str) -> str:
        if "sesame" in text:
            raise RuntimeError("cannot mask")
        return text

    client = ReflectClient(**settings, mask=broken)
    with client.trace("t") as ctx:
        ctx.set_output(trajectory=[{"role": "assistant", "content": "sesame"}])
    assert client.delivery.dropped == {"mask_failed": 1} and "The mask raised" in caplog.text
    assert client.flush().dropped == 1 and client.flush().dropped == 0
    with client.trace("sesame") as ctx:
        assert "The mask raised" in str(ctx.degraded)
        ctx.set_output(trajectory=MESSAGES)
    assert client.list_traces() == []


def test_a_mask_covers_the_wire_and_the_disk(settings: dict[str, Any], tmp_path: Path) -> None:
    away = ReflectClient(
        **{**settings, "base_url": "http://127.0.0.1:9"}, mask=lambda text: text.replace("sesame", "***")
    )
    with away.trace("open sesame") as ctx:
        assert ctx.augmented_task == "open sesame", "the agent itself sees its task as it is"
        ctx.set_output(trajectory=[{"role": "assistant", "content": "sesame"}], result="pass", feedback_text="sesame")
    written = b"".join(path.read_bytes() for path in (tmp_path / "spool").rglob("*") if path.is_file())
    assert ctx.trace_id is not None and ctx.trace_id.encode() in written and b"sesame" not in written
    client = ReflectClient(**settings, mask=lambda text: text.replace("sesame", "***"))
    assert client.augment_with_memories("open sesame").augmented_task.startswith("open sesame")
    made = client.create_trace(task="open sesame", trajectory=[{"role": "assistant", "content": "sesame"}])
    stored = client.get_trace(made.id)
    assert stored.task == "open ***" and stored.trajectory[0]["content"] == "***"


def test_what_is_broken_in_the_loop_is_said_once(
    settings: dict[str, Any], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_health_monitor, "_warned_at", [])
    client = ReflectClient(**settings)
    client.create_memory(task="Sort the letters", result="pass", guidance="By date.")
    with caplog.at_level(logging.WARNING, "reflect_sdk"):
        for _ in range(30):
            # Memories are asked for and not named: the server has to infer them.
            client._run(_query(client, "Sort the letters"))
            client.create_trace(task="Sort the letters", trajectory=MESSAGES, background=True)
        client.flush()
        for _ in range(10):
            client.create_trace(task="Sort the letters", trajectory=MESSAGES, background=True)
        client.flush()
        client.close()
    said = [record.message for record in caplog.records if "Loop health" in record.message]
    assert len(said) == 1 and "without credit" in said[0] and "Fix:" in said[0] and "\n" not in said[0], said


def _query(client: ReflectClient, task: str) -> Any:
    from reflect_sdk._wire import bodies, memories

    return memories.query(client._api, bodies.query(task=task, limit=1, lambda_=0.5))
