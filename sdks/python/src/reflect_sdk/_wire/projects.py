"""Server health, API keys, project settings, loop health and uplift."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflect_sdk._ids import new_trace_id
from reflect_sdk._wire.decode import decoded, list_of, requiring
from reflect_sdk._wire.encode import encode
from reflect_sdk._wire.exchange import RequestPolicy, exchange
from reflect_sdk._wire.http import Flow, Request
from reflect_sdk._wire.project_api import ProjectApi
from reflect_sdk.models import (
    ApiKeyInfo,
    BootstrapInfo,
    CreatedApiKey,
    DeletedProject,
    LoopHealth,
    Project,
    Uplift,
)
from reflect_sdk.models._base import expect_object


def health(api: ProjectApi) -> Flow[dict[str, str]]:
    """The server's health."""
    answer = yield from api.send(Request("GET", "/health", authorized=False))
    return api.read(answer, lambda value: dict(expect_object(value)))


def bootstrap(policy: RequestPolicy, token: str, body: Mapping[str, str]) -> Flow[BootstrapInfo]:
    """Creates the first project and its master key. It works once, so it is not retried automatically."""
    headers = {"X-Bootstrap-Token": token}
    request = Request("POST", "/v1/bootstrap", encode(body), headers, repeatable=False, authorized=False)
    answer = yield from exchange(policy, request, "bootstrap")
    return decoded(answer, "bootstrap", policy.base_url, BootstrapInfo.from_dict)


def list_keys(api: ProjectApi) -> Flow[list[ApiKeyInfo]]:
    """All keys, newest first."""
    keys: list[ApiKeyInfo] = []
    cursor: str | None = None
    while True:
        answer = yield from api.send(Request("GET", api.path("api-keys", cursor=cursor)))
        keys.extend(api.read(answer, list_of(ApiKeyInfo.from_dict)))
        cursor = answer.headers.get("x-next-cursor")
        if cursor is None:
            return keys


def create_key(api: ProjectApi, label: str, scopes: Sequence[str], environment: str) -> Flow[CreatedApiKey]:
    """Creates a key and returns it with its secret."""
    body: dict[str, Any] = {"label": label, "scopes": list(scopes), "environment": environment}
    read = requiring(CreatedApiKey.from_dict, "key")
    return api.post(read, api.path("api-keys"), body, idempotency_key=new_trace_id())


def rotate_key(api: ProjectApi, key_id: str, overlap_hours: int | None) -> Flow[CreatedApiKey]:
    """Replaces a key and returns the new one with its secret."""
    body = {} if overlap_hours is None else {"overlap_hours": overlap_hours}
    read = requiring(CreatedApiKey.from_dict, "key")
    return api.post(read, api.path("api-keys", key_id, "rotate"), body, idempotency_key=new_trace_id())


def revoke_key(api: ProjectApi, key_id: str) -> Flow[ApiKeyInfo]:
    """The key, revoked."""
    return api.post(ApiKeyInfo.from_dict, api.path("api-keys", key_id, "revoke"), {})


def get_project(api: ProjectApi) -> Flow[Project]:
    """The settings of the project."""
    return api.get(Project.from_dict)


def update_project(api: ProjectApi, changes: Mapping[str, Any]) -> Flow[Project]:
    """Changes settings and returns the new ones."""
    return api.post(Project.from_dict, api.path(), changes, method="PATCH")


def delete_project(api: ProjectApi) -> Flow[DeletedProject]:
    """Deletes the project."""
    answer = yield from api.send(Request("DELETE", api.path()))
    return api.read(answer, requiring(DeletedProject.from_dict, "deleted"))


def loop_health(api: ProjectApi) -> Flow[LoopHealth]:
    """All checks, worst first."""
    return api.get(LoopHealth.from_dict, "loop-health")


def uplift(api: ProjectApi, since: str | None, review_error: float | None) -> Flow[Uplift]:
    """Measures whether memories help."""
    return api.get(requiring(Uplift.from_dict, "message"), "uplift", since=since, review_error=review_error)
