"""Retrieval that never stops a run."""

from __future__ import annotations

import logging
import time
from typing import Any

from reflect_sdk._wire import memories
from reflect_sdk._wire.http import Flow
from reflect_sdk._wire.place import Place
from reflect_sdk.errors import APIConnectionError, APIStatusError, MaskError
from reflect_sdk.models import AugmentedTask

_log = logging.getLogger("reflect_sdk")

# After a failure a server is left alone for this long, so that every run of a busy agent does not wait for the
# same deadline.
_LEFT_ALONE = 10.0
_SAID_EVERY = 60.0
_down_until: dict[str, float] = {}
_said_at: dict[str, float] = {}


def fail_open(place: Place, body: dict[str, Any], *, raise_refusals: bool) -> Flow[AugmentedTask]:
    """The task with its memories, or the task alone with the reason why."""
    server = place.manners.base_url
    task: str = body["task"]
    if not task.strip():
        return _alone(task, "the task is empty")
    if _down_until.get(server, 0.0) > time.monotonic():
        return _alone(task, "the server did not answer a moment ago")
    try:
        found = yield from memories.augment(place, body, "augment_with_memories" if raise_refusals else "retrieval")
    except MaskError as problem:
        _say(server, f"{problem} The run goes on without memories.")
        return _alone(task, problem.message)
    except APIConnectionError as problem:
        _down_until[server] = time.monotonic() + _LEFT_ALONE
        _say(server, f"{problem} The run goes on without memories.")
        return _alone(task, problem.message)
    except APIStatusError as problem:
        passing = problem.status_code >= 500 or problem.status_code in (408, 425, 429)
        if raise_refusals and not passing:
            raise
        _say(server, f"{problem} The run goes on without memories.")
        return _alone(task, problem.message)
    _down_until.pop(server, None)
    return found


def _alone(task: str, reason: str) -> AugmentedTask:
    return AugmentedTask(augmented_task=task, task=task, degraded=f"no memories: {reason}")


def _say(server: str, message: str) -> None:
    now = time.monotonic()
    if now - _said_at.get(server, -_SAID_EVERY) >= _SAID_EVERY:
        _said_at[server] = now
        _log.warning("%s", message)
