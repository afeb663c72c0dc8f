"""Converts spans of OpenAI Agents tracing to chat messages."""

from __future__ import annotations

from typing import Any

from reflect_sdk.capture._kinds import Answer, Request
from reflect_sdk.capture._response_calls import ResponseCalls
from reflect_sdk.capture._usage import with_usage
from reflect_sdk.converters._chat import chat_message
from reflect_sdk.converters._plain import as_text, is_list, read, read_text


def response_of(data: object) -> tuple[Request, Answer] | None:
    """A call of the Responses API; None if the span has no content."""
    response = read(data, "response")
    if response is None:
        return None
    calls = ResponseCalls()
    # The span has only part of the request: the instructions are in the response.
    sent = {
        "input": read(data, "input"),
        "instructions": read(response, "instructions"),
        "previous_response_id": read(response, "previous_response_id"),
        "conversation": read(response, "conversation"),
    }
    return calls.request(sent), calls.answer(response)


def generation_of(data: object) -> tuple[Request, Answer] | None:
    """A call of the chat API or another model; None if the span has no content."""
    asked, on_end = read(data, "input"), read(data, "output")
    if not is_list(asked) or not is_list(on_end):
        return None
    answers = [answer for message in on_end for answer in _answers_of(message)]
    model = read_text(data, "model")
    if model is not None:
        for answer in answers:
            answer["model"] = model
    with_usage(answers, data)
    return Request([chat_message(message) for message in asked]), Answer(answers)


def tool_of(data: object, error: object) -> tuple[dict[str, Any], object]:
    """The result of a tool, and its arguments."""
    message: dict[str, Any] = {"role": "tool", "name": read_text(data, "name") or "unknown"}
    message["content"] = as_text(read(data, "output"))
    if error is not None:
        said = read_text(read(error, "data"), "error") or read_text(error, "message")
        message["content"] = message["content"] or said or "failed"
        message["status"] = "error"
    return message, read(data, "input")


def guardrail_of(data: object) -> dict[str, Any]:
    """A guardrail that stopped the run."""
    name = read_text(data, "name") or "unnamed"
    return {"role": "system", "content": f"The guardrail {name} was triggered."}


def error_of(error: object) -> dict[str, Any]:
    """A failed model call."""
    said = {"type": read_text(error, "message") or "error", "message": as_text(read(error, "data"))}
    return {"role": "assistant", "content": "", "error": said}


def _answers_of(message: object) -> list[dict[str, Any]]:
    if is_list(read(message, "output")):
        # For a stream, this is a complete response instead of a message.
        return ResponseCalls().answer(message).messages
    return [chat_message(message)]
