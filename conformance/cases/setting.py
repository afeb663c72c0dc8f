"""What a case may use: the server's address, the keys, and a project that is its own."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reflect_sdk import ReflectClient

# How long a case waits for background work. An item that is known not to work yet is not given
# long, so that the list does not slow every run down.
PATIENCE_SECONDS = 30.0
PATIENCE_WHEN_LISTED_SECONDS = 1.0

ALL_SCOPES = (
    "memory:read",
    "memory:write",
    "trace:read",
    "trace:write",
    "review:write",
    "skill:write",
    "key:manage",
    "project:admin",
)


@dataclass(frozen=True)
class Setting:
    """The surroundings of one case."""

    item: int
    project: str
    base_url: str
    base_path: str
    bootstrap_token: str
    master_key: str
    not_yet: frozenset[int]
    # Words in a task that make the provider fail; none when it cannot be told to.
    failing_task: str | None

    @classmethod
    def for_item(cls, item: int, given: Mapping[str, Any]) -> Setting:
        """The setting with a project that no other case touches."""
        fields = {**given, "not_yet": frozenset(given["not_yet"])}
        return cls(item=item, project=unused_project(item), **fields)

    @property
    def patience(self) -> float:
        """Seconds to wait for background work."""
        return PATIENCE_WHEN_LISTED_SECONDS if self.item in self.not_yet else PATIENCE_SECONDS

    def another_project(self) -> str:
        """A further project, also untouched."""
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

    def is_there(self, item: int) -> bool:
        """Whether the server claims to satisfy an item, so that another case may build on it."""
        return item not in self.not_yet


def unused_project(item: int) -> str:
    """The name of a project that does not exist."""
    return f"item-{item}-{secrets.token_hex(4)}"
