"""What is written into a trace when conversations grow, repeat themselves and run side by side."""

from __future__ import annotations

import threading
from typing import Any

from adapters_support.traces import trace

from reflect_sdk.capture import _recorder
from reflect_sdk.capture._kinds import Answer, Request
from reflect_sdk.capture._recorder import recorder_of


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def said(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def texts(captured: list[dict[str, Any]]) -> list[str]:
    return [message["content"] for message in captured]


def test_a_server_that_gives_every_answer_the_same_id_loses_none() -> None:
    with trace() as ctx:
        recorder = recorder_of(ctx)
        recorder.exchange(Request([user("a")]), Answer([said("1")], "same"), source="one")
        recorder.exchange(Request([user("b")]), Answer([said("2")], "same"), source="one")
        recorder.exchange(Request([user("c")]), Answer([said("3")], "same"), source="other")
        # And this is the last one again, seen by another adapter.
        recorder.exchange(Request([user("c")]), Answer([said("3")], "same"), source="one")
    assert texts(ctx.captured) == ["a", "1", "b", "2", "c", "3"]


def test_conversations_that_grow_in_turns_are_each_noted_once() -> None:
    with trace() as ctx:
        recorder = recorder_of(ctx)
        conversations: list[list[dict[str, Any]]] = [[user(f"{name}?")] for name in "abc"]
        for step in range(4):
            for name, conversation in zip("abc", conversations, strict=True):
                answer = said(f"{name}{step}")
                recorder.exchange(Request(list(conversation)), Answer([answer]), source="")
                conversation += [answer, user(f"{name}{step}?")]
    kept = texts(ctx.captured)
    assert len(kept) == len(set(kept)) == 3 * (4 + 4)


def test_results_of_tools_are_noted_once_although_ids_come_again() -> None:
    call = {"id": "call_0", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    with trace() as ctx:
        recorder = recorder_of(ctx)
        conversation = [user("go")]
        for step in range(3):
            asked = {"role": "assistant", "content": "", "tool_calls": [call]}
            recorder.exchange(Request(list(conversation)), Answer([asked]), source="")
            result = {"role": "tool", "tool_call_id": "call_0", "name": "f", "content": f"result {step}"}
            recorder.tool_result(result, None)
            # What goes back to the model is worded differently.
            conversation += [asked, {**result, "content": f"The tool gave: result {step}"}]
    assert texts(ctx.captured) == ["go", "", "result 0", "", "result 1", "", "result 2"]


def test_the_memory_of_a_long_run_is_bounded(monkeypatch: Any) -> None:
    monkeypatch.setattr(_recorder, "MOST_ANSWERS", 3)
    monkeypatch.setattr(_recorder, "MOST_CONVERSATIONS", 3)
    with trace() as ctx:
        recorder = recorder_of(ctx)
        for number in range(10):
            recorder.exchange(Request([user(f"{number}?")]), Answer([said(str(number))], f"id{number}"), source="")
        recorder.exchange(Request([user("on")], "id9"), Answer([said("end")], "last"), source="")
    assert len(recorder._by_answer) == len(recorder._sources) == len(recorder._conversations) == 3
    assert texts(ctx.captured)[-4:] == ["9?", "9", "on", "end"]


def test_threads_in_one_trace_lose_nothing_and_repeat_nothing() -> None:
    with trace() as ctx:
        recorder = recorder_of(ctx)

        def run(name: int) -> None:
            conversation = [user(f"{name} begins")]
            for step in range(20):
                answer = said(f"{name} says {step}")
                recorder.exchange(Request(list(conversation)), Answer([answer], f"{name}-{step}"), source="")
                conversation += [answer, user(f"{name} asks {step}")]

        threads = [threading.Thread(target=run, args=(name,)) for name in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    kept = texts(ctx.captured)
    assert len(kept) == len(set(kept)) == 8 * 40
    for name in range(8):
        mine = [text for text in kept if text.startswith(f"{name} says")]
        assert mine == [f"{name} says {step}" for step in range(20)]
