"""Calls about memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflect_sdk import _receipts
from reflect_sdk._arguments import require_text
from reflect_sdk._calls.base import BaseClient
from reflect_sdk._calls.query_body import query_body
from reflect_sdk._ids import new_trace_id
from reflect_sdk._wire import bodies, memories, traces
from reflect_sdk._wire.recall import fail_open
from reflect_sdk.models import AugmentedTask, Memory, Retrieval, Skill, TraceSubmission


class MemoryCalls(BaseClient):
    """Retrieve and create memories; read and write the skill."""

    def query_memories(
        self,
        task: str,
        *,
        limit: int = 10,
        lambda_: float | None = None,
        similarity_threshold: float | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        mmr_lambda: float | None = None,
        ranking: str | None = None,
    ) -> list[Memory]:
        """Retrieves the memories that are relevant to a task, best first.

        Args:
            task: The task of the agent.
            limit: The maximum number of memories, 1 to 100.
            lambda_: The weight of utility against similarity: 0 is similarity only, 1 is utility only; the
                project's weight when absent.
            similarity_threshold: The minimum similarity; the server's default when absent.
            metadata_filter: Only memories whose metadata has these values.
            mmr_lambda: 1 ranks by score only; lower values prefer memories that differ from those already chosen.
            ranking: "learned" or "classic"; the project's setting when absent.
        """
        api = self._called("query_memories")
        body = query_body(self, api.call, locals())
        found, receipt = self._run(memories.query(api, body))
        _receipts.remember(self.base_url, self.project_id, task, receipt)
        return found

    async def query_memories_async(
        self: BaseClient,
        task: str,
        *,
        limit: int = 10,
        lambda_: float | None = None,
        similarity_threshold: float | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        mmr_lambda: float | None = None,
        ranking: str | None = None,
    ) -> list[Memory]:
        """The same as `query_memories`, awaited."""
        api = self._awaited("query_memories")
        body = query_body(self, api.call, locals())
        found, receipt = await self._run_async(memories.query(api, body))
        _receipts.remember(self.base_url, self.project_id, task, receipt)
        return found

    def augment_with_memories(
        self,
        task: str,
        *,
        limit: int = 10,
        lambda_: float | None = None,
        similarity_threshold: float | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        mmr_lambda: float | None = None,
        ranking: str | None = None,
        max_tokens: int | None = None,
    ) -> AugmentedTask:
        """Returns the task together with relevant memories, for use as a prompt.

        Memories are safe for a prompt and limited to `max_tokens`. If the server does not answer within the client's
        `retrieval_timeout`, the result contains only the task and `degraded` has the reason, because a missing
        memory must not stop an agent. Other errors, such as an invalid key or the HTML of a proxy, are raised.

        Args:
            task: The task of the agent.
            limit: The maximum number of memories, 1 to 100.
            lambda_: The weight of utility against similarity: 0 is similarity only, 1 is utility only; the
                project's weight when absent.
            similarity_threshold: The minimum similarity; the server's default when absent.
            metadata_filter: Only memories whose metadata has these values.
            mmr_lambda: 1 ranks by score only; lower values prefer memories that differ from those already chosen.
            ranking: "learned" or "classic"; the project's setting when absent.
            max_tokens: The token budget for memories; the client's `memory_tokens` when absent.

        Example:
            augmented = client.augment_with_memories(task="Refund order 1182")
            prompt = augmented.augmented_task
        """
        api = self._called("augment_with_memories")
        body = query_body(self, api.call, locals())
        found = self._run(fail_open(self._settings.retrieval_api.named(api.call), body, raise_refusals=True))
        _receipts.remember(self.base_url, self.project_id, task, found.retrieval_id)
        return found

    async def augment_with_memories_async(
        self: BaseClient,
        task: str,
        *,
        limit: int = 10,
        lambda_: float | None = None,
        similarity_threshold: float | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        mmr_lambda: float | None = None,
        ranking: str | None = None,
        max_tokens: int | None = None,
    ) -> AugmentedTask:
        """The same as `augment_with_memories`, awaited."""
        api = self._awaited("augment_with_memories")
        body = query_body(self, api.call, locals())
        found = await self._run_async(
            fail_open(self._settings.retrieval_api.named(api.call), body, raise_refusals=True)
        )
        _receipts.remember(self.base_url, self.project_id, task, found.retrieval_id)
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
        """Stores a lesson that you wrote, without a language model.

        Args:
            task: The task it was learned from; retrieval compares new tasks with it.
            result: The outcome of that run: "pass" or "fail".
            summary: The lesson in one line.
            guidance: What to do.
            key_mistake: What went wrong.
            correct_action: What should have been done.
            applicable_tools: The tools that the lesson applies to.
            retrieved_memory_ids: Memories that were given to the run; the result updates their utilities.
            model: The model of the run.
            metadata: Any JSON object; see `metadata_filter`.
        """
        api = self._called("create_memory")
        body = _lesson(api.call, locals())
        return self._run(traces.create(api, body))

    async def create_memory_async(
        self: BaseClient,
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
        api = self._awaited("create_memory")
        body = _lesson(api.call, locals())
        return await self._run_async(traces.create(api, body))

    def get_retrieval(self, retrieval_id: str) -> Retrieval:
        """The receipt of an earlier retrieval: the candidates, and for each one whether it was returned."""
        return self._run(memories.get_retrieval(self._called("get_retrieval"), retrieval_id))

    async def get_retrieval_async(self: BaseClient, retrieval_id: str) -> Retrieval:
        """The same as `get_retrieval`, awaited."""
        return await self._run_async(memories.get_retrieval(self._awaited("get_retrieval"), retrieval_id))

    def get_skill(self) -> Skill | None:
        """The project's skill (a text with a `version`), or None if there is none yet."""
        return self._run(memories.get_skill(self._called("get_skill")))

    async def get_skill_async(self: BaseClient) -> Skill | None:
        """The same as `get_skill`, awaited."""
        return await self._run_async(memories.get_skill(self._awaited("get_skill")))

    def create_skill(self, *, n_passed: int | None = None, n_failed: int | None = None) -> Skill:
        """Writes the next version of the skill from the best lessons, by default 5 of each kind."""
        return self._run(memories.create_skill(self._called("create_skill"), n_passed, n_failed))

    async def create_skill_async(
        self: BaseClient, *, n_passed: int | None = None, n_failed: int | None = None
    ) -> Skill:
        """The same as `create_skill`, awaited."""
        return await self._run_async(memories.create_skill(self._awaited("create_skill"), n_passed, n_failed))


def _lesson(call: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The request body of a lesson that a user wrote: a trace without a trajectory."""
    require_text(call, "task", given["task"])
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
