"""Changes of memories, and what happened to a memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from reflect_sdk.models._base import Model, extra


@dataclass(frozen=True, slots=True)
class Action(Model):
    """A change by a person, a key or the server itself. `undone_at` is set if it was undone.

    `kind` is the kind of change, as in the audit log. `summary` has what was changed, as numbers and ids.
    """

    id: str
    actor: str = ""
    kind: str = ""
    summary: dict[str, Any] = field(default_factory=dict[str, Any])
    memories: int = 0
    reviews: int = 0
    created_at: str | None = None
    undone_at: str | None = None
    undone_by: str | None = None
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class MemoryChange(Model):
    """The result of a change of many memories.

    `matched` memories match the filter, `changed` of them change; the others already have this state, or cannot
    change this way. `memory_ids` has the first of them, at most 20. `effect` says the same as a sentence.
    """

    dry_run: bool
    matched: int = 0
    changed: int = 0
    memory_ids: list[str] = field(default_factory=list[str])
    effect: str = ""
    action_id: str | None = None
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class MemoryHistory(Model):
    """The last 1000 reviews and changes of a memory, oldest first; `left_off` earlier ones are omitted.

    Each step has `at`, and the utility and credit before and after it.
    """

    memory_id: str
    steps: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    left_off: int = 0
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class MemoryUse(Model):
    """A reviewed run that had a memory, with the utility of the memory before and after the review."""

    review_id: str
    trace_id: str | None = None
    task: str | None = None
    result: str = ""
    used: bool | None = None
    rank: int | None = None
    similarity: float | None = None
    q_before: float = 0.0
    q_after: float = 0.0
    at: str | None = None
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class MemoryNeighbour(Model):
    """A memory with a similar task. `reflection` is its stored text: do not put it into a prompt."""

    id: str
    similarity: float = 0.0
    status: str = "active"
    task: str = ""
    reflection: str = ""
    utility: float = 0.0
    q_value: float = 0.0
    credit: float = 0.0
    evidence: int = 0
    extra: dict[str, Any] = extra()


@dataclass(frozen=True, slots=True)
class Erasure(Model):
    """The permanent removal of runs. `state` is "waiting", "running" or "done".

    `removed` has the number of removed rows by table. `stays` says what is kept on purpose, and `copies` where
    copies may still exist.
    """

    id: str
    state: str = "waiting"
    memories: str = "delete"
    traces: int = 0
    removed: dict[str, Any] = field(default_factory=dict[str, Any])
    stays: list[str] = field(default_factory=list[str])
    copies: list[str] = field(default_factory=list[str])
    created_at: str | None = None
    finished_at: str | None = None
    extra: dict[str, Any] = extra()
