"""The memories of the current run, for adapters that can add them to a request."""

from __future__ import annotations

from reflect_sdk.converters._plain import is_list, is_mapping, plain
from reflect_sdk.tracing.context import TraceContext
from reflect_sdk.tracing.current import current_trace


def memories_for(request: object, context: TraceContext | None = None) -> str:
    """The memories of a run, by default of the current one, as text; empty if there are none.

    Also empty if the request has them already, because the application passed `run.augmented_task` or
    `run.memory_block` to its agent.
    """
    context = context or current_trace()
    block = "" if context is None else context.memory_block.strip()
    return block if block and not contains(plain(request), block) else ""


def contains(value: object, text: str) -> bool:
    """Whether any string in the data contains the text."""
    if isinstance(value, str):
        return text in value
    if is_mapping(value):
        return any(contains(entry, text) for entry in value.values())
    return is_list(value) and any(contains(entry, text) for entry in value)
