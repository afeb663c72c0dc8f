"""Calls about the server and the project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflect_sdk._calls.base import BaseClient
from reflect_sdk._unset import UNSET, Unset
from reflect_sdk._wire import projects
from reflect_sdk.models import ApiKeyInfo, CreatedApiKey, DeletedProject, LoopHealth, Project, Uplift


class ProjectCalls(BaseClient):
    """API keys, project settings and health."""

    def health(self) -> dict[str, str]:
        """The server's health; needs no key."""
        return self._run(projects.health(self._called("health")))

    async def health_async(self: BaseClient) -> dict[str, str]:
        """The same as `health`, awaited."""
        return await self._run_async(projects.health(self._awaited("health")))

    def loop_health(self) -> LoopHealth:
        """Checks whether the learning loop works: fourteen checks, worst first, each with a fix."""
        return self._run(projects.loop_health(self._called("loop_health")))

    async def loop_health_async(self: BaseClient) -> LoopHealth:
        """The same as `loop_health`, awaited."""
        return await self._run_async(projects.loop_health(self._awaited("loop_health")))

    def uplift(self, *, since: str | None = None, review_error: float | None = None) -> Uplift:
        """How much more often runs with memories pass than holdout runs.

        Args:
            since: Ignores older runs; a timestamp such as "2026-11-01T00:00:00Z".
            review_error: The share of wrong reviews, below 0.5, if known.
        """
        return self._run(projects.uplift(self._called("uplift"), since, review_error))

    async def uplift_async(
        self: BaseClient, *, since: str | None = None, review_error: float | None = None
    ) -> Uplift:
        """The same as `uplift`, awaited."""
        return await self._run_async(projects.uplift(self._awaited("uplift"), since, review_error))

    def list_api_keys(self) -> list[ApiKeyInfo]:
        """All keys, newest first, without their secrets."""
        return self._run(projects.list_keys(self._called("list_api_keys")))

    async def list_api_keys_async(self: BaseClient) -> list[ApiKeyInfo]:
        """The same as `list_api_keys`, awaited."""
        return await self._run_async(projects.list_keys(self._awaited("list_api_keys")))

    def create_api_key(self, *, label: str, scopes: Sequence[str], environment: str = "live") -> CreatedApiKey:
        """Creates a key. The result contains its secret, which cannot be read again.

        Args:
            label: A description of its purpose.
            scopes: What it may do, such as "memory:read" and "trace:write".
            environment: "live" or "test"; part of the key's prefix.
        """
        return self._run(projects.create_key(self._called("create_api_key"), label, scopes, environment))

    async def create_api_key_async(
        self: BaseClient, *, label: str, scopes: Sequence[str], environment: str = "live"
    ) -> CreatedApiKey:
        """The same as `create_api_key`, awaited."""
        return await self._run_async(projects.create_key(self._awaited("create_api_key"), label, scopes, environment))

    def rotate_api_key(self, key_id: str, *, overlap_hours: int | None = None) -> CreatedApiKey:
        """Replaces a key by a new one with the same scopes. The result contains its secret.

        Args:
            key_id: The id of the old key.
            overlap_hours: How long the old key keeps working, 0 to 720 hours; 24 if None.
        """
        return self._run(projects.rotate_key(self._called("rotate_api_key"), key_id, overlap_hours))

    async def rotate_api_key_async(
        self: BaseClient, key_id: str, *, overlap_hours: int | None = None
    ) -> CreatedApiKey:
        """The same as `rotate_api_key`, awaited."""
        return await self._run_async(projects.rotate_key(self._awaited("rotate_api_key"), key_id, overlap_hours))

    def revoke_api_key(self, key_id: str) -> ApiKeyInfo:
        """Revokes a key, and the keys that were created with it; they stop working within seconds."""
        return self._run(projects.revoke_key(self._called("revoke_api_key"), key_id))

    async def revoke_api_key_async(self: BaseClient, key_id: str) -> ApiKeyInfo:
        """The same as `revoke_api_key`, awaited."""
        return await self._run_async(projects.revoke_key(self._awaited("revoke_api_key"), key_id))

    def get_project(self) -> Project:
        """The settings of the project."""
        return self._run(projects.get_project(self._called("get_project")))

    async def get_project_async(self: BaseClient) -> Project:
        """The same as `get_project`, awaited."""
        return await self._run_async(projects.get_project(self._awaited("get_project")))

    def update_project(
        self,
        *,
        ranking: str | Unset = UNSET,
        daily_tokens: int | Unset | None = UNSET,
        holdout_rate: float | Unset = UNSET,
    ) -> Project:
        """Changes settings of the project. Settings that are not passed do not change.

        Args:
            ranking: How the utility of a memory is computed: "learned" or "classic".
            daily_tokens: The maximum number of tokens per day for writing lessons; None for the server's setting.
            holdout_rate: The share of retrievals, 0 to 0.5, that return no memories. Uplift needs it.
        """
        return self._run(projects.update_project(self._called("update_project"), _named(locals())))

    async def update_project_async(
        self: BaseClient,
        *,
        ranking: str | Unset = UNSET,
        daily_tokens: int | Unset | None = UNSET,
        holdout_rate: float | Unset = UNSET,
    ) -> Project:
        """The same as `update_project`, awaited."""
        return await self._run_async(projects.update_project(self._awaited("update_project"), _named(locals())))

    def delete_project(self) -> DeletedProject:
        """Deletes the project with all its runs and memories. This cannot be undone."""
        return self._run(projects.delete_project(self._called("delete_project")))

    async def delete_project_async(self: BaseClient) -> DeletedProject:
        """The same as `delete_project`, awaited."""
        return await self._run_async(projects.delete_project(self._awaited("delete_project")))


def _named(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that the caller passed."""
    names = ("ranking", "daily_tokens", "holdout_rate")
    return {name: given[name] for name in names if given[name] is not UNSET}
