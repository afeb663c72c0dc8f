"""Converts arguments of LangChain callbacks to chat messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reflect_sdk.capture._kinds import Answer
from reflect_sdk.capture._usage import usage_of
from reflect_sdk.converters._langchain import langchain_message
from reflect_sdk.converters._plain import as_text, is_list, is_mapping, read, read_text

_SAYING = frozenset({"content", "tool_calls", "reasoning", "refusal"})
# LangGraph raises these to interrupt or redirect a graph; they are not errors.
_STOPS = frozenset({"GraphBubbleUp", "GraphInterrupt"})


def asked_of(batches: Sequence[Sequence[Any]]) -> list[list[dict[str, Any]]]:
    """The conversations in a model request."""
    return [[langchain_message(message) for message in batch] for batch in batches]


def answers_of(result: object) -> list[Answer]:
    """The answer of the model to each conversation."""
    model = _model_of(read(result, "llm_output"))
    generations = read(result, "generations")
    return [_answer(batch, model) for batch in generations] if is_list(generations) else []


def partial_answers(result: object) -> list[Answer]:
    """The same for a call that failed: at least one answer, which may be empty."""
    answers: list[Answer] = []
    for answer in answers_of(result) or [Answer([])]:
        begun = [message for message in answer.messages if _SAYING & {key for key in message if message[key]}]
        answers.append(answer._replace(messages=[{**message, "incomplete": True} for message in begun]))
    return answers


def tool_results(output: object, name: str, identity: str | None) -> list[dict[str, Any]]:
    """The result of a tool: a value, a message, or a graph update with messages."""
    updated = _in_update(output)
    if updated:
        return updated
    outputs: Sequence[object] = output if is_list(output) and output else (output,)
    if all(_is_tool_message(entry) for entry in outputs):
        return [_of_message(entry, name) for entry in outputs]
    return [_result(name, identity, as_text(output))]


def failed_tool(error: BaseException, name: str, identity: str | None) -> dict[str, Any] | None:
    """A tool that raised an exception; None if it only interrupted its graph."""
    if any(kind.__name__ in _STOPS for kind in type(error).__mro__):
        return None
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return {**_result(name, identity, said), "status": "error"}


def _answer(batch: object, model: str | None) -> Answer:
    messages: list[dict[str, Any]] = []
    identity = None
    for generation in batch if is_list(batch) else ():
        message = read(generation, "message")
        if message is None:
            kept: dict[str, Any] = {"role": "assistant", "content": as_text(read(generation, "text"))}
        else:
            kept = langchain_message(message)
            identity = read_text(read(message, "response_metadata"), "id")
            usage = usage_of(read(message, "usage_metadata"))
            if usage is not None:
                kept["usage"] = usage
        if model is not None:
            kept.setdefault("model", model)
        messages.append(kept)
    return Answer(messages, identity, parallel=len(messages) > 1)


def _model_of(output: object) -> str | None:
    return read_text(output, "model_name") or read_text(output, "model")


def _is_tool_message(value: object) -> bool:
    return read_text(value, "type") == "tool" and read(value, "tool_call_id") is not None


def _of_message(message: object, name: str) -> dict[str, Any]:
    kept = langchain_message(message)
    kept.setdefault("name", name)
    return kept


def _in_update(output: object) -> list[dict[str, Any]]:
    update = read(output, "update")
    messages = read(update, "messages") if is_mapping(update) else update
    if not is_list(messages):
        return []
    return [langchain_message(message) for message in messages if _is_tool_message(message)]


def _result(name: str, identity: str | None, content: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identity or "", "name": name, "content": content}
