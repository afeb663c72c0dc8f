"""Calls about the server and the project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflect_sdk._calls.base import Caller
from reflect_sdk._unset import UNSET, Unset
from reflect_sdk._wire import projects
from reflect_sdk.models import ApiKeyInfo, CreatedApiKey, DeletedProject, LoopHealth, Project, Uplift


class ProjectCalls(Caller):
    """Keys, settings, and whether the project learns."""

    def health(self) -> dict[str, str]:
        """What the server says of itself; needs no key."""
        return self._run(projects.health(self._place.manners))

    async def health_async(self: Caller) -> dict[str, str]:
        """The same as `health`, awaited."""
        return await self._run_async(projects.health(self._place.manners))

    def loop_health(self) -> LoopHealth:
        """Whether the learning loop is closed: ten checks, worst first, each with what to do."""
        return self._run(projects.loop_health(self._place))

    async def loop_health_async(self: Caller) -> LoopHealth:
        """The same as `loop_health`, awaited."""
        return await self._run_async(projects.loop_health(self._place))

    def uplift(self, *, since: str | None = None, review_error: float | None = None) -> Uplift:
        """By how much runs with memories pass more often than runs that were held out.

        Args:
            since: Leaves out older runs; a time such as "2026-11-01T00:00:00Z".
            review_error: The share of reviews that are wrong, below 0.5, when you know it.
        """
        return self._run(projects.uplift(self._place, since, review_error))

    async def uplift_async(self: Caller, *, since: str | None = None, review_error: float | None = None) -> Uplift:
        """The same as `uplift`, awaited."""
        return await self._run_async(projects.uplift(self._place, since, review_error))

    def list_api_keys(self) -> list[ApiKeyInfo]:
        """All keys, newest first, without their texts."""
        return self._run(projects.list_keys(self._place))

    async def list_api_keys_async(self: Caller) -> list[ApiKeyInfo]:
        """The same as `list_api_keys`, awaited."""
        return await self._run_async(projects.list_keys(self._place))

    def create_api_key(self, *, label: str, scopes: Sequence[str], environment: str = "live") -> CreatedApiKey:
        """A new key with its text, which is shown this once.

        Args:
            label: What it is for.
            scopes: What it may do, such as "memory:read" and "trace:write".
            environment: "live" or "test"; shows in the key's text.
        """
        return self._run(projects.create_key(self._place, label, scopes, environment))

    async def create_api_key_async(
        self: Caller, *, label: str, scopes: Sequence[str], environment: str = "live"
    ) -> CreatedApiKey:
        """The same as `create_api_key`, awaited."""
        return await self._run_async(projects.create_key(self._place, label, scopes, environment))

    def revoke_api_key(self, key_id: str) -> ApiKeyInfo:
        """Revokes a key; it stops working within seconds."""
        return self._run(projects.revoke_key(self._place, key_id))

    async def revoke_api_key_async(self: Caller, key_id: str) -> ApiKeyInfo:
        """The same as `revoke_api_key`, awaited."""
        return await self._run_async(projects.revoke_key(self._place, key_id))

    def get_project(self) -> Project:
        """How the project is set."""
        return self._run(projects.get_project(self._place))

    async def get_project_async(self: Caller) -> Project:
        """The same as `get_project`, awaited."""
        return await self._run_async(projects.get_project(self._place))

    def update_project(
        self,
        *,
        ranking: str | Unset = UNSET,
        daily_tokens: int | Unset | None = UNSET,
        holdout_rate: float | Unset = UNSET,
    ) -> Project:
        """Changes settings of the project; those that are not named stay as they are.

        Args:
            ranking: What is taken for a memory's utility: "learned" or "classic".
            daily_tokens: The most that lessons may cost in a day, in tokens; None for the server's own setting.
            holdout_rate: The share of retrievals, 0 to 0.5, that get no memories, so that uplift can be told.
        """
        return self._run(projects.update_project(self._place, _named(locals())))

    async def update_project_async(
        self: Caller,
        *,
        ranking: str | Unset = UNSET,
        daily_tokens: int | Unset | None = UNSET,
        holdout_rate: float | Unset = UNSET,
    ) -> Project:
        """The same as `update_project`, awaited."""
        return await self._run_async(projects.update_project(self._place, _named(locals())))

    def delete_project(self) -> DeletedProject:
        """Deletes the project with all its runs and memories. There is no way back."""
        return self._run(projects.delete_project(self._place))

    async def delete_project_async(self: Caller) -> DeletedProject:
        """The same as `delete_project`, awaited."""
        return await self._run_async(projects.delete_project(self._place))


def _named(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that were named."""
    names = ("ranking", "daily_tokens", "holdout_rate")
    return {name: given[name] for name in names if given[name] is not UNSET}
