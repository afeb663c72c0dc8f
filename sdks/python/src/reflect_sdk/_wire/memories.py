"""Asking for memories, and for the skill they add up to."""

from __future__ import annotations

import logging
from typing import Any

from reflect_sdk._ids import new_trace_id
from reflect_sdk._wire.exchange import exchange
from reflect_sdk._wire.http import Answer, Flow, Request
from reflect_sdk._wire.mask import masked_text
from reflect_sdk._wire.place import Place
from reflect_sdk.errors import MaskError
from reflect_sdk.models import AugmentedTask, Memory, Retrieval, Skill

_log = logging.getLogger("reflect_sdk")
_said: set[str] = set()


def query(place: Place, body: dict[str, Any]) -> Flow[tuple[list[Memory], str | None]]:
    """The memories, best first, and the receipt."""
    answer = yield from place.posted("query_memories", place.path("memory", "query"), _masked(place, body))
    memories = [Memory.from_dict(entry) for entry in answer.json()]
    degraded = answer.headers.get("x-reflect-degraded")
    if degraded is not None and degraded not in _said:
        # A list has no room for it, and similarities of words look like those of a bad embedder.
        _said.add(degraded)
        _log.warning("Memories were searched by their words only: %s. This is said once.", degraded)
    return memories, answer.headers.get("x-retrieval-id")


def augment(place: Place, body: dict[str, Any], what: str = "augment_with_memories") -> Flow[AugmentedTask]:
    """The task with its memories below it, escaped and within the budget; the server writes it.

    With a mask, the server has seen only the masked task. The prompt begins with the task as it is.
    """
    asked = _masked(place, body)
    answer = yield from place.posted(what, place.path("memory", "augment"), asked)
    found: dict[str, Any] = answer.json()
    entries: list[dict[str, Any]] = found.get("memories") or []
    text: str = found.get("augmented_task") or asked["task"]
    if text.startswith(asked["task"]):
        text = body["task"] + text[len(asked["task"]) :]
    return AugmentedTask(
        augmented_task=text,
        memories=[Memory.from_dict(entry) for entry in entries],
        task=body["task"],
        retrieval_id=found.get("retrieval_id"),
        degraded=_degraded(answer, found),
    )


def get_retrieval(place: Place, retrieval_id: str) -> Flow[Retrieval]:
    """The receipt of an earlier search."""
    return Retrieval.from_dict((yield from place.get("get_retrieval", "retrievals", retrieval_id)))


def get_skill(place: Place) -> Flow[Skill | None]:
    """The skill, or None while there is none."""
    request = Request("GET", place.path("skill"))
    answer = yield from exchange(place.manners, request, "get_skill", absent_ok=True)
    if answer.status == 404:
        return None
    return Skill.from_dict(answer.json())


def create_skill(place: Place, n_passed: int | None, n_failed: int | None) -> Flow[Skill]:
    """The next version of the skill."""
    counts = {"n_passed": n_passed, "n_failed": n_failed}
    body = {name: count for name, count in counts.items() if count is not None}
    key = new_trace_id()
    made = yield from place.post("create_skill", place.path("skill", "create"), body, idempotency_key=key)
    return Skill.from_dict(made)


def _masked(place: Place, body: dict[str, Any]) -> dict[str, Any]:
    try:
        return {**body, "task": masked_text(place.mask, body["task"])}
    except Exception as problem:
        raise MaskError("The mask failed on a task, so no memories were asked for.") from problem


def _degraded(answer: Answer, found: dict[str, Any]) -> str | None:
    if not found.get("degraded"):
        return None
    return answer.headers.get("x-reflect-degraded") or "searched by words only"
