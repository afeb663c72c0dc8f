"""Projects: health of the server, keys, settings, and what shows whether they learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflect_sdk._ids import new_trace_id
from reflect_sdk._wire.encode import encode
from reflect_sdk._wire.exchange import Manners, exchange
from reflect_sdk._wire.http import Flow, Request
from reflect_sdk._wire.place import Place
from reflect_sdk.models import (
    ApiKeyInfo,
    BootstrapInfo,
    CreatedApiKey,
    DeletedProject,
    LoopHealth,
    Project,
    Uplift,
)


def health(manners: Manners) -> Flow[dict[str, str]]:
    """What the server says of itself."""
    answer = yield from exchange(manners, Request("GET", "/health", authorized=False), "health")
    found: dict[str, str] = answer.json()
    return found


def bootstrap(manners: Manners, token: str, body: Mapping[str, str]) -> Flow[BootstrapInfo]:
    """The first project and its master key. It works once, so it is never repeated blindly."""
    headers = {"X-Bootstrap-Token": token}
    request = Request("POST", "/v1/bootstrap", encode(body), headers, repeatable=False, authorized=False)
    answer = yield from exchange(manners, request, "bootstrap")
    return BootstrapInfo.from_dict(answer.json())


def list_keys(place: Place) -> Flow[list[ApiKeyInfo]]:
    """All keys, newest first."""
    keys: list[ApiKeyInfo] = []
    cursor: str | None = None
    while True:
        path = place.path("api-keys", cursor=cursor)
        answer = yield from exchange(place.manners, Request("GET", path), "list_api_keys")
        keys.extend(ApiKeyInfo.from_dict(entry) for entry in answer.json())
        cursor = answer.headers.get("x-next-cursor")
        if cursor is None:
            return keys


def create_key(place: Place, label: str, scopes: Sequence[str], environment: str) -> Flow[CreatedApiKey]:
    """A new key with its text."""
    body: dict[str, Any] = {"label": label, "scopes": list(scopes), "environment": environment}
    key = new_trace_id()
    return CreatedApiKey.from_dict(
        (yield from place.post("create_api_key", place.path("api-keys"), body, idempotency_key=key))
    )


def revoke_key(place: Place, key_id: str) -> Flow[ApiKeyInfo]:
    """The key, revoked."""
    path = place.path("api-keys", key_id, "revoke")
    return ApiKeyInfo.from_dict((yield from place.post("revoke_api_key", path, {})))


def get_project(place: Place) -> Flow[Project]:
    """How the project is set."""
    return Project.from_dict((yield from place.get("get_project")))


def update_project(place: Place, changes: Mapping[str, Any]) -> Flow[Project]:
    """How it is set now."""
    answer = yield from place.posted("update_project", place.path(), changes, method="PATCH")
    return Project.from_dict(answer.json())


def delete_project(place: Place) -> Flow[DeletedProject]:
    """The project that is gone."""
    answer = yield from exchange(place.manners, Request("DELETE", place.path()), "delete_project")
    return DeletedProject.from_dict(answer.json())


def loop_health(place: Place) -> Flow[LoopHealth]:
    """All checks, worst first."""
    return LoopHealth.from_dict((yield from place.get("loop_health", "loop-health")))


def uplift(place: Place, since: str | None, review_error: float | None) -> Flow[Uplift]:
    """Whether memories help."""
    return Uplift.from_dict((yield from place.get("uplift", "uplift", since=since, review_error=review_error)))
