"""Builds the trace when a block ends. Blocks and decorators of all kinds use these rules.

| The block ends | The trace |
|---|---|
| normally | as set by `set_output` |
| with an exception, after `set_output` | fail, with the exception's text as feedback |
| with an exception, before it, with messages captured | the same |
| with an exception, without output or messages | pending: there is nothing to judge |
| by Ctrl-C, exit, cancellation or a closed generator | pending and marked as interrupted: there is no result |
| with an error about the use of this package | pending: it says nothing about the agent |

A result that was set before an interruption or such an error is not sent, because the run was not complete. It is
logged, and kept in the metadata of the trace.
"""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import Mapping
from typing import Any

from reflect_sdk._type_guards import is_object
from reflect_sdk._wire import bodies
from reflect_sdk.errors import InvalidArgumentError, RunEndedError
from reflect_sdk.tracing.context import Output, TraceContext

_log = logging.getLogger("reflect_sdk")

INTERRUPTIONS = (KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError)
# The maximum length of the feedback of a run that raised an exception.
MAX_FEEDBACK = 2000
# Mistakes in the use of this package. They must not become a lesson for the agent.
USAGE_ERRORS = (InvalidArgumentError, RunEndedError)
_REVIEW_LATER = "If it is right, call client.review_trace(ctx.trace_id, result=...)."


def trace_of(
    context: TraceContext,
    error: BaseException | None,
    *,
    auto_fail: bool,
    metadata: Mapping[str, Any] | None = None,
) -> dict[str, Any] | None:
    """The body of the run's trace; None if there is nothing to store."""
    output, captured = context._output, context.captured  # pyright: ignore[reportPrivateUsage]
    trajectory = captured if output is None or output.trajectory is None else output.trajectory
    if error is None and output is None and not captured:
        return None
    given = output or Output()
    result, feedback, alpha = given.result, given.feedback_text, given.alpha
    discarded: str | None = None
    if isinstance(error, INTERRUPTIONS) or (auto_fail and isinstance(error, USAGE_ERRORS)):
        discarded, result, feedback, alpha = result, None, None, None
    elif error is not None and auto_fail and (trajectory or output is not None):
        result, feedback = "fail", _feedback(error, given.feedback_text)
    if discarded is not None:
        name = type(error).__name__
        _log.warning("The run ended with %s, so its result %r is not sent. %s", name, discarded, _REVIEW_LATER)
    if not trajectory:
        trajectory = [{"role": "user", "content": context.augmented_task}]
    usage = _usage_of(captured)
    return bodies.trace(
        trace_id=context._closing_id(),  # pyright: ignore[reportPrivateUsage]
        task=given.task or context.task,
        trajectory=trajectory,
        final_response=given.final_response,
        retrieved_memory_ids=context.retrieved_memory_ids,
        model=given.model or _model_of(captured),
        metadata={
            **({} if usage is None else {"usage": usage}),
            **(metadata or {}),
            **given.metadata,
            **_marks(context, error, discarded),
        },
        review=None if result is None else bodies.review(result, feedback, alpha),
        reference_context=given.reference_context,
        retrieval_id=context.retrieval_id,
        used_memory_ids=given.used_memory_ids,
        keys=given.keys,
    )


def _feedback(error: BaseException, given: str | None) -> str:
    """The exception's message, or its class name if it has none, appended to existing feedback."""
    message = (str(error) or type(error).__name__)[:MAX_FEEDBACK]
    return f"{given}\n{message}" if given else message


def _model_of(captured: list[dict[str, Any]]) -> str | None:
    """The model of the last captured answer."""
    for message in reversed(captured):
        model = message.get("model")
        if isinstance(model, str) and model:
            return model
    return None


def _usage_of(captured: list[dict[str, Any]]) -> dict[str, int] | None:
    """The sum of the token counts of the captured answers; None if no answer has any."""
    total: dict[str, int] = {}
    for message in captured:
        usage = message.get("usage")
        for name, count in usage.items() if is_object(usage) else ():
            if isinstance(count, int):
                total[name] = total.get(name, 0) + count
    return total or None


def _marks(context: TraceContext, error: BaseException | None, discarded: str | None) -> dict[str, Any]:
    """Metadata about how the run ended, under the key `reflect`, separate from the user's metadata."""
    marks: dict[str, Any] = {}
    if context.degraded is not None and context.retrieval_id is None:
        # With a receipt, the server already has this information.
        marks["degraded"] = context.degraded
    if context._parent_id is not None:  # pyright: ignore[reportPrivateUsage]
        marks["parent_trace_id"] = context._parent_id  # pyright: ignore[reportPrivateUsage]
    if discarded is not None:
        marks["discarded_result"] = discarded
    if error is not None:
        name = "interrupted" if isinstance(error, INTERRUPTIONS) else "error"
        marks[name] = type(error).__name__
        frames = traceback.extract_tb(error.__traceback__)
        if frames and name == "error":
            last = frames[-1]
            marks["where"] = f"{last.filename}:{last.lineno} in {last.name}"
    return {"reflect": marks} if marks else {}
