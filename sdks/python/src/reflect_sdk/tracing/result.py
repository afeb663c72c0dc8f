"""What a decorated function may return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reflect_sdk._wire.bodies import TrajectoryInput


@dataclass(slots=True)
class TraceResult:
    """The output of a run, for the caller, with what there is to say about it, for Reflect.

    Attributes:
        output: What the caller gets.
        trajectory: The messages; what was captured when absent.
        result: "pass" or "fail"; left out, the review is deferred.
        feedback_text: What went wrong.
        model: The model's name.
        metadata: Anything that is JSON.
        final_response: The agent's answer; taken from the last assistant message when absent, else `output`.
        alpha: How far the review moves utilities, 0 to 1.
        reference_context: Fixed text that the run was held against.
        used_memory_ids: Which of the memories the agent acted on.
    """

    output: Any
    trajectory: TrajectoryInput | None = None
    result: str | None = None
    feedback_text: str | None = None
    model: str | None = None
    metadata: Mapping[str, Any] | None = None
    final_response: str | None = None
    alpha: float | None = None
    reference_context: str | None = None
    used_memory_ids: Sequence[str] | None = None
