"""The return type of decorated functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reflect_sdk._wire.bodies import TrajectoryInput


@dataclass(slots=True)
class TraceResult:
    """The output of a run for the caller, together with the data to store.

    Attributes:
        output: The value that the caller gets.
        trajectory: The messages; the captured messages when absent.
        result: "pass" or "fail"; when absent, the review is deferred.
        feedback_text: What went wrong.
        model: The model's name.
        metadata: Any JSON object.
        final_response: The agent's answer; taken from the last assistant message when absent, else `output`.
        alpha: The learning rate: how far the review moves utilities, 0 to 1.
        reference_context: Reference text that the run is judged against.
        used_memory_ids: The memories that the agent used.
        keys: Keys by which signals find the run later, such as {"session": ..., "commit": ...}.
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
    keys: Mapping[str, str] | None = None
