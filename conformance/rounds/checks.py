"""What must hold of a lesson and of a search, whatever words the model finds."""

from __future__ import annotations

from typing import Any

import httpx

from cases.runs import SLACK

TEXTS = ("task", "reflection", "summary", "guidance", "key_mistake", "correct_action")
LISTS = ("applicable_tools", "tools_used")


def check_lesson(memory: dict[str, Any], *, model: str, trace_id: str, success: bool) -> None:
    """Fails unless the real model wrote this memory about this run."""
    origin, note = memory["origin"], memory["note"]
    assert origin != "offline", f"no lesson of the model could be read; the server did without: {note}"
    assert origin == "review", f"origin is {origin!r}"
    assert memory["model"] == model, f"the lesson was written by {memory['model']!r}, not by {model!r}"
    assert memory["source_trace_id"] == trace_id, f"it was learned from {memory['source_trace_id']!r}"
    assert memory["success"] is success, f"success is {memory['success']!r}"
    for name in TEXTS:
        assert isinstance(memory[name], str), f"{name} is {memory[name]!r}"
    assert memory["reflection"].strip(), "the reflection is empty"
    for name in LISTS:
        assert all(isinstance(one, str) for one in memory[name]), f"{name} is {memory[name]!r}"


def check_by_meaning(response: httpx.Response) -> None:
    """Fails when the search was one for words: that would prove nothing about the embedder."""
    degraded = response.headers.get("x-reflect-degraded")
    assert degraded is None, f"memories were found by their words, not by meaning: {degraded}"


def check_utility(memory: dict[str, Any], expected: float) -> None:
    """Fails unless the utility is the expected one."""
    assert abs(memory["q_value"] - expected) < SLACK, f"q_value is {memory['q_value']}, expected {expected}"


def the_one(memories: list[dict[str, Any]], memory_id: str) -> dict[str, Any]:
    """The memory with this id."""
    for memory in memories:
        if memory["id"] == memory_id:
            return memory
    raise AssertionError(f"memory {memory_id} is not among the {len(memories)} that were found")
