"""Memories, retrievals and skills."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reflect_sdk.models._base import Model, expect_list, expect_object, expect_text, extra


@dataclass(frozen=True, slots=True)
class Memory(Model):
    """A lesson from an earlier run, with its measured value.

    `utility` is the value used for ranking; `q_value` is the number of the classic ranking. `credit` is the result
    of runs that used the memory, relative to the expected result, based on `evidence` reviews. `runs` is the number
    of runs that taught this lesson, and `passed_runs` of them passed. Other memories can have the same lesson
    (`lesson_id`); `support` says for how many of the closest memories it stands, as `situations` and `of`.
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
    passes: int = 0
    runs: int = 1
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    retrieval_id: str | None = None
    source_trace_id: str | None = None
    origin: str | None = None
    model: str | None = None
    note: str | None = None
    created_at: str | None = None
    passed_runs: int = 0
    lesson_id: str | None = None
    support: dict[str, Any] | None = None
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class StoredMemory(Model):
    """A memory as it is stored, of any status. Its texts are not neutralised: do not put them into a prompt.

    `status` is "active" if the memory may be served; other values are "quarantined", "retired", "disabled",
    "merged", "deleted" and "erased". `version` counts the edits. `get_memory` also returns `provenance` (the run
    and the review that it comes from) and all `versions` of its text. After a change, `action_id` identifies it, so
    that it can be undone. Other memories can have the same lesson (`lesson_id`). `absorbed` counts further runs with
    the same advice about nearly the same task; `superseded_by` is the review whose run contradicts it.
    """

    id: str
    task: str = ""
    reflection: str = ""
    status: str = "active"
    version: int = 1
    summary: str = ""
    guidance: str = ""
    key_mistake: str = ""
    correct_action: str = ""
    applicable_tools: list[str] = field(default_factory=list[str])
    tools_used: list[str] = field(default_factory=list[str])
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    q_value: float = 0.5
    utility: float = 0.5
    credit: float = 0.5
    evidence: int = 0
    credit_interval: list[float] = field(default_factory=list[float])
    reviews: int = 0
    passes: int = 0
    runs: int = 1
    success: bool | None = None
    pinned: bool = False
    quarantined: bool = False
    flags: list[str] = field(default_factory=list[str])
    origin: str | None = None
    trust: str | None = None
    model: str | None = None
    note: str | None = None
    merged_into: str | None = None
    source_trace_id: str | None = None
    source_review_id: str | None = None
    author_key_id: str | None = None
    created_at: str | None = None
    last_used: str | None = None
    provenance: dict[str, Any] | None = None
    versions: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    action_id: str | None = None
    lesson_id: str | None = None
    superseded_by: str | None = None
    absorbed: int = 0
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class AugmentedTask(Model):
    """A task with its relevant memories.

    `augmented_task` is the text for the prompt: the task, followed by the memories, within the token
    budget. Without memories it is only the task. `memory_block` is the same text without the task, for a system
    prompt; it is empty without memories. `degraded` is the reason why the server searched by keywords only
    or not at all; it is None for a normal retrieval.
    """

    augmented_task: str
    memories: list[Memory] = field(default_factory=list[Memory])
    task: str = ""
    retrieval_id: str | None = None
    degraded: str | None = None
    memory_block: str = ""
    extra: dict[str, Any] = extra()

    @property
    def memory_ids(self) -> list[str]:
        """The ids to send as `retrieved_memory_ids`."""
        return [memory.id for memory in self.memories]


@dataclass(frozen=True, slots=True)
class Retrieval(Model):
    """The receipt of one retrieval: all candidates, each with its outcome (`fate`).

    `degraded` is true if the server searched by keywords only.
    """

    id: str
    task: str = ""
    considered: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    held_out: bool = False
    degraded: bool = False
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])
    created_at: str | None = None
    extra: dict[str, Any] = extra()


class Skill(str):
    """A guide written from the best lessons of a project.

    It is a `str`, so it can be written to a file or put into a prompt directly. `version` and the other fields are
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
        """Creates the skill from a JSON object."""
        data = expect_object(data)
        skill = cls(expect_text(data.get("content"), "content"))
        skill.version = data.get("version") or 0
        skill.n_passed = data.get("n_passed") or 0
        skill.n_failed = data.get("n_failed") or 0
        skill.memory_ids = expect_list(data.get("memory_ids") or [], "memory_ids")
        skill.model = data.get("model")
        skill.created_at = data.get("created_at")
        return skill

    @property
    def content(self) -> str:
        """The text, under its wire name."""
        return str(self)
