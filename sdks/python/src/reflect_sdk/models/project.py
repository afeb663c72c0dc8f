"""Projects: API keys, settings, health and uplift."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from reflect_sdk.models._base import Model, extra


@dataclass(frozen=True, slots=True)
class ApiKeyInfo(Model):
    """An API key without its secret."""

    id: str
    public_id: str = ""
    label: str = ""
    scopes: list[str] = field(default_factory=list[str])
    environment: str = "live"
    status: str = "active"
    is_master: bool = False
    created_at: str | None = None
    last_used_at: str | None = None
    revoked_at: str | None = None
    expires_at: str | None = None
    trust: str | None = None
    address_ranges: list[str] = field(default_factory=list[str])
    created_by: str | None = None
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class CreatedApiKey(Model):
    """A new API key. `api_key` is its secret, which cannot be read again."""

    api_key: str = field(repr=False)
    key: ApiKeyInfo = cast("ApiKeyInfo", None)
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class BootstrapInfo(Model):
    """The first project and its master key."""

    user_id: str
    project_id: str
    api_key: str = field(repr=False)
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class Project(Model):
    """The settings of a project."""

    project_id: str
    ranking: str = "learned"
    daily_tokens: int | None = None
    holdout_rate: float = 0.0
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class DeletedProject(Model):
    """The result of deleting a project."""

    project_id: str = ""
    deleted: bool = True
    revoked_keys: int = 0
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class HealthCheck(Model):
    """One check of the learning loop: its level, what was found, and the fix."""

    check: str
    level: str = "unknown"
    message: str = ""
    fix: str = ""
    numbers: dict[str, Any] = field(default_factory=dict[str, Any])
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class LoopHealth(Model):
    """The state of the learning loop: from run to review to memory to the next run."""

    status: str
    checks: list[HealthCheck] = field(default_factory=list[HealthCheck])
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class Uplift(Model):
    """How much more often runs with memories pass than holdout runs; `message` is a summary in words."""

    message: str = ""
    causal: bool = False
    settled: bool = False
    with_memories: dict[str, Any] = field(default_factory=dict[str, Any])
    without_memories: dict[str, Any] = field(default_factory=dict[str, Any])
    difference: dict[str, Any] | None = None
    corrected: dict[str, Any] | None = None
    more_held_out_reviews: int | None = None
    reason: str | None = None
    since: str | None = None
    extra: dict[str, Any] = extra()
