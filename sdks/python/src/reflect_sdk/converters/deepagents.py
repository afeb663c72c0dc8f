"""Converts runs of Deep Agents, LangGraph and LangChain to trajectories."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeGuard

from reflect_sdk.converters._langchain import is_pair, langchain_message
from reflect_sdk.converters._plain import is_list, is_mapping, read


def from_deepagents(messages: Any) -> list[dict[str, Any]]:
    """Converts a run of Deep Agents, or of any other graph or chain with LangChain messages, to a trajectory.

    Content blocks become text, with reasoning in a separate field. Tool calls (also with invalid JSON arguments) and
    the status of tool results are kept. Plain dicts are not changed.

    Args:
        messages: The list of messages, or the state that `agent.invoke` returned, with the key "messages".

    Returns:
        Messages for `create_trace(trajectory=...)`, always JSON-compatible.

    Example:
        state = agent.invoke({"messages": [{"role": "user", "content": ctx.augmented_task}]})
        ctx.set_output(trajectory=from_deepagents(state), result="pass")
    """
    return [langchain_message(message) for message in _listed(messages)]


def _listed(messages: object) -> Iterable[object]:
    if messages is None:
        return ()
    # A state, or an object with a state as its `value`.
    for holder in (messages, read(messages, "value")):
        inside = read(holder, "messages")
        if is_list(inside):
            return inside
    # A Pydantic object is iterable over its fields, but is one message.
    if is_pair(messages) or callable(read(messages, "model_dump")) or is_mapping(messages):
        return (messages,)
    return messages if _is_many(messages) else (messages,)


def _is_many(messages: object) -> TypeGuard[Iterable[object]]:
    return isinstance(messages, Iterable) and not isinstance(messages, str)
