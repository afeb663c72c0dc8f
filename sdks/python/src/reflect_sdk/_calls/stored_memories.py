"""Calls about stored memories: write, read, search, edit and delete."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from reflect_sdk._arguments import require_text
from reflect_sdk._calls.base import BaseClient
from reflect_sdk._calls.limits import cut
from reflect_sdk._wire import stored_memories
from reflect_sdk.errors import InvalidArgumentError
from reflect_sdk.models import MemoryNeighbour, StoredMemory


class StoredMemoryCalls(BaseClient):
    """Write, read, search, edit and delete stored memories."""

    def write_memory(
        self,
        task: str,
        *,
        summary: str | None = None,
        guidance: str | None = None,
        key_mistake: str | None = None,
        correct_action: str | None = None,
        applicable_tools: Sequence[str] | None = None,
        success: bool | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> StoredMemory:
        """Writes a memory by hand, without a run.

        One of `summary`, `guidance`, `key_mistake` and `correct_action` is required.

        Args:
            task: The task it is about; retrieval compares new tasks with it.
            summary: The lesson in one line.
            guidance: What to do.
            key_mistake: What went wrong.
            correct_action: What should have been done.
            applicable_tools: The tools that the lesson applies to.
            success: Whether it is about a success.
            metadata: Any data to filter by.
        """
        api = self._called("write_memory")
        return self._run(stored_memories.write(api, _lesson(api.call, locals())))

    async def write_memory_async(
        self: BaseClient,
        task: str,
        *,
        summary: str | None = None,
        guidance: str | None = None,
        key_mistake: str | None = None,
        correct_action: str | None = None,
        applicable_tools: Sequence[str] | None = None,
        success: bool | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> StoredMemory:
        """The same as `write_memory`, awaited."""
        api = self._awaited("write_memory")
        return await self._run_async(stored_memories.write(api, _lesson(api.call, locals())))

    def get_memory(self, memory_id: str) -> StoredMemory:
        """One memory of any status, with its provenance and all versions of its text."""
        api = self._called("get_memory")
        return self._run(stored_memories.get(api, require_text(api.call, "memory_id", memory_id)))

    async def get_memory_async(self: BaseClient, memory_id: str) -> StoredMemory:
        """The same as `get_memory`, awaited."""
        api = self._awaited("get_memory")
        return await self._run_async(stored_memories.get(api, require_text(api.call, "memory_id", memory_id)))

    def list_memories(
        self, *, status: str | None = None, sort: str | None = None, limit: int = 10_000
    ) -> list[StoredMemory]:
        """All memories, newest first. Warns with `TruncatedResultWarning` when there are more than `limit`.

        Args:
            status: Only memories with this status, such as "active"; several are separated by commas.
            sort: "newest", "utility", "evidence", "attention" or "harm".
            limit: The maximum number of memories. Use `iter_memories` to read all of them.
        """
        found: list[StoredMemory] = []
        api, filters = self._called("list_memories"), _filters(status, sort)
        self._flush_pending()
        cursor: str | None = None
        while True:
            page, cursor = self._run(stored_memories.page(api, filters, cursor, stored_memories.PAGE))
            found.extend(page)
            if cursor is None or len(found) >= limit:
                return cut("memories", found, limit, more=cursor is not None)

    async def list_memories_async(
        self: BaseClient, *, status: str | None = None, sort: str | None = None, limit: int = 10_000
    ) -> list[StoredMemory]:
        """The same as `list_memories`, awaited."""
        found: list[StoredMemory] = []
        api, filters = self._awaited("list_memories"), _filters(status, sort)
        await self._flush_pending_async()
        cursor: str | None = None
        while True:
            page, cursor = await self._run_async(stored_memories.page(api, filters, cursor, stored_memories.PAGE))
            found.extend(page)
            if cursor is None or len(found) >= limit:
                return cut("memories", found, limit, more=cursor is not None)

    def iter_memories(self, *, status: str | None = None, sort: str | None = None) -> Iterator[StoredMemory]:
        """Iterates over all memories, newest first, page by page. Takes the arguments of `list_memories`."""
        api, filters = self._called("iter_memories"), _filters(status, sort)
        self._flush_pending()
        cursor: str | None = None
        while True:
            page, cursor = self._run(stored_memories.page(api, filters, cursor, stored_memories.PAGE))
            yield from page
            if cursor is None:
                return

    async def iter_memories_async(
        self: BaseClient, *, status: str | None = None, sort: str | None = None
    ) -> AsyncIterator[StoredMemory]:
        """The same as `iter_memories`, with `async for`."""
        api, filters = self._awaited("iter_memories"), _filters(status, sort)
        await self._flush_pending_async()
        cursor: str | None = None
        while True:
            page, cursor = await self._run_async(stored_memories.page(api, filters, cursor, stored_memories.PAGE))
            for memory in page:
                yield memory
            if cursor is None:
                return

    def search_memories(self, query: str, *, limit: int = 10) -> list[StoredMemory]:
        """The memories that contain the given words, of any status, newest first.

        It compares words, not meanings, and writes no receipt: use it to find a memory to correct. To get the
        memories for a task, use `query_memories`.

        Args:
            query: Words, filters such as `status:active` and `credit:<0.5`, or both; all of them must match.
            limit: The maximum number of memories, 1 to 100.
        """
        api = self._called("search_memories")
        filters = {"q": require_text(api.call, "query", query)}
        return self._run(stored_memories.page(api, filters, None, limit))[0]

    async def search_memories_async(self: BaseClient, query: str, *, limit: int = 10) -> list[StoredMemory]:
        """The same as `search_memories`, awaited."""
        api = self._awaited("search_memories")
        filters = {"q": require_text(api.call, "query", query)}
        return (await self._run_async(stored_memories.page(api, filters, None, limit)))[0]

    def list_memory_neighbours(self, memory_id: str, *, limit: int = 10) -> list[MemoryNeighbour]:
        """The memories with the most similar tasks, of any status, nearest first: use it to find duplicates.

        Args:
            memory_id: The memory.
            limit: The maximum number of memories, 1 to 50.
        """
        api = self._called("list_memory_neighbours")
        return self._run(stored_memories.neighbours(api, require_text(api.call, "memory_id", memory_id), limit))

    async def list_memory_neighbours_async(
        self: BaseClient, memory_id: str, *, limit: int = 10
    ) -> list[MemoryNeighbour]:
        """The same as `list_memory_neighbours`, awaited."""
        api = self._awaited("list_memory_neighbours")
        identity = require_text(api.call, "memory_id", memory_id)
        return await self._run_async(stored_memories.neighbours(api, identity, limit))

    def edit_memory(
        self,
        memory_id: str,
        *,
        task: str | None = None,
        summary: str | None = None,
        guidance: str | None = None,
        key_mistake: str | None = None,
        correct_action: str | None = None,
        applicable_tools: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        version: int | None = None,
    ) -> StoredMemory:
        """Changes the text of a memory. What is not passed stays unchanged; the old text is kept as a version.

        Args:
            memory_id: The memory.
            task: The task it is about; retrieval compares new tasks with it.
            summary: The lesson in one line.
            guidance: What to do.
            key_mistake: What went wrong.
            correct_action: What should have been done.
            applicable_tools: The tools that the lesson applies to.
            metadata: All of its metadata; keys that are not passed are removed.
            version: The version that you read; `ConflictError` if the memory was edited since then.
        """
        api = self._called("edit_memory")
        changes = _changes(api.call, locals())
        return self._run(stored_memories.edit(api, memory_id, changes))

    async def edit_memory_async(
        self: BaseClient,
        memory_id: str,
        *,
        task: str | None = None,
        summary: str | None = None,
        guidance: str | None = None,
        key_mistake: str | None = None,
        correct_action: str | None = None,
        applicable_tools: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        version: int | None = None,
    ) -> StoredMemory:
        """The same as `edit_memory`, awaited."""
        api = self._awaited("edit_memory")
        changes = _changes(api.call, locals())
        return await self._run_async(stored_memories.edit(api, memory_id, changes))

    def delete_memory(self, memory_id: str) -> StoredMemory:
        """Deletes a memory: it is no longer served. Its text is kept until it is erased, so this can be undone."""
        api = self._called("delete_memory")
        return self._run(stored_memories.delete(api, require_text(api.call, "memory_id", memory_id)))

    async def delete_memory_async(self: BaseClient, memory_id: str) -> StoredMemory:
        """The same as `delete_memory`, awaited."""
        api = self._awaited("delete_memory")
        return await self._run_async(stored_memories.delete(api, require_text(api.call, "memory_id", memory_id)))


_LESSON = ("summary", "guidance", "key_mistake", "correct_action")
_TEXTS = ("task", *_LESSON, "applicable_tools", "metadata")


def _filters(status: str | None, sort: str | None) -> dict[str, Any]:
    return {"status": status, "sort": sort}


def _lesson(call: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a new memory that the caller passed."""
    require_text(call, "task", given["task"])
    memory = {name: given[name] for name in (*_TEXTS, "success") if given[name] is not None}
    if not any(memory.get(name) for name in _LESSON):
        raise InvalidArgumentError(f"{call}: the lesson is empty.", hint=f"Pass one of {', '.join(_LESSON)}.")
    return memory


def _changes(call: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that the caller passed."""
    require_text(call, "memory_id", given["memory_id"])
    changes = {name: given[name] for name in _TEXTS if given[name] is not None}
    if not changes:
        raise InvalidArgumentError(f"{call}: nothing to change.", hint=f"Pass one of {', '.join(_TEXTS)}.")
    if "task" in changes:
        require_text(call, "task", changes["task"])
    if given["version"] is not None:
        changes["version"] = given["version"]
    return changes
