"""Retrieval of memories, and the skill."""

from __future__ import annotations

import logging
from typing import Any

from reflect_sdk._ids import new_trace_id
from reflect_sdk._wire.decode import list_of
from reflect_sdk._wire.http import Flow, Request
from reflect_sdk._wire.mask import masked_text
from reflect_sdk._wire.project_api import ProjectApi
from reflect_sdk.errors import MaskError
from reflect_sdk.models import AugmentedTask, Memory, Retrieval, Skill
from reflect_sdk.models._base import expect_object

_log = logging.getLogger("reflect_sdk")
_warned: set[str] = set()

# The block of a prompt has at most some hundred kilobytes, also with the fields of its memories.
_MAX_PROMPT_BYTES = 16 * 1024 * 1024


def query(api: ProjectApi, body: dict[str, Any]) -> Flow[tuple[list[Memory], str | None]]:
    """The memories, best first, and the receipt id."""
    answer = yield from api.posted(api.path("memory", "query"), _masked(api, body))
    memories = api.read(answer, list_of(Memory.from_dict))
    degraded = answer.headers.get("x-reflect-degraded")
    if degraded is not None and degraded not in _warned:
        # The response is a list without a field for this, and keyword similarities look like a bad embedder.
        _warned.add(degraded)
        _log.warning("Memories were searched by keywords only: %s. This message is logged once.", degraded)
    return memories, answer.headers.get("x-retrieval-id")


def augment(api: ProjectApi, body: dict[str, Any]) -> Flow[AugmentedTask]:
    """The task followed by its memories, safe for a prompt and within the token budget; the server builds the text.

    With a mask, the server gets only the masked task. The prompt starts with the original task.
    """
    sent = _masked(api, body)
    answer = yield from api.posted(api.path("memory", "augment"), sent, max_bytes=_MAX_PROMPT_BYTES)

    def read(value: Any) -> AugmentedTask:
        fields = dict(expect_object(value))
        if fields.pop("degraded", False):
            fields["degraded"] = answer.headers.get("x-reflect-degraded") or "searched by keywords only"
        return AugmentedTask.from_dict(fields)

    found = api.read(answer, read)
    text, task = found.augmented_task, sent["task"]
    rest = text[len(task) :] if text.startswith(task) else ""
    block = found.memory_block or (rest.lstrip("\n") if found.memories else "")
    return AugmentedTask(
        augmented_task=body["task"] + rest if text.startswith(task) else text,
        memories=found.memories,
        task=body["task"],
        retrieval_id=found.retrieval_id,
        degraded=found.degraded,
        memory_block=block,
    )


def get_retrieval(api: ProjectApi, retrieval_id: str) -> Flow[Retrieval]:
    """The receipt of an earlier retrieval."""
    return api.get(Retrieval.from_dict, "retrievals", retrieval_id)


def get_skill(api: ProjectApi) -> Flow[Skill | None]:
    """The skill, or None if there is none yet."""
    answer = yield from api.send(Request("GET", api.path("skill")), absent_ok=True)
    return None if answer.status == 404 else api.read(answer, Skill.from_dict)


def create_skill(api: ProjectApi, n_passed: int | None, n_failed: int | None) -> Flow[Skill]:
    """Creates the next version of the skill."""
    counts = {"n_passed": n_passed, "n_failed": n_failed}
    body = {name: count for name, count in counts.items() if count is not None}
    return api.post(Skill.from_dict, api.path("skill", "create"), body, idempotency_key=new_trace_id())


def _masked(api: ProjectApi, body: dict[str, Any]) -> dict[str, Any]:
    try:
        return {**body, "task": masked_text(api.mask, body["task"])}
    except Exception as problem:
        raise MaskError("The mask raised an exception for a task, so no memories were retrieved.") from problem
