"""What a run says about itself while it runs."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reflect_sdk._ids import new_trace_id
from reflect_sdk._wire.bodies import TrajectoryInput, review_result
from reflect_sdk.models import AugmentedTask, Memory


@dataclass(slots=True)
class Output:
    """What `set_output` was told."""

    trajectory: TrajectoryInput | None = None
    final_response: str | None = None
    result: str | None = None
    feedback_text: str | None = None
    model: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    task: str | None = None
    alpha: float | None = None
    reference_context: str | None = None
    used_memory_ids: Sequence[str] | None = None
    # The verdict was given by `review` or `defer`; an output without one leaves it alone.
    judged_apart: bool = False


class TraceContext:
    """A run that is going on. `client.trace(task)` makes it and hands it to the block.

    Attributes:
        task: The task as it was given.
        augmented_task: The task with relevant memories below it; the task alone when there are none.
        memories: The retrieved memories.
        retrieval_id: The receipt of the retrieval. It is sent with the trace.
        degraded: Why memories are missing or were searched by their words only; None when all went well.

    Example:
        with client.trace("Refund order 1182") as ctx:
            answer = my_agent(ctx.augmented_task)
            ctx.set_output(trajectory=[{"role": "assistant", "content": answer}], result="pass")
    """

    def __init__(self, augmented: AugmentedTask, *, parent: TraceContext | None = None) -> None:
        self.task: str = augmented.task
        self.augmented_task: str = augmented.augmented_task
        self.memories: list[Memory] = augmented.memories
        self.retrieval_id: str | None = augmented.retrieval_id
        self.degraded: str | None = augmented.degraded
        self._id: str = new_trace_id()
        self._pid = os.getpid()
        self._parent_id: str | None = None if parent is None else parent._id
        self._submitted = False
        self._output: Output | None = None
        self._captured: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"TraceContext(task={self.task!r}, memories={len(self.memories)}, trace_id={self.trace_id!r})"

    @property
    def trace_id(self) -> str | None:
        """The id of the trace: None inside the block, set once it has ended and the trace is on its way."""
        return self._id if self._submitted else None

    @property
    def retrieved_memory_ids(self) -> list[str]:
        """The ids of the retrieved memories; they are sent with the trace."""
        return [memory.id for memory in self.memories]

    @property
    def memory_ids(self) -> list[str]:
        """The same as `retrieved_memory_ids`."""
        return self.retrieved_memory_ids

    @property
    def captured(self) -> list[dict[str, Any]]:
        """The messages noted so far by `step`, `tool` and capturing. They are the trajectory if none is given."""
        with self._lock:
            return [dict(message) for message in self._captured]

    def set_output(
        self,
        *,
        trajectory: TrajectoryInput | None = None,
        final_response: str | None = None,
        result: str | None = None,
        feedback_text: str | None = None,
        model: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        task: str | None = None,
        alpha: float | None = None,
        reference_context: str | None = None,
        used_memory_ids: Sequence[str] | None = None,
    ) -> None:
        """Says what came of the run. Called again, what is said last holds.

        Args:
            trajectory: The messages; what was captured when absent.
            final_response: The agent's answer; taken from the last assistant message when absent.
            result: "pass" or "fail"; left out, the review is deferred.
            feedback_text: What went wrong.
            model: The model's name.
            metadata: Anything that is JSON.
            task: Stores the run under another task than the one that memories were retrieved for.
            alpha: How far the review moves utilities, 0 to 1.
            reference_context: Fixed text that the run was held against, such as a policy.
            used_memory_ids: Which of the memories the agent acted on, when you know it.
        """
        if result is not None:
            # Here, where the mistake is made, rather than when the block ends.
            result = review_result(result)
        before = self._output
        apart = result is None and before is not None and before.judged_apart
        if apart and before is not None:
            result, feedback_text, alpha = before.result, feedback_text or before.feedback_text, before.alpha
        self._output = Output(
            trajectory=trajectory,
            final_response=final_response,
            result=result,
            feedback_text=feedback_text,
            model=model,
            metadata=dict(metadata or {}),
            task=task,
            alpha=alpha,
            reference_context=reference_context,
            used_memory_ids=used_memory_ids,
            judged_apart=apart,
        )

    def review(self, result: str, feedback_text: str | None = None, *, alpha: float | None = None) -> None:
        """Says how the run went, apart from `set_output`, before or after it."""
        self._judge(review_result(result), feedback_text, alpha)

    def defer(self) -> None:
        """Leaves the review to somebody else, whatever was said before."""
        self._judge(None, None, None)

    def step(self, role: str, content: object, **fields: object) -> None:
        """Notes one message of the run, such as `ctx.step("assistant", "Looking it up.")`."""
        self._extend([{"role": role, "content": content, **fields}])

    def tool(self, name: str, args: object, result: object) -> None:
        """Notes one call of a tool and what it gave."""
        self._extend(
            [
                {"role": "assistant", "content": "", "tool_calls": [{"name": name, "arguments": args}]},
                {"role": "tool", "name": name, "content": result},
            ]
        )

    def _closing_id(self) -> str:
        """The id to store the run under. A block that a fork has doubled ends twice, as two runs."""
        if os.getpid() != self._pid:
            self._id, self._pid = new_trace_id(), os.getpid()
        return self._id

    def _extend(self, messages: Sequence[Mapping[str, Any]]) -> None:
        with self._lock:
            self._captured.extend(dict(message) for message in messages)

    def _judge(self, result: str | None, feedback_text: str | None, alpha: float | None) -> None:
        output = self._output = self._output or Output()
        output.result, output.feedback_text, output.alpha = result, feedback_text, alpha
        output.judged_apart = True
