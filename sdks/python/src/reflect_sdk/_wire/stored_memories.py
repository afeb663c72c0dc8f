"""Writing, reading, editing and deleting stored memories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reflect_sdk._ids import new_trace_id
from reflect_sdk._wire.decode import list_of, requiring
from reflect_sdk._wire.http import Flow, Request
from reflect_sdk._wire.mask import masked_text
from reflect_sdk._wire.project_api import ProjectApi
from reflect_sdk.errors import MaskError
from reflect_sdk.models import MemoryNeighbour, StoredMemory
from reflect_sdk.models._base import expect_object

# The largest page that the server returns.
PAGE = 100


def get(api: ProjectApi, memory_id: str) -> Flow[StoredMemory]:
    """One memory with its provenance and versions."""
    return api.get(StoredMemory.from_dict, "memories", memory_id)


def page(
    api: ProjectApi, filters: Mapping[str, Any], cursor: str | None, limit: int
) -> Flow[tuple[list[StoredMemory], str | None]]:
    """A page of memories and the cursor of the next page."""
    # The stored texts are masked, so a search for masked text finds them.
    masked = masked_text(api.mask, {"q": filters.get("q")})
    path = api.path("memories", **{**filters, **masked}, cursor=cursor, limit=min(PAGE, limit))
    answer = yield from api.send(Request("GET", path))
    return api.read(answer, list_of(StoredMemory.from_dict)), answer.headers.get("x-next-cursor")


def neighbours(api: ProjectApi, memory_id: str, limit: int) -> Flow[list[MemoryNeighbour]]:
    """The memories with the most similar tasks."""
    answer = yield from api.send(Request("GET", api.path("memories", memory_id, "neighbours", limit=limit)))
    return api.read(answer, list_of(MemoryNeighbour.from_dict))


def write(api: ProjectApi, memory: Mapping[str, Any]) -> Flow[StoredMemory]:
    """Writes a memory."""
    masked = _masked(api, memory)
    return (yield from api.post(CHANGED, api.path("memories"), masked, idempotency_key=new_trace_id()))


def edit(api: ProjectApi, memory_id: str, changes: Mapping[str, Any]) -> Flow[StoredMemory]:
    """Changes the text of a memory."""
    masked = _masked(api, changes)
    return (yield from api.post(CHANGED, api.path("memories", memory_id), masked, method="PATCH"))


def delete(api: ProjectApi, memory_id: str) -> Flow[StoredMemory]:
    """Deletes a memory."""
    answer = yield from api.send(Request("DELETE", api.path("memories", memory_id)))
    return api.read(answer, CHANGED)


def _masked(api: ProjectApi, texts: Mapping[str, Any]) -> Any:
    try:
        return masked_text(api.mask, dict(texts))
    except Exception as problem:
        raise MaskError("The mask raised an exception for a memory, so it was not sent.") from problem


def _with_action(value: Any) -> StoredMemory:
    """The memory after a change, with the id of the change."""
    memory = expect_object(value["memory"], "memory")
    return StoredMemory.from_dict({**memory, "action_id": value.get("action_id")})


CHANGED = requiring(_with_action, "memory")
