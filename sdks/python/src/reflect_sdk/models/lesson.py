"""Lessons, their grouping, and questions about contradictions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from reflect_sdk.models._base import Model, extra
from reflect_sdk.models.memory import StoredMemory


@dataclass(frozen=True, slots=True)
class Lesson(Model):
    """One text for one or more memories. Its texts are not neutralised: do not put them into a prompt.

    `situations` counts its active memories, `runs` the runs that taught it, `passed_runs` those that passed.
    `reviews`, `passes`, `credit`, `evidence` and `credit_interval` are those of its memory with the most reviews. Its
    text is that of the memory `speaker_id`; edit an active memory of the lesson to edit its text. `get_lesson` also
    returns its newest `memories`. After a change, `action_id` identifies it, so that it can be undone.
    """

    id: str
    speaker_id: str = ""
    task: str = ""
    reflection: str = ""
    summary: str = ""
    guidance: str = ""
    key_mistake: str = ""
    correct_action: str = ""
    applicable_tools: list[str] = field(default_factory=list[str])
    version: int = 1
    status: str = "active"
    situations: int = 0
    superseded: int = 0
    absorbed: int = 0
    runs: int = 0
    passed_runs: int = 0
    reviews: int = 0
    passes: int = 0
    credit: float = 0.5
    evidence: int = 0
    credit_interval: list[float] = field(default_factory=list[float])
    credit_range: list[float] = field(default_factory=list[float])
    pinned: bool = False
    flags: list[str] = field(default_factory=list[str])
    created_at: str | None = None
    last_used: str | None = None
    memories: list[StoredMemory] = field(default_factory=list[StoredMemory])
    action_id: str | None = None
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class LessonQuestion(Model):
    """Two lessons that contradict each other about nearly the same task.

    `first` is the older one. Each side has `lesson_id`, `memory_id`, `task`, `reflection`, `source_trace_id`,
    `credit` and `evidence`. `answer` is None while the question is open.
    """

    id: str
    similarity: float = 0.0
    first: dict[str, Any] = field(default_factory=dict[str, Any])
    second: dict[str, Any] = field(default_factory=dict[str, Any])
    answer: str | None = None
    action_id: str | None = None
    answered_by: str | None = None
    answered_at: str | None = None
    created_at: str | None = None
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class LessonGrouping(Model):
    """The grouping of memories that existed before lessons were grouped: `done` of `total` memories are looked at.

    `state` is "waiting", "running", "done" or "reverted".
    """

    state: str
    done: int = 0
    total: int = 0
    action_id: str | None = None
    lessons: int = 0
    situations: int = 0
    extra: dict[str, Any] = extra()
