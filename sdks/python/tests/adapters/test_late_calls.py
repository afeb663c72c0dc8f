"""Calls whose answers come from other threads, late and in any order."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from adapters_support.traces import trace

from reflect_sdk import AsyncReflectClient, ReflectClient
from reflect_sdk.capture import _late_calls
from reflect_sdk.capture._kinds import Answer
from reflect_sdk.capture._late_calls import LateCalls
from reflect_sdk.capture._recorder import recorder_of
from reflect_sdk.tracing.context import TraceContext


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def texts(ctx: TraceContext) -> list[str]:
    return [message["content"] for message in ctx.captured]


@pytest.fixture(autouse=True)
def answered_before() -> Iterator[None]:
    before, LateCalls._answered_once = LateCalls._answered_once, True
    yield
    LateCalls._answered_once = before


def test_answers_in_any_order_are_noted_in_the_order_of_their_calls() -> None:
    with trace() as ctx:
        calls = LateCalls(recorder_of(ctx), "test")
        calls.begin("1", [user("a")], awaited=False, streamed=False)
        calls.begin("2", [user("a"), said("b"), user("c")], awaited=False, streamed=False)
        calls.end("2", Answer([said("d")]))
        assert texts(ctx) == []
        calls.end("1", Answer([said("b")]))
        assert texts(ctx) == ["a", "b", "c", "d"]
        # LiteLLM reports some calls twice.
        calls.end("2", Answer([said("d")]))
        assert texts(ctx) == ["a", "b", "c", "d"]


def test_the_end_of_a_block_waits_for_an_answer(tmp_path: Path) -> None:
    client = ReflectClient(base_url="http://127.0.0.1:9", api_key="k", spool=tmp_path)
    release = threading.Event()
    with client.trace("t") as run:
        calls = LateCalls(recorder_of(run), "test")
        calls.begin("1", [user("a")], awaited=False, streamed=False)
        answering = threading.Thread(target=lambda: (release.wait(), calls.end("1", Answer([said("b")]))))
        answering.start()
        threading.Timer(0.2, release.set).start()
    answering.join()
    assert texts(run) == ["a", "b"]


def test_an_asynchronous_block_lets_its_event_loop_report(tmp_path: Path) -> None:
    async def main() -> TraceContext:
        client = AsyncReflectClient(base_url="http://127.0.0.1:9", api_key="k", spool=tmp_path)
        async with client.trace("t") as run:
            calls = LateCalls(recorder_of(run), "test")
            calls.begin("1", [user("a")], awaited=True, streamed=False)
            asyncio.get_running_loop().call_later(0.2, calls.end, "1", Answer([said("b")]))
        return run

    assert texts(asyncio.run(main())) == ["a", "b"]


def test_a_stream_without_an_end_delays_a_block_only_briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_late_calls, "STREAM_SECONDS", 0.1)
    with trace() as ctx:
        calls = LateCalls(recorder_of(ctx), "test")
        calls.begin("1", [user("a")], awaited=False, streamed=True)
        began = time.monotonic()
        calls.settle(30.0)
        assert time.monotonic() - began < 5.0
    assert texts(ctx) == ["a"]


def test_a_block_that_stops_its_event_loop_does_not_wait_for_it() -> None:
    async def main() -> TraceContext:
        with trace() as ctx:
            calls = LateCalls(recorder_of(ctx), "test")
            calls.begin("1", [user("a")], awaited=True, streamed=False)
            began = time.monotonic()
            calls.settle(30.0)
            assert time.monotonic() - began < 5.0
            return ctx

    assert texts(asyncio.run(main())) == ["a"]


def test_a_fault_while_waiting_does_not_lose_the_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def fault(seconds: float) -> None:
        raise RuntimeError("ours")

    client = ReflectClient(base_url="http://127.0.0.1:9", api_key="k", spool=tmp_path)
    with client.trace("t") as run:
        recorder_of(run).before_end(fault)
        run.step("user", "a")
    assert run.trace_id is not None
    assert "Waiting for recordings failed" in caplog.text
