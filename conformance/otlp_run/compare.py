"""Compares a run that arrived as spans with the same run as a client stored it."""

from __future__ import annotations

import json
from typing import Any


def steps_of(listed: dict[str, Any]) -> list[tuple[str, str, str, str, Any]]:
    """What matters of the steps of a trace: kind, tool, call, text and arguments."""
    found = []
    for step in listed["steps"]:
        texts = [part["text"] for part in step["parts"] if part["label"] is None]
        arguments = [json.loads(part["text"]) for part in step["parts"] if part["label"] == "arguments"]
        identity = step["call_id"] or ""
        found.append((step["kind"], step["tool"] or "", identity, "\n".join(texts), arguments))
    return found


def differences(name: str, arrived: Any, stored: Any) -> list[str]:
    """Where the two differ, in words."""
    if arrived == stored:
        return []
    if isinstance(arrived, list) and isinstance(stored, list):
        lines = [f"{name}: {len(arrived)} arrived, {len(stored)} stored"]
        for number in range(max(len(arrived), len(stored))):
            ours = arrived[number] if number < len(arrived) else None
            theirs = stored[number] if number < len(stored) else None
            if ours != theirs:
                lines.append(f"  {number}: arrived {ours!r}\n     stored  {theirs!r}")
        return lines
    return [f"{name}: arrived {arrived!r}, stored {stored!r}"]
