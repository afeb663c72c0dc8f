"""Checks of lessons and retrievals that do not depend on the model's wording."""

from __future__ import annotations

from typing import Any

import httpx

from cases.runs import SLACK

TEXTS = ("task", "reflection", "summary", "guidance", "key_mistake", "correct_action")
LISTS = ("applicable_tools", "tools_used")


def check_lesson(memory: dict[str, Any], *, model: str, trace_id: str, success: bool) -> None:
    """Fails unless the real model wrote this memory about this run, or the server rejected what it wrote."""
    origin, note = memory["origin"], memory["note"]
    if origin == "offline":
        # A small model may write what must not be served. An answer that cannot be parsed is another fault.
        assert "rejected" in note, f"the model's lesson could not be read; the server used a fallback: {note}"
    else:
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
    """Fails if the server used keyword search: that would prove nothing about the embedder."""
    degraded = response.headers.get("x-reflect-degraded")
    assert degraded is None, f"memories were found by keywords, not by embedding: {degraded}"


def check_utility(memory: dict[str, Any], expected: float) -> None:
    """Fails unless the utility is the expected one."""
    assert abs(memory["q_value"] - expected) < SLACK, f"q_value is {memory['q_value']}, expected {expected}"


def check_moved(http: httpx.Client, first: str, second: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fails unless a pass moved the first memory and made the second one. Returns both."""
    moved, made = (read_memory(http, memory_id) for memory_id in (first, second))
    check_utility(moved, 0.65)
    check_utility(made, 0.5)
    return moved, made


def check_served(found: list[dict[str, Any]], *stored: dict[str, Any]) -> None:
    """Fails unless each lesson of these memories is served once."""
    expected = {memory["lesson_id"] for memory in stored}
    served = [memory["lesson_id"] for memory in found]
    assert sorted(served) == sorted(expected), f"the lessons {served} are served, expected {expected}"


def read_memory(http: httpx.Client, memory_id: str) -> dict[str, Any]:
    """A stored memory."""
    answer = http.get(f"/memories/{memory_id}")
    assert answer.status_code == 200, f"memory {memory_id}: {answer.status_code} {answer.text}"
    memory: dict[str, Any] = answer.json()
    return memory
