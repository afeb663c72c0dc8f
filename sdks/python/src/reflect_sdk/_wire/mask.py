"""Applies the user's mask to texts before they leave the process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from reflect_sdk._type_guards import is_list, is_object
from reflect_sdk._wire.encode import jsonable

Mask: TypeAlias = Callable[[str], str]

# Fields with protocol values. All other fields contain user text.
_TRACE_PROTOCOL_FIELDS = frozenset(
    {"trace_id", "retrieval_id", "retrieved_memory_ids", "used_memory_ids", "model", "keys"}
)
_REVIEW_PROTOCOL_FIELDS = frozenset({"result", "alpha", "trace_id", "replace"})
_SIGNAL_PROTOCOL_FIELDS = frozenset(
    {"source", "trace_id", "key", "outcome", "score", "occurred_at", "idempotency_key", "url"}
)
_MESSAGE_PROTOCOL_FIELDS = frozenset({"role", "type"})
_STEP_PROTOCOL_FIELDS = frozenset({"retrieval_id"})


def masked_trace(mask: Mask | None, payload: dict[str, Any]) -> dict[str, Any]:
    """A trace with the mask applied to every user text."""
    if mask is None:
        return payload
    plain = jsonable(payload)
    safe = _entries(mask, plain, _TRACE_PROTOCOL_FIELDS | {"review", "trajectory"})
    if "review" in plain:
        safe["review"] = masked_review(mask, plain["review"])
    trajectory = plain.get("trajectory")
    if is_list(trajectory):
        safe["trajectory"] = [
            _message(mask, message) if is_object(message) else masked_text(mask, message) for message in trajectory
        ]
    else:
        safe["trajectory"] = masked_text(mask, trajectory)
    return safe


def masked_review(mask: Mask | None, payload: dict[str, Any]) -> dict[str, Any]:
    """A review with the mask applied to its feedback or lesson."""
    return payload if mask is None else _entries(mask, payload, _REVIEW_PROTOCOL_FIELDS)


def masked_signal(mask: Mask | None, payload: dict[str, Any]) -> dict[str, Any]:
    """A signal with the mask applied to its comment and its metadata."""
    return payload if mask is None else _entries(mask, jsonable(payload), _SIGNAL_PROTOCOL_FIELDS)


def masked_text(mask: Mask | None, value: Any) -> Any:
    """A value with the mask applied to every string in it; field names do not change."""
    if mask is None:
        return value
    if isinstance(value, str):
        return mask(value)
    if is_list(value):
        return [masked_text(mask, entry) for entry in value]
    if is_object(value):
        return _entries(mask, value, frozenset())
    return value


def _message(mask: Mask, message: dict[str, Any]) -> dict[str, Any]:
    safe = _entries(mask, message, _MESSAGE_PROTOCOL_FIELDS)
    step = message.get("reflect_step")
    if is_object(step):
        safe["reflect_step"] = _entries(mask, step, _STEP_PROTOCOL_FIELDS)
    return safe


def _entries(mask: Mask, values: dict[str, Any], unmasked: frozenset[str]) -> dict[str, Any]:
    return {name: value if name in unmasked else masked_text(mask, value) for name, value in values.items()}
