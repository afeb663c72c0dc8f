"""Changes of the state of memories, actions, and erasures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflect_sdk._ids import new_trace_id
from reflect_sdk._wire.decode import list_of
from reflect_sdk._wire.http import Flow, Request
from reflect_sdk._wire.mask import masked_text
from reflect_sdk._wire.project_api import ProjectApi
from reflect_sdk._wire.stored_memories import CHANGED, PAGE
from reflect_sdk.models import Action, Erasure, MemoryChange, MemoryHistory, MemoryUse, StoredMemory


def change(api: ProjectApi, memory_id: str, verb: str) -> Flow[StoredMemory]:
    """Changes the state of a memory. The verb is the last segment of the path, such as `pin`."""
    return api.post(CHANGED, api.path("memories", memory_id, verb), {}, idempotency_key=new_trace_id())


def merge(
    api: ProjectApi, survivor_id: str, memory_ids: Sequence[str], text: Mapping[str, Any]
) -> Flow[StoredMemory]:
    """Merges memories into one."""
    body: dict[str, Any] = {"survivor_id": survivor_id, "memory_ids": list(memory_ids)}
    if text:
        body["text"] = masked_text(api.mask, dict(text))
    return api.post(CHANGED, api.path("memories", "merge"), body, idempotency_key=new_trace_id())


def change_many(api: ProjectApi, body: Mapping[str, Any]) -> Flow[MemoryChange]:
    """Changes all memories that match."""
    # The stored texts are masked, so a search for masked text finds them.
    safe = {**body, **masked_text(api.mask, {"q": body.get("q")})}
    path = api.path("memories", "bulk")
    return api.post(MemoryChange.from_dict, path, safe, idempotency_key=new_trace_id())


def history(api: ProjectApi, memory_id: str) -> Flow[MemoryHistory]:
    """All reviews and changes of a memory."""
    return api.get(MemoryHistory.from_dict, "memories", memory_id, "history")


def uses(api: ProjectApi, memory_id: str, limit: int) -> Flow[list[MemoryUse]]:
    """The reviewed runs that had a memory."""
    found: list[MemoryUse] = []
    cursor: str | None = None
    while True:
        path = api.path("memories", memory_id, "uses", cursor=cursor, limit=min(PAGE, limit))
        answer = yield from api.send(Request("GET", path))
        found += api.read(answer, list_of(MemoryUse.from_dict))
        cursor = answer.headers.get("x-next-cursor")
        if cursor is None or len(found) >= limit:
            return found[:limit]


def actions(api: ProjectApi, include_automatic: bool, limit: int) -> Flow[list[Action]]:
    """The newest actions."""
    found: list[Action] = []
    cursor: str | None = None
    while True:
        size = min(PAGE, limit)
        path = api.path("actions", include_automatic=include_automatic, cursor=cursor, limit=size)
        answer = yield from api.send(Request("GET", path))
        found += api.read(answer, list_of(Action.from_dict))
        cursor = answer.headers.get("x-next-cursor")
        if cursor is None or len(found) >= limit:
            return found[:limit]


def action(api: ProjectApi, action_id: str) -> Flow[Action]:
    """One action."""
    return api.get(Action.from_dict, "actions", action_id)


def undo(api: ProjectApi, action_id: str) -> Flow[Action]:
    """Undoes an action."""
    return api.post(Action.from_dict, api.path("actions", action_id, "undo"), {}, idempotency_key=new_trace_id())


def erase_memory(api: ProjectApi, memory_id: str) -> Flow[StoredMemory]:
    """Removes the text of a memory for ever."""
    path = api.path("memories", memory_id, "erase")
    return api.post(CHANGED, path, {"memory_id": memory_id}, idempotency_key=new_trace_id())


def erase(api: ProjectApi, body: Mapping[str, Any]) -> Flow[Erasure]:
    """Starts an erasure."""
    return api.post(Erasure.from_dict, api.path("erasures"), body, idempotency_key=new_trace_id())


def erasure(api: ProjectApi, erasure_id: str) -> Flow[Erasure]:
    """The progress of an erasure."""
    return api.get(Erasure.from_dict, "erasures", erasure_id)
