"""Calls that change the state of memories, and that undo changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflect_sdk._arguments import require_text
from reflect_sdk._calls.base import BaseClient
from reflect_sdk._wire import care
from reflect_sdk.errors import InvalidArgumentError
from reflect_sdk.models import Action, Erasure, MemoryChange, MemoryHistory, MemoryUse, StoredMemory


class CareCalls(BaseClient):
    """Pin, disable, quarantine and merge memories; list and undo changes; erase."""

    def pin_memory(self, memory_id: str) -> StoredMemory:
        """Pins a memory: every retrieval returns it first, whatever the task is."""
        return self._run(care.change(*_target(self._called("pin_memory"), memory_id), "pin"))

    async def pin_memory_async(self: BaseClient, memory_id: str) -> StoredMemory:
        """The same as `pin_memory`, awaited."""
        return await self._run_async(care.change(*_target(self._awaited("pin_memory"), memory_id), "pin"))

    def unpin_memory(self, memory_id: str) -> StoredMemory:
        """Unpins a memory."""
        return self._run(care.change(*_target(self._called("unpin_memory"), memory_id), "unpin"))

    async def unpin_memory_async(self: BaseClient, memory_id: str) -> StoredMemory:
        """The same as `unpin_memory`, awaited."""
        return await self._run_async(care.change(*_target(self._awaited("unpin_memory"), memory_id), "unpin"))

    def disable_memory(self, memory_id: str) -> StoredMemory:
        """Disables a memory: it is no longer served. Its history is kept."""
        return self._run(care.change(*_target(self._called("disable_memory"), memory_id), "disable"))

    async def disable_memory_async(self: BaseClient, memory_id: str) -> StoredMemory:
        """The same as `disable_memory`, awaited."""
        return await self._run_async(care.change(*_target(self._awaited("disable_memory"), memory_id), "disable"))

    def enable_memory(self, memory_id: str) -> StoredMemory:
        """Enables a memory that was disabled or deleted."""
        return self._run(care.change(*_target(self._called("enable_memory"), memory_id), "enable"))

    async def enable_memory_async(self: BaseClient, memory_id: str) -> StoredMemory:
        """The same as `enable_memory`, awaited."""
        return await self._run_async(care.change(*_target(self._awaited("enable_memory"), memory_id), "enable"))

    def quarantine_memory(self, memory_id: str) -> StoredMemory:
        """Quarantines a memory: it is not served until it is released."""
        return self._run(care.change(*_target(self._called("quarantine_memory"), memory_id), "quarantine"))

    async def quarantine_memory_async(self: BaseClient, memory_id: str) -> StoredMemory:
        """The same as `quarantine_memory`, awaited."""
        target = _target(self._awaited("quarantine_memory"), memory_id)
        return await self._run_async(care.change(*target, "quarantine"))

    def release_memory(self, memory_id: str) -> StoredMemory:
        """Releases a memory from quarantine."""
        return self._run(care.change(*_target(self._called("release_memory"), memory_id), "release"))

    async def release_memory_async(self: BaseClient, memory_id: str) -> StoredMemory:
        """The same as `release_memory`, awaited."""
        return await self._run_async(care.change(*_target(self._awaited("release_memory"), memory_id), "release"))

    def merge_memories(
        self, survivor_id: str, memory_ids: Sequence[str], *, text: Mapping[str, Any] | None = None
    ) -> StoredMemory:
        """Merges memories into one. Their utilities are pooled, and the others point to it.

        Args:
            survivor_id: The memory that is kept.
            memory_ids: The memories that it replaces, at most 100.
            text: The new text of the memory, with the fields of `edit_memory`; unchanged when absent.
        """
        api = self._called("merge_memories")
        survivor = require_text(api.call, "survivor_id", survivor_id)
        return self._run(care.merge(api, survivor, memory_ids, text or {}))

    async def merge_memories_async(
        self: BaseClient, survivor_id: str, memory_ids: Sequence[str], *, text: Mapping[str, Any] | None = None
    ) -> StoredMemory:
        """The same as `merge_memories`, awaited."""
        api = self._awaited("merge_memories")
        survivor = require_text(api.call, "survivor_id", survivor_id)
        return await self._run_async(care.merge(api, survivor, memory_ids, text or {}))

    def change_memories(
        self,
        action: str,
        *,
        query: str | None = None,
        filter: Mapping[str, Any] | None = None,
        every: bool = False,
        dry_run: bool = False,
    ) -> MemoryChange:
        """Changes all memories that match, as one action that can be undone.

        Args:
            action: "disable", "enable", "quarantine", "release", "unpin" or "delete".
            query: Words, filters such as `status:active` and `credit:<0.5`, or both; all of them must match.
            filter: The same as fields, such as `{"ids": [...]}`. With `query`, both must match.
            every: Changes every memory of the project. Otherwise a query or a filter is required.
            dry_run: Only returns what would change.
        """
        body = _selection(action, query, filter, every, dry_run)
        return self._run(care.change_many(self._called("change_memories"), body))

    async def change_memories_async(
        self: BaseClient,
        action: str,
        *,
        query: str | None = None,
        filter: Mapping[str, Any] | None = None,
        every: bool = False,
        dry_run: bool = False,
    ) -> MemoryChange:
        """The same as `change_memories`, awaited."""
        body = _selection(action, query, filter, every, dry_run)
        return await self._run_async(care.change_many(self._awaited("change_memories"), body))

    def get_memory_history(self, memory_id: str) -> MemoryHistory:
        """The reviews that moved a memory, and its changes."""
        return self._run(care.history(*_target(self._called("get_memory_history"), memory_id)))

    async def get_memory_history_async(self: BaseClient, memory_id: str) -> MemoryHistory:
        """The same as `get_memory_history`, awaited."""
        return await self._run_async(care.history(*_target(self._awaited("get_memory_history"), memory_id)))

    def list_memory_uses(self, memory_id: str, *, limit: int = 100) -> list[MemoryUse]:
        """The reviewed runs that had a memory, newest first.

        Args:
            memory_id: The memory.
            limit: The maximum number of runs.
        """
        return self._run(care.uses(*_target(self._called("list_memory_uses"), memory_id), limit))

    async def list_memory_uses_async(self: BaseClient, memory_id: str, *, limit: int = 100) -> list[MemoryUse]:
        """The same as `list_memory_uses`, awaited."""
        return await self._run_async(care.uses(*_target(self._awaited("list_memory_uses"), memory_id), limit))

    def list_actions(self, *, include_automatic: bool = False, limit: int = 100) -> list[Action]:
        """The changes of memories and reviews, newest first.

        Args:
            include_automatic: Also the changes of the server itself, such as the grouping of lessons.
            limit: The maximum number of actions.
        """
        return self._run(care.actions(self._called("list_actions"), include_automatic, limit))

    async def list_actions_async(
        self: BaseClient, *, include_automatic: bool = False, limit: int = 100
    ) -> list[Action]:
        """The same as `list_actions`, awaited."""
        return await self._run_async(care.actions(self._awaited("list_actions"), include_automatic, limit))

    def get_action(self, action_id: str) -> Action:
        """One action."""
        return self._run(care.action(*_target(self._called("get_action"), action_id, "action_id")))

    async def get_action_async(self: BaseClient, action_id: str) -> Action:
        """The same as `get_action`, awaited."""
        return await self._run_async(care.action(*_target(self._awaited("get_action"), action_id, "action_id")))

    def undo_action(self, action_id: str) -> Action:
        """Undoes an action. Other changes before or after it are kept.

        Args:
            action_id: The action, such as the `action_id` of a changed memory.
        """
        return self._run(care.undo(*_target(self._called("undo_action"), action_id, "action_id")))

    async def undo_action_async(self: BaseClient, action_id: str) -> Action:
        """The same as `undo_action`, awaited."""
        return await self._run_async(care.undo(*_target(self._awaited("undo_action"), action_id, "action_id")))

    def erase_memory(self, memory_id: str) -> StoredMemory:
        """Permanently removes all versions of a memory's text. Its numbers are kept. This cannot be undone."""
        return self._run(care.erase_memory(*_target(self._called("erase_memory"), memory_id)))

    async def erase_memory_async(self: BaseClient, memory_id: str) -> StoredMemory:
        """The same as `erase_memory`, awaited."""
        return await self._run_async(care.erase_memory(*_target(self._awaited("erase_memory"), memory_id)))

    def erase_traces(
        self, *, trace_id: str | None = None, subject: str | None = None, memories: str = "delete"
    ) -> Erasure:
        """Permanently removes one run, or all runs of a person. The server does it in the background.

        Args:
            trace_id: One run.
            subject: All runs whose metadata has this `subject`.
            memories: What happens to the memories that were learned from them: "delete" or "keep".
        """
        api = self._called("erase_traces")
        return self._run(care.erase(api, _erased(api.call, trace_id, subject, memories)))

    async def erase_traces_async(
        self: BaseClient, *, trace_id: str | None = None, subject: str | None = None, memories: str = "delete"
    ) -> Erasure:
        """The same as `erase_traces`, awaited."""
        api = self._awaited("erase_traces")
        return await self._run_async(care.erase(api, _erased(api.call, trace_id, subject, memories)))

    def get_erasure(self, erasure_id: str) -> Erasure:
        """The progress of an erasure."""
        return self._run(care.erasure(*_target(self._called("get_erasure"), erasure_id, "erasure_id")))

    async def get_erasure_async(self: BaseClient, erasure_id: str) -> Erasure:
        """The same as `get_erasure`, awaited."""
        return await self._run_async(care.erasure(*_target(self._awaited("get_erasure"), erasure_id, "erasure_id")))


def _target(api: Any, identity: str, name: str = "memory_id") -> tuple[Any, str]:
    """The API with the checked id of what is read or changed."""
    return api, require_text(api.call, name, identity)


def _selection(
    action: str, query: str | None, filter: Mapping[str, Any] | None, every: bool, dry_run: bool
) -> dict[str, Any]:
    body: dict[str, Any] = {"action": action, "filter": dict(filter or {}), "all": every, "dry_run": dry_run}
    return body if query is None else {**body, "q": query}


def _erased(call: str, trace_id: str | None, subject: str | None, memories: str) -> dict[str, Any]:
    if (trace_id is None) == (subject is None):
        raise InvalidArgumentError(f"{call}: pass either trace_id or subject.")
    selected = {"trace_id": trace_id} if subject is None else {"subject": subject}
    return {**selected, "memories": memories}
