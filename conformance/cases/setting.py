"""The resources of a case: the server's address, the keys, and its own project."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reflect_sdk import ReflectClient

# How long a case waits for background work: far above the usual time.
PATIENCE_SECONDS = 30.0

ALL_SCOPES = (
    "memory:read",
    "memory:write",
    "trace:read",
    "trace:write",
    "review:write",
    "signal:write",
    "skill:write",
    "webhook:manage",
    "key:manage",
    "project:admin",
)


@dataclass(frozen=True)
class Setting:
    """The resources of one case."""

    item: int
    project: str
    base_url: str
    # Another process of the same installation, under a path prefix.
    prefixed_url: str
    bootstrap_token: str
    master_key: str
    # Words in a task that make the provider fail.
    failing_task: str
    # Seconds to wait for background work.
    patience: float = PATIENCE_SECONDS

    @classmethod
    def for_item(cls, item: int, given: Mapping[str, Any]) -> Setting:
        """The setting with a project that no other case uses."""
        return cls(item=item, project=unused_project(item), **given)

    def another_project(self) -> str:
        """Another unused project."""
        return unused_project(self.item)

    def client(self, project: str | None = None, *, key: str | None = None) -> ReflectClient:
        """The published client, on the case's own project unless another is named."""
        return ReflectClient(
            base_url=self.base_url,
            api_key=self.master_key if key is None else key,
            project_id=project or self.project,
        )

    def key(self, *scopes: str) -> str:
        """A key of the case's own project, limited to the scopes."""
        return self.client().create_api_key(label=f"item {self.item}", scopes=scopes).api_key


def unused_project(item: int) -> str:
    """The name of a project that does not exist."""
    return f"item-{item}-{secrets.token_hex(4)}"
