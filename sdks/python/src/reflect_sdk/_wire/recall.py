"""Fail-open retrieval: an unavailable server does not stop a run."""

from __future__ import annotations

import logging
import time
from typing import Any

from reflect_sdk._wire import memories
from reflect_sdk._wire.http import Flow
from reflect_sdk._wire.project_api import ProjectApi
from reflect_sdk.errors import APIConnectionError, APIStatusError, InvalidResponseError, MaskError
from reflect_sdk.models import AugmentedTask

_log = logging.getLogger("reflect_sdk")

# After a failure, retrieval is skipped for this long. Otherwise every run of a busy agent would wait for the
# same timeout.
_COOLDOWN = 10.0
_WARN_INTERVAL = 60.0
_down_until: dict[str, float] = {}
_warned_at: dict[str, float] = {}


def fail_open(api: ProjectApi, body: dict[str, Any], *, raise_refusals: bool) -> Flow[AugmentedTask]:
    """The task with its memories, or only the task with the reason in `degraded`.

    With `raise_refusals`, errors that a retry does not fix are raised: an invalid key, or a response that is not from
    a Reflect server.
    """
    server = api.policy.base_url
    task: str = body["task"]
    if _down_until.get(server, 0.0) > time.monotonic():
        return without_memories(task, "the server did not answer the previous request")
    try:
        found = yield from memories.augment(api, body)
    except MaskError as problem:
        _warn(server, f"{problem} The run continues without memories.")
        return without_memories(task, problem.message)
    except APIConnectionError as problem:
        _down_until[server] = time.monotonic() + _COOLDOWN
        _warn(server, f"{problem} The run continues without memories.")
        return without_memories(task, problem.message)
    except APIStatusError as problem:
        temporary = problem.status_code >= 500 or problem.status_code in (408, 425, 429)
        if raise_refusals and not temporary:
            raise
        _warn(server, f"{problem} The run continues without memories.")
        return without_memories(task, problem.message)
    except InvalidResponseError as problem:
        if raise_refusals:
            raise
        _warn(server, f"{problem} The run continues without memories.")
        return without_memories(task, problem.message)
    _down_until.pop(server, None)
    return found


def without_memories(task: str, reason: str) -> AugmentedTask:
    """Only the task, with the reason in `degraded`."""
    return AugmentedTask(augmented_task=task, task=task, degraded=f"no memories: {reason}")


def _warn(server: str, message: str) -> None:
    now = time.monotonic()
    if now - _warned_at.get(server, -_WARN_INTERVAL) >= _WARN_INTERVAL:
        _warned_at[server] = now
        _log.warning("%s", message)
