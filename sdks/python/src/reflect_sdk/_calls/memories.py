"""Calls about memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflect_sdk import _recalled
from reflect_sdk._calls.base import Caller
from reflect_sdk._calls.questions import question
from reflect_sdk._ids import new_trace_id
from reflect_sdk._wire import bodies, memories, traces
from reflect_sdk._wire.recall import fail_open
from reflect_sdk.models import AugmentedTask, Memory, Retrieval, Skill, TraceSubmission


class MemoryCalls(Caller):
    """Asking for memories, writing one, and the skill they add up to."""

    def query_memories(
        self,
        task: str,
        *,
        limit: int = 10,
        lambda_: float = 0.5,
        similarity_threshold: float | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        mmr_lambda: float | None = None,
        ranking: str | None = None,
    ) -> list[Memory]:
        """The memories that may help with a task, best first.

        Args:
            task: What the agent is asked to do.
            limit: The most memories, 1 to 100.
            lambda_: How much utility counts against similarity: 0 is similarity alone, 1 utility alone.
            similarity_threshold: The least similarity; the server's own when absent.
            metadata_filter: Only memories whose metadata has these values.
            mmr_lambda: 1 ranks by score alone; below, memories that differ from those already chosen come first.
            ranking: "learned" or "classic"; the project's own choice when absent.
        """
        body = question(self, locals())
        found, receipt = self._run(memories.query(self._place, body))
        _recalled.remember(self.base_url, self.project_id, task, receipt)
        return found

    async def query_memories_async(
        self: Caller,
        task: str,
        *,
        limit: int = 10,
        lambda_: float = 0.5,
        similarity_threshold: float | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        mmr_lambda: float | None = None,
        ranking: str | None = None,
    ) -> list[Memory]:
        """The same as `query_memories`, awaited."""
        body = question(self, locals())
        found, receipt = await self._run_async(memories.query(self._place, body))
        _recalled.remember(self.base_url, self.project_id, task, receipt)
        return found

    def augment_with_memories(
        self,
        task: str,
        *,
        limit: int = 10,
        lambda_: float = 0.5,
        similarity_threshold: float | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        mmr_lambda: float | None = None,
        ranking: str | None = None,
        max_tokens: int | None = None,
    ) -> AugmentedTask:
        """The task with the memories that may help with it, for use as a prompt.

        Memories are escaped, and as many are written as fit into `max_tokens`. When the server does not answer
        within the client's `retrieval_timeout`, the task comes back alone and `degraded` says why: an agent must
        not stop because its memory does. A refusal, such as of a wrong key, is raised.

        Args:
            task: What the agent is asked to do.
            limit: The most memories, 1 to 100.
            lambda_: How much utility counts against similarity: 0 is similarity alone, 1 utility alone.
            similarity_threshold: The least similarity; the server's own when absent.
            metadata_filter: Only memories whose metadata has these values.
            mmr_lambda: 1 ranks by score alone; below, memories that differ from those already chosen come first.
            ranking: "learned" or "classic"; the project's own choice when absent.
            max_tokens: The budget of the memories; the client's `memory_tokens` when absent.

        Example:
            augmented = client.augment_with_memories(task="Refund order 1182")
            prompt = augmented.augmented_task
        """
        body = question(self, locals())
        found = self._run(fail_open(self._settings.recall_place, body, raise_refusals=True))
        _recalled.remember(self.base_url, self.project_id, task, found.retrieval_id)
        return found

    async def augment_with_memories_async(
        self: Caller,
        task: str,
        *,
        limit: int = 10,
        lambda_: float = 0.5,
        similarity_threshold: float | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        mmr_lambda: float | None = None,
        ranking: str | None = None,
        max_tokens: int | None = None,
    ) -> AugmentedTask:
        """The same as `augment_with_memories`, awaited."""
        body = question(self, locals())
        found = await self._run_async(fail_open(self._settings.recall_place, body, raise_refusals=True))
        _recalled.remember(self.base_url, self.project_id, task, found.retrieval_id)
        return found

    def create_memory(
        self,
        *,
        task: str,
        result: str,
        summary: str = "",
        guidance: str = "",
        key_mistake: str = "",
        correct_action: str = "",
        applicable_tools: Sequence[str] = (),
        retrieved_memory_ids: Sequence[str] = (),
        model: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> TraceSubmission:
        """Stores a lesson of your own, without a model that writes it.

        Args:
            task: The task it was learned from, and by which it is found.
            result: How that run went: "pass" or "fail".
            summary: The lesson in one line.
            guidance: What to do.
            key_mistake: What went wrong.
            correct_action: What should have been done.
            applicable_tools: The tools that it is about.
            retrieved_memory_ids: Memories that the run was shown; the result counts for them.
            model: The model of the run.
            metadata: What to find it by, see `metadata_filter`.
        """
        body = _lesson(locals())
        return self._run(traces.create(self._place, body, "create_memory"))

    async def create_memory_async(
        self: Caller,
        *,
        task: str,
        result: str,
        summary: str = "",
        guidance: str = "",
        key_mistake: str = "",
        correct_action: str = "",
        applicable_tools: Sequence[str] = (),
        retrieved_memory_ids: Sequence[str] = (),
        model: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> TraceSubmission:
        """The same as `create_memory`, awaited."""
        body = _lesson(locals())
        return await self._run_async(traces.create(self._place, body, "create_memory"))

    def get_retrieval(self, retrieval_id: str) -> Retrieval:
        """The receipt of an earlier search: what was considered, and what became of each of it."""
        return self._run(memories.get_retrieval(self._place, retrieval_id))

    async def get_retrieval_async(self: Caller, retrieval_id: str) -> Retrieval:
        """The same as `get_retrieval`, awaited."""
        return await self._run_async(memories.get_retrieval(self._place, retrieval_id))

    def get_skill(self) -> Skill | None:
        """The project's skill, or None while there is none. It is a text, with its `version`."""
        return self._run(memories.get_skill(self._place))

    async def get_skill_async(self: Caller) -> Skill | None:
        """The same as `get_skill`, awaited."""
        return await self._run_async(memories.get_skill(self._place))

    def create_skill(self, *, n_passed: int | None = None, n_failed: int | None = None) -> Skill:
        """Writes the next version of the skill from the best lessons, 5 of each kind unless told otherwise."""
        return self._run(memories.create_skill(self._place, n_passed, n_failed))

    async def create_skill_async(self: Caller, *, n_passed: int | None = None, n_failed: int | None = None) -> Skill:
        """The same as `create_skill`, awaited."""
        return await self._run_async(memories.create_skill(self._place, n_passed, n_failed))


def _lesson(given: Mapping[str, Any]) -> dict[str, Any]:
    """The trace of a lesson that somebody wrote: there was no run to show."""
    fields = ("summary", "guidance", "key_mistake", "correct_action")
    lesson: dict[str, Any] = {name: given[name] for name in fields}
    lesson["applicable_tools"] = list(given["applicable_tools"])
    return bodies.trace(
        trace_id=new_trace_id(),
        task=given["task"],
        trajectory=[],
        retrieved_memory_ids=given["retrieved_memory_ids"],
        model=given["model"],
        metadata=given["metadata"],
        review=bodies.review(given["result"], None, None, lesson),
    )
