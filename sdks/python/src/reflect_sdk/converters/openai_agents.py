"""Converts runs of the OpenAI Agents SDK to trajectories."""

from __future__ import annotations

from typing import Any

from reflect_sdk.converters._items import Items
from reflect_sdk.converters._plain import as_text, fields, is_list, read, read_text


def from_openai_agents(result: Any) -> list[dict[str, Any]]:
    """Converts a run of the package `openai-agents` to a trajectory.

    All events of the run are kept: messages, readable reasoning, function calls and calls of provider tools (web
    search, file search, code interpreter, computer, MCP) with their results, handoffs and refusals. Assistant
    messages have the name of their agent.

    Args:
        result: The return value of `Runner.run`, `Runner.run_sync` or `Runner.run_streamed`; an exception that ended
            such a run; or a list of input items, such as `result.to_input_list()`.

    Returns:
        Messages for `create_trace(trajectory=...)`, always JSON-compatible.

    Example:
        result = await Runner.run(agent, ctx.augmented_task)
        ctx.set_output(trajectory=from_openai_agents(result), final_response=str(result.final_output))
    """
    if isinstance(result, BaseException):
        return [*from_openai_agents(read(result, "run_data")), _ended_by(result)]
    items = Items()
    happened = read(result, "new_items")
    if is_list(happened):
        items.extend(read(result, "input"))
        for item in happened:
            _add(items, item)
    else:
        items.extend(_input_list(result))
    messages = items.messages()
    answer = read(result, "final_output")
    if answer is not None and not (messages and _is_answer(messages[-1])):
        # The final output is a tool result, or is not among the items.
        messages.append({"role": "assistant", "content": as_text(answer)})
    return [fields(message) for message in messages]


def _add(items: Items, item: object) -> None:
    kind, raw = read_text(item, "type"), read(item, "raw_item")
    if raw is None:
        items.add(item)
        return
    identity = read_text(raw, "call_id") or read_text(raw, "id")
    if kind == "tool_approval_item" and identity is not None and items.has_call(identity):
        # The call is already recorded.
        items.mark_last(approval="pending")
        return
    items.add(raw, **_marks(item))
    if kind == "handoff_output_item":
        source, target = read(item, "source_agent"), read(item, "target_agent")
        items.mark_last(handoff={"from": read_text(source, "name"), "to": read_text(target, "name")})


def _marks(item: object) -> dict[str, Any]:
    agent = read(item, "agent")
    marks = {"agent": read_text(agent, "name"), "model": read_text(agent, "model")}
    return {name: mark for name, mark in marks.items() if mark is not None}


def _input_list(result: object) -> object:
    listed = read(result, "to_input_list")
    if not callable(listed):
        return result
    try:
        return listed()
    except Exception:
        # Not iterable: keep it as plain data.
        return read(result, "input")


def _ended_by(error: BaseException) -> dict[str, Any]:
    refusal = read_text(error, "refusal")
    if refusal is not None:
        return {"role": "assistant", "content": refusal, "refusal": refusal}
    said = {"type": type(error).__name__, "message": as_text(_words(error))}
    return {"role": "assistant", "content": "", "error": said}


def _words(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:
        return ""


def _is_answer(message: dict[str, Any]) -> bool:
    return message["role"] == "assistant" and bool(message["content"])
