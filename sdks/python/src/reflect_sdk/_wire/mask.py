"""Masking: what users do to texts before they leave the process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from reflect_sdk._shapes import is_list, is_object
from reflect_sdk._wire.encode import jsonable

Mask: TypeAlias = Callable[[str], str]

# What the server reads as words of its own. Everything else is a text of the user.
_OWN_OF_TRACE = frozenset({"trace_id", "retrieval_id", "retrieved_memory_ids", "used_memory_ids", "model"})
_OWN_OF_REVIEW = frozenset({"result", "alpha", "trace_id", "replace"})
_OWN_OF_MESSAGE = frozenset({"role", "type"})


def masked_trace(mask: Mask | None, payload: dict[str, Any]) -> dict[str, Any]:
    """A trace with every text of the user passed through the mask."""
    if mask is None:
        return payload
    plain = jsonable(payload)
    safe = _entries(mask, plain, _OWN_OF_TRACE | {"review", "trajectory"})
    if "review" in plain:
        safe["review"] = masked_review(mask, plain["review"])
    trajectory = plain.get("trajectory")
    if is_list(trajectory):
        safe["trajectory"] = [
            _entries(mask, message, _OWN_OF_MESSAGE) if is_object(message) else masked_text(mask, message)
            for message in trajectory
        ]
    else:
        safe["trajectory"] = masked_text(mask, trajectory)
    return safe


def masked_review(mask: Mask | None, payload: dict[str, Any]) -> dict[str, Any]:
    """A review with its feedback, or its lesson, passed through the mask."""
    return payload if mask is None else _entries(mask, payload, _OWN_OF_REVIEW)


def masked_text(mask: Mask | None, value: Any) -> Any:
    """Every text in a value passed through the mask; names of fields stay."""
    if mask is None:
        return value
    if isinstance(value, str):
        return mask(value)
    if is_list(value):
        return [masked_text(mask, entry) for entry in value]
    if is_object(value):
        return _entries(mask, value, frozenset())
    return value


def _entries(mask: Mask, values: dict[str, Any], own: frozenset[str]) -> dict[str, Any]:
    return {name: value if name in own else masked_text(mask, value) for name, value in values.items()}
