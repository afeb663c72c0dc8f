"""Memories, and tasks with their memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reflect_sdk.models._base import Model, extra, several


@dataclass(frozen=True, slots=True)
class Memory(Model):
    """A lesson from an earlier run, with what it has been worth since.

    `q_value` is the published utility. `utility` is what the answer was ranked by, `credit` what runs that used
    the memory were worth beyond expectation, resting on `evidence` reviews.
    """

    id: str
    task: str = ""
    reflection: str = ""
    q_value: float = 0.5
    similarity: float = 0.0
    score: float = 0.0
    success: bool | None = None
    summary: str = ""
    guidance: str = ""
    key_mistake: str = ""
    correct_action: str = ""
    applicable_tools: list[str] = field(default_factory=list[str])
    tools_used: list[str] = field(default_factory=list[str])
    utility: float = 0.5
    credit: float = 0.5
    evidence: int = 0
    credit_interval: list[float] = field(default_factory=list[float])
    reviews: int = 0
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    retrieval_id: str | None = None
    source_trace_id: str | None = None
    origin: str | None = None
    model: str | None = None
    note: str | None = None
    created_at: str | None = None
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class AugmentedTask(Model):
    """A task with the memories that may help with it.

    `augmented_task` is meant for the prompt: the task, and below it the memories, escaped and within the token
    budget. It is the task alone when there are none. `degraded` says why memories were searched by their words
    only, or not at all, and is None when all went well.
    """

    augmented_task: str
    memories: list[Memory] = several(Memory)
    task: str = ""
    retrieval_id: str | None = None
    degraded: str | None = None
    extra: dict[str, Any] = extra()

    @property
    def memory_ids(self) -> list[str]:
        """The ids to send as `retrieved_memory_ids`."""
        return [memory.id for memory in self.memories]


@dataclass(frozen=True, slots=True)
class Retrieval(Model):
    """The receipt of one search for memories: all that were considered, each with what became of it (`fate`)."""

    id: str
    task: str = ""
    considered: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    held_out: bool = False
    degraded: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])
    created_at: str | None = None
    extra: dict[str, Any] = extra()


class Skill(str):
    """The guide that a project's best lessons add up to.

    It is its own text, so it can be written to a file or put into a prompt as it is; `version` and the rest are
    attributes.
    """

    version: int
    n_passed: int
    n_failed: int
    memory_ids: list[str]
    model: str | None
    created_at: str | None

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Skill:
        """The skill of a JSON object."""
        skill = cls(data.get("content") or "")
        skill.version = data.get("version") or 0
        skill.n_passed = data.get("n_passed") or 0
        skill.n_failed = data.get("n_failed") or 0
        skill.memory_ids = list(data.get("memory_ids") or [])
        skill.model = data.get("model")
        skill.created_at = data.get("created_at")
        return skill

    @property
    def content(self) -> str:
        """The text, under its name on the wire."""
        return str(self)
