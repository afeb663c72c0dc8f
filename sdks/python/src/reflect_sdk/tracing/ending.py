"""What becomes of a run when its block ends: decided here, in one place, for blocks and decorators of all kinds.

| The block ends | The trace |
|---|---|
| as it should | as `set_output` said |
| with an exception, after `set_output` | fail, with the exception's text as feedback |
| with an exception, before it, with messages captured | the same |
| with an exception, and nothing to show | pending: there is nothing to judge |
| by Ctrl-C, exit, cancellation or a closed generator | pending and marked as interrupted: nobody judged it |
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Mapping
from typing import Any

from reflect_sdk._wire import bodies
from reflect_sdk.tracing.context import Output, TraceContext

INTERRUPTIONS = (KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError)
# The feedback of a run that crashed, and the place where it did.
LONGEST_FEEDBACK = 2000
NO_TASK = "(no task)"


def trace_of(
    context: TraceContext,
    error: BaseException | None,
    *,
    auto_fail: bool,
    metadata: Mapping[str, Any] | None = None,
) -> dict[str, Any] | None:
    """The body of the run's trace; None when there is nothing to say about it."""
    output, captured = context._output, context.captured  # pyright: ignore[reportPrivateUsage]
    trajectory = captured if output is None or output.trajectory is None else output.trajectory
    if error is None and output is None and not captured:
        return None
    said = output or Output()
    result, feedback, alpha = said.result, said.feedback_text, said.alpha
    if error is not None and not isinstance(error, INTERRUPTIONS):
        if auto_fail and (trajectory or output is not None):
            result, feedback = "fail", _feedback(error, said.feedback_text)
    elif error is not None:
        result, feedback, alpha = None, None, None
    task = said.task or context.task
    if not task.strip():
        # A run is not lost because nobody said what it was for. Nothing is learned from it: nothing would find it.
        task, result = NO_TASK, None
    if not trajectory:
        trajectory = [{"role": "user", "content": context.augmented_task}]
    return bodies.trace(
        trace_id=context._closing_id(),  # pyright: ignore[reportPrivateUsage]
        task=task,
        trajectory=trajectory,
        final_response=said.final_response,
        retrieved_memory_ids=context.retrieved_memory_ids,
        model=said.model or _model_of(captured),
        metadata={**(metadata or {}), **said.metadata, **_marks(context, error)},
        review=None if result is None else bodies.review(result, feedback, alpha),
        reference_context=said.reference_context,
        retrieval_id=context.retrieval_id,
        used_memory_ids=said.used_memory_ids,
    )


def _feedback(error: BaseException, said: str | None) -> str:
    """The exception's own words, or its name when it has none; after what was said already."""
    words = (str(error) or type(error).__name__)[:LONGEST_FEEDBACK]
    return f"{said}\n{words}" if said else words


def _model_of(captured: list[dict[str, Any]]) -> str | None:
    """The model that answered last, where capturing noted it."""
    for message in reversed(captured):
        model = message.get("model")
        if isinstance(model, str) and model:
            return model
    return None


def _marks(context: TraceContext, error: BaseException | None) -> dict[str, Any]:
    """What the reader of a trace should know about how it came to be; under one name, clear of the user's own."""
    marks: dict[str, Any] = {}
    if context.degraded is not None and context.retrieval_id is None:
        # With a receipt, the server knows more about it than we do.
        marks["degraded"] = context.degraded
    if context._parent_id is not None:  # pyright: ignore[reportPrivateUsage]
        marks["parent_trace_id"] = context._parent_id  # pyright: ignore[reportPrivateUsage]
    if error is not None:
        name = "interrupted" if isinstance(error, INTERRUPTIONS) else "error"
        marks[name] = type(error).__name__
        frames = traceback.extract_tb(error.__traceback__)
        if frames and name == "error":
            last = frames[-1]
            marks["where"] = f"{last.filename}:{last.lineno} in {last.name}"
    return {"reflect": marks} if marks else {}
