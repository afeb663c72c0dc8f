"""Messages and events of frameworks that are not installed here, in the form of their objects.

`just frameworks` runs the frameworks themselves; these are cases that their agents do not reach.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from types import SimpleNamespace as Made
from typing import Any

import pytest
from adapters_support import wire
from adapters_support.traces import trace

from reflect_sdk.capture._claude_messages import ClaudeAnswer, end_of, user_messages
from reflect_sdk.capture._crewai_events import CrewEvents, request_of
from reflect_sdk.capture._genai_contents import Contents
from reflect_sdk.capture._pydantic_ai_messages import answer_of
from reflect_sdk.capture._pydantic_ai_messages import request_of as pydantic_request
from reflect_sdk.capture._recorder import recorder_of
from reflect_sdk.capture._usage import usage_of

PICTURE = {"kind": "image-url", "url": "https://a/b.png"}
CALL = wire.call("weather", {"city": "Paris"})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, None),
        ({"input_tokens": 0, "output_tokens": 0}, None),
        ({"prompt_tokens": 3, "completion_tokens": 2}, {"input_tokens": 3, "output_tokens": 2}),
        (
            {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}},
            {"input_tokens": 9, "output_tokens": 2, "cached_tokens": 4},
        ),
        (
            {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 1},
            {"input_tokens": 10, "output_tokens": 2, "cached_tokens": 4},
        ),
        # LiteLLM has the names of both.
        (
            {"prompt_tokens": 9, "completion_tokens": 2, "cache_read_input_tokens": 4},
            {"input_tokens": 9, "output_tokens": 2},
        ),
        (
            Made(
                prompt_token_count=7, candidates_token_count=2, thoughts_token_count=5, cached_content_token_count=3
            ),
            {"input_tokens": 7, "output_tokens": 7, "cached_tokens": 3},
        ),
    ],
)
def test_token_counts_of_all_providers(given: object, expected: Any) -> None:
    assert usage_of(given) == expected


def test_parts_of_one_answer_of_claude_become_one_message() -> None:
    answer = ClaudeAnswer(Made(message_id="m1", model="claude", content=[Made(thinking="hm")]))
    assert answer.goes_on(Made(message_id="m1")) and not answer.goes_on(Made(message_id="m2"))
    answer.add(Made(content=[Made(text="Let me see.")]))
    answer.add(Made(content=[Made(id="call_1", name="weather", input={"city": "Paris"})]))
    assert answer.message() == {
        "role": "assistant",
        "content": "Let me see.",
        "model": "claude",
        "reasoning": "hm",
        "tool_calls": [CALL],
    }


def test_an_error_of_claude_is_noted_once() -> None:
    synthetic = ClaudeAnswer(Made(content=[Made(text="API Error")], model="<synthetic>", error="server_error"))
    assert synthetic.failed
    assert synthetic.message()["error"] == {"type": "server_error", "message": "API Error"}
    limit = Made(is_error=True, subtype="error_max_turns", result=None, errors=["too many turns"], usage=None)
    assert end_of(limit) == (None, {"type": "error_max_turns", "message": "too many turns"})
    plain = Made(is_error=True, subtype="success", result="no", errors=None, usage={"input_tokens": 1})
    assert end_of(plain) == ({"input_tokens": 1, "output_tokens": 0}, {"type": "error", "message": "no"})


def test_results_and_texts_of_a_user_message_of_claude() -> None:
    result = Made(tool_use_id="call_1", content=[{"type": "text", "text": "rain"}], is_error=True)
    assert user_messages(Made(content=[result, Made(text="go on")])) == [
        {"role": "tool", "tool_call_id": "call_1", "content": "rain", "status": "error"},
        {"role": "user", "content": "go on"},
    ]
    assert user_messages(Made(content="hello")) == [{"role": "user", "content": "hello"}]


def event(kind: str, second: int, **fields: Any) -> Made:
    at = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=second)
    return Made(type=kind, timestamp=at, **fields)


def test_events_of_crewai_in_any_order_are_noted_in_their_order() -> None:
    asked = [{"role": "user", "content": "Weather?", "cache_breakpoint": True}]
    # What the framework's serialization makes of a call in a request.
    repeated = {**CALL, "function": {"name": "'weather'", "arguments": '\'{"city": "Paris"}\''}}
    result = {"role": "tool", "tool_call_id": "call_1", "name": "weather", "content": "rain"}
    again = [*asked, {"role": "assistant", "content": None, "tool_calls": [repeated]}, result]
    events = [
        event("llm_call_failed", 7, call_id="3", error="out of order"),
        event("tool_usage_finished", 3, tool_name="weather", tool_args={"city": "Paris"}, output="rain"),
        event("llm_call_completed", 5, call_id="2", response="It rains.", messages=[]),
        event("llm_call_started", 6, call_id="3", messages=[{"role": "user", "content": "And now?"}]),
        event("llm_call_started", 4, call_id="2", messages=again),
        event("llm_call_completed", 2, call_id="1", response=[CALL], messages=[], agent_role="Helper "),
        event("llm_call_started", 1, call_id="1", messages=asked),
        event("tool_usage_error", 8, tool_name="broken", tool_args="{}", error=ValueError("no")),
    ]
    flushed: list[float] = []
    with trace() as ctx:
        made = CrewEvents(recorder_of(ctx), flushed.append)
        for one in events:
            made.add(one)
        made.settle(2.0)
        made.settle(2.0)
    assert flushed == [2.0, 2.0]
    assert ctx.captured == [
        {"role": "user", "content": "Weather?"},
        {"role": "assistant", "content": "", "tool_calls": [CALL], "agent": "Helper"},
        {"role": "tool", "name": "weather", "content": "rain", "tool_call_id": "call_1"},
        {"role": "assistant", "content": "It rains."},
        {"role": "user", "content": "And now?"},
        {"role": "assistant", "content": "", "error": {"type": "error", "message": "out of order"}},
        {"role": "assistant", "content": "", "tool_calls": [wire.call("broken", {}, "")]},
        {"role": "tool", "name": "broken", "content": "no", "status": "error"},
    ]


def test_requests_of_crewai_for_the_responses_api() -> None:
    items = [{"role": "user", "content": "Weather?"}, wire.call_item("weather", {"city": "Paris"})]
    items.append({"type": "function_call_output", "call_id": "call_1", "output": "rain"})
    assert [message["role"] for message in request_of(items)] == ["user", "assistant", "tool"]
    assert request_of("Weather?") == [{"role": "user", "content": "Weather?"}]


def part(**fields: Any) -> Made:
    return Made(**fields)


def test_calls_without_ids_get_the_same_id_in_every_request() -> None:
    called = Made(role="model", parts=[part(function_call=Made(name="weather", args={"city": "Paris"}))])
    given = part(function_response=Made(id="adk-1", name="weather", response={"result": "rain"}))
    asked = Made(role="user", parts=[part(text="Weather?")])
    for _ in range(2):
        found = Contents("helper").messages([asked, called, Made(role="user", parts=[given]), called])
        assert found[1]["tool_calls"][0]["id"] == found[2]["tool_call_id"] == "helper-1"
        assert found[3]["tool_calls"][0]["id"] == "helper-2"
        assert found[2]["content"] == "rain"


def test_thoughts_and_files_of_gemini_are_kept() -> None:
    parts = [
        part(text="hm", thought=True),
        part(text="A cat."),
        {"inline_data": {"mime_type": "image/png", "data": "QUJD" * 1000}, "thought_signature": "x"},
        {"text": ""},
    ]
    (found,) = Contents("helper").messages([{"role": "model", "parts": parts}])
    assert found["reasoning"] == "hm"
    text, picture = found["content"]
    assert text["text"] == "A cat." and "base64 left out" in picture["inline_data"]["data"]
    assert "thought_signature" not in picture


def test_messages_of_pydantic_ai() -> None:
    prompt = part(part_kind="user-prompt", content=["What is it?", PICTURE])
    retried = part(part_kind="tool-return", tool_name="weather", tool_call_id="1", content="no", outcome="retried")
    feedback = part(part_kind="retry-feedback", content="Try again.")
    silent = part(part_kind="instruction-digest", content="x")
    response = Made(
        kind="response",
        model_name="m",
        finish_reason="length",
        usage=Made(input_tokens=1, output_tokens=2),
        parts=[
            part(part_kind="thinking", content="hm"),
            part(part_kind="text", content="A cat."),
            part(part_kind="tool-call", tool_name="weather", tool_call_id="call_1", args={"city": "Paris"}),
        ],
    )
    assert answer_of(response) == [
        {
            "role": "assistant",
            "content": "A cat.",
            "reasoning": "hm",
            "tool_calls": [CALL],
            "model": "m",
            "finish_reason": "length",
            "usage": {"input_tokens": 1, "output_tokens": 2},
        }
    ]
    parameters = Made(instruction_parts=[part(content="Be brief."), part(content="Be kind.")])
    history = [
        Made(kind="request", parts=[prompt, silent]),
        response,
        Made(kind="request", parts=[retried, feedback]),
    ]
    found = pydantic_request(Made(model_request_parameters=parameters, messages=history))
    assert [message["role"] for message in found] == ["system", "user", "assistant", "tool", "user"]
    assert found[0]["content"] == "Be brief.\n\nBe kind."
    assert found[1]["content"][1] == {"type": "image-url", **PICTURE}
    assert found[3]["status"] == "error"
