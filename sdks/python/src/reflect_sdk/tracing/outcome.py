"""Converts the return value of a decorated function to the output of its run."""

from __future__ import annotations

import logging
from typing import Any

from reflect_sdk._type_guards import is_list, is_object
from reflect_sdk._wire.encode import encode
from reflect_sdk.tracing.context import TraceContext
from reflect_sdk.tracing.result import TraceResult

_log = logging.getLogger("reflect_sdk")
_hinted: set[str] = set()


def keep_outcome(context: TraceContext, returned: Any) -> Any:
    """Sets the output of the run, and returns the value for the caller."""
    if isinstance(returned, TraceResult):
        output = returned.output
        response = returned.final_response
        if response is None and isinstance(output, str) and not _answered(returned.trajectory):
            response = output
        context.set_output(
            trajectory=returned.trajectory,
            final_response=response,
            result=returned.result,
            feedback_text=returned.feedback_text,
            model=returned.model,
            metadata=returned.metadata,
            alpha=returned.alpha,
            reference_context=returned.reference_context,
            used_memory_ids=returned.used_memory_ids,
            keys=returned.keys,
        )
        return output
    if context._output is not None or returned is None:  # pyright: ignore[reportPrivateUsage]
        return returned
    text = returned if isinstance(returned, str) else _text(returned)
    trajectory = context.captured or [{"role": "assistant", "content": text}]
    context.set_output(trajectory=trajectory, final_response=text)
    return returned


def _answered(trajectory: object) -> bool:
    """Whether the messages contain an answer; the server uses the last one as the response."""
    return is_list(trajectory) and any(
        is_object(message) and message.get("role") == "assistant" and message.get("content") for message in trajectory
    )


def keep_chunks(context: TraceContext, chunks: list[Any], returned: Any) -> Any:
    """The same for a generator: the yielded values are the response, unless it returned a value or set an output."""
    if returned is None and all(isinstance(chunk, str) for chunk in chunks):
        if chunks:
            keep_outcome(context, "".join(chunks))
        return None
    return keep_outcome(context, chunks if returned is None else returned)


def _text(returned: Any) -> str:
    kind = type(returned).__name__
    if kind not in _hinted:
        _hinted.add(kind)
        _log.warning(
            "A decorated function returned a %s, which is stored as JSON text. Return a TraceResult to set the "
            "trajectory and the result. This message is logged once.",
            kind,
        )
    return encode(returned).decode()
