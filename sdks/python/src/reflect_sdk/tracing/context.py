"""The context object of a running trace block."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reflect_sdk._arguments import named_arguments, require_result_for, require_text, require_trajectory
from reflect_sdk._ids import new_trace_id
from reflect_sdk._wire.bodies import TrajectoryInput, review_result
from reflect_sdk.errors import RunEndedError
from reflect_sdk.models import AugmentedTask, Memory

_log = logging.getLogger("reflect_sdk")
_warned: set[str] = set()


@dataclass(slots=True)
class Output:
    """The arguments of `set_output`."""

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
    keys: dict[str, str] = field(default_factory=dict[str, str])
    # The result was set by `review` or `defer`; `set_output` without a result does not change it.
    reviewed_separately: bool = False


class TraceContext:
    """The context of a run. `client.trace(task)` creates it.

    Attributes:
        task: The original task.
        augmented_task: The task followed by relevant memories; only the task if there are none.
        memory_block: The memories without the task, for a system prompt; an empty text if there are none.
        memories: The retrieved memories.
        retrieval_id: The receipt of the retrieval. It is sent with the trace.
        degraded: Why memories are missing or were searched by keywords only; None for a normal retrieval.

    Example:
        with client.trace("Refund order 1182") as ctx:
            answer = my_agent(ctx.augmented_task)
            ctx.set_output(trajectory=[{"role": "assistant", "content": answer}], result="pass")
    """

    def __init__(self, augmented: AugmentedTask, *, parent: TraceContext | None = None) -> None:
        self.task: str = augmented.task
        self.augmented_task: str = augmented.augmented_task
        self.memory_block: str = augmented.memory_block
        self.memories: list[Memory] = augmented.memories
        self.retrieval_id: str | None = augmented.retrieval_id
        self.degraded: str | None = augmented.degraded
        self._id: str = new_trace_id()
        self._pid = os.getpid()
        self._parent_id: str | None = None if parent is None else parent._id
        self._submitted = False
        self._ended = False
        self._output: Output | None = None
        self._captured: list[dict[str, Any]] = []
        # Called at the end of the block with the seconds that they may wait.
        self._settling: list[Callable[[float], None]] = []
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"TraceContext(task={self.task!r}, memories={len(self.memories)}, trace_id={self.trace_id!r})"

    @property
    def trace_id(self) -> str | None:
        """The id of the trace. It is None inside the block and set after the block has ended."""
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
        """The messages of `step`, `mark_step`, `tool` and capture so far. They are the default trajectory."""
        with self._lock:
            return [dict(message) for message in self._captured]

    @named_arguments
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
        keys: Mapping[str, str] | None = None,
    ) -> None:
        """Sets the output of the run. Values from a later call replace those of an earlier call.

        Args:
            trajectory: The messages; the captured messages when absent.
            final_response: The agent's answer; taken from the last assistant message when absent.
            result: "pass" or "fail"; when absent, the review is deferred.
            feedback_text: What went wrong.
            model: The model's name.
            metadata: Any JSON object.
            task: The task to store, if it differs from the task used for retrieval.
            alpha: The learning rate: how far the review moves utilities, 0 to 1.
            reference_context: Reference text that the run is judged against, such as a policy.
            used_memory_ids: The memories that the agent used, if known.
            keys: Keys by which signals find the run later, such as {"session": ..., "commit": ...}.
        """
        self._require_open("set_output")
        # Validate here, where the traceback points to the caller's mistake, not at the end of the block.
        if result is not None:
            result = review_result(result)
        if trajectory is not None:
            require_trajectory("set_output", trajectory)
        if task is not None:
            require_text("set_output", "task", task)
        before = self._output
        apart = result is None and before is not None and before.reviewed_separately
        if apart and before is not None:
            result, feedback_text, alpha = before.result, feedback_text or before.feedback_text, before.alpha
        require_result_for("set_output", "result", result, feedback_text)
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
            keys=dict(keys or {}),
            reviewed_separately=apart,
        )

    @named_arguments
    def review(self, result: str, feedback_text: str | None = None, *, alpha: float | None = None) -> None:
        """Sets the result of the run. Can be called before or after `set_output`, but not after the block has ended.

        Raises:
            RunEndedError: The block has ended. Call `client.review_trace(ctx.trace_id, result=...)` instead.
        """
        self._require_open("review")
        result, before = review_result(result), self._output
        if feedback_text is None and before is not None and before.result == result:
            # The same result again does not discard the feedback that came with it.
            feedback_text = before.feedback_text
        self._judge(result, feedback_text, alpha)

    def defer(self) -> None:
        """Defers the review and discards a result that was set before."""
        self._require_open("defer")
        self._judge(None, None, None)

    def step(self, role: str, content: object, **fields: object) -> None:
        """Records one message of the run, such as `ctx.step("assistant", "Looking it up.")`."""
        self._extend([{"role": role, "content": content, **fields}])

    def mark_step(self, task: str, action: str, retrieval_id: str | None = None) -> None:
        """Records a step of the run: the state that the agent was in, and what it did.

        If the run passes, each marked step becomes a memory of its own. Query memories for each state and pass the
        receipt, so that they get credit.

        Args:
            task: The state, as it was sent to `query_memories`.
            action: What the agent did; an empty text for the last state of a failed run.
            retrieval_id: The receipt of the query, `memory.retrieval_id` of any memory that it returned.
        """
        mark = {"task": require_text("mark_step", "task", task), "action": action}
        if retrieval_id is not None:
            mark["retrieval_id"] = retrieval_id
        self._extend([{"role": "assistant", "content": action, "reflect_step": mark}])

    def tool(self, name: str, args: object, result: object) -> None:
        """Records one tool call and its result."""
        self._extend(
            [
                {"role": "assistant", "content": "", "tool_calls": [{"name": name, "arguments": args}]},
                {"role": "tool", "name": name, "content": result},
            ]
        )

    def _closing_id(self) -> str:
        """The id of the stored trace. After a fork, parent and child both end the block, so each gets its own id."""
        if os.getpid() != self._pid:
            self._id, self._pid = new_trace_id(), os.getpid()
        return self._id

    def _end(self) -> None:
        """The block has ended: what is set from now on would not be stored."""
        self._ended = True

    def _require_open(self, call: str) -> None:
        if not self._ended:
            return
        hint = "The run had nothing to store, so it cannot be reviewed."
        if self._submitted:
            hint = "Review the stored run: client.review_trace(ctx.trace_id, result=...)."
        raise RunEndedError(f"{call}: the block of this run has ended, so this would be lost.", hint=hint)

    def _before_end(self, settle: Callable[[float], None]) -> None:
        """Registers what must happen before the trace is built: the end of recordings in other threads."""
        with self._lock:
            self._settling.append(settle)

    def _extend(self, messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        if self._ended and "late" not in _warned:
            # Not an error: a tool in another thread may still run when the block ends.
            _warned.add("late")
            _log.warning(
                "A message was recorded after the block of its run had ended, so it is not stored. This message is "
                "logged once."
            )
        kept = [dict(message) for message in messages]
        with self._lock:
            self._captured.extend(kept)
        return kept

    def _withdraw(self, message: dict[str, Any]) -> None:
        """Removes a message that `_extend` returned."""
        with self._lock:
            self._captured = [kept for kept in self._captured if kept is not message]

    def _judge(self, result: str | None, feedback_text: str | None, alpha: float | None) -> None:
        output = self._output = self._output or Output()
        output.result, output.feedback_text, output.alpha = result, feedback_text, alpha
        output.reviewed_separately = True
