"""Projects: their keys, their settings and whether they learn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from reflect_sdk.models._base import Model, extra, nested, several


@dataclass(frozen=True, slots=True)
class ApiKeyInfo(Model):
    """A key without its text."""

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
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class CreatedApiKey(Model):
    """A new key. `api_key` is its text, shown this once."""

    api_key: str = field(repr=False)
    key: ApiKeyInfo = nested(ApiKeyInfo)
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
    """How a project is set."""

    project_id: str
    ranking: str = "learned"
    daily_tokens: int | None = None
    holdout_rate: float = 0.0
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class DeletedProject(Model):
    """The project that is gone."""

    project_id: str = ""
    deleted: bool = True
    revoked_keys: int = 0
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class HealthCheck(Model):
    """One question about the learning loop: how bad it is, what was found, and what to do."""

    check: str
    level: str = "unknown"
    message: str = ""
    fix: str = ""
    numbers: dict[str, Any] = field(default_factory=dict[str, Any])
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class LoopHealth(Model):
    """Whether the learning loop is closed, from run to review to memory to the next run."""

    status: str
    checks: list[HealthCheck] = several(HealthCheck)
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class Uplift(Model):
    """By how much runs with memories pass more often than runs that were held out; `message` says it in words."""

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
