"""Builds request bodies from the arguments of the calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias, cast

from reflect_sdk._arguments import unknown_field
from reflect_sdk._type_guards import is_mapping
from reflect_sdk.errors import InvalidArgumentError, InvalidReviewResultError

# A list of messages, or a string: messages as JSON text, or free text.
TrajectoryInput: TypeAlias = "Sequence[Mapping[str, Any]] | str"

# The fields of a review in a batch.
REVIEW_FIELDS = (
    "trace_id",
    "result",
    "feedback_text",
    "alpha",
    "replace",
    "reflection",
    "grace_seconds",
    "reviewer",
)

# The fields of a signal.
SIGNAL_FIELDS = (
    "source",
    "trace_id",
    "key",
    "outcome",
    "score",
    "occurred_at",
    "idempotency_key",
    "comment",
    "url",
    "metadata",
)

_RESULTS = {"pass": "pass", "success": "pass", "fail": "fail", "failure": "fail"}


def review_result(given: str) -> str:
    """Normalizes a result to `pass` or `fail`. Case is ignored."""
    result = _RESULTS.get(given.strip().lower()) if isinstance(given, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
    if result is None:
        raise InvalidReviewResultError(
            f"The result of a review must be pass, fail, success or failure, not {given!r}.",
            hint="To defer the review, omit the result.",
        )
    return result


def review(
    result: str,
    feedback_text: str | None,
    alpha: float | None,
    reflection: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The JSON body of a review."""
    body: dict[str, Any] = {"result": review_result(result), "feedback_text": feedback_text}
    if alpha is not None:
        body["alpha"] = alpha
    if reflection is not None:
        body["reflection"] = dict(reflection)
    return body


def review_of_trace(given: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON body of one review of a batch, from the caller's mapping."""
    if not is_mapping(given):
        raise InvalidArgumentError(f"A review is a dict, not {type(given).__name__}.")
    for name in given:
        if name not in REVIEW_FIELDS:
            raise unknown_field("A review has no field", name, REVIEW_FIELDS)
    missing = {"trace_id", "result"} - given.keys()
    if missing:
        raise InvalidArgumentError(f"A review needs {' and '.join(sorted(missing))}, got {dict(given)!r}.")
    return {**given, "result": review_result(str(given["result"]))}


def signal(call: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON body of a signal, from the caller's arguments or mapping."""
    if not is_mapping(given):
        raise InvalidArgumentError(f"{call}: a signal is a dict, not {type(given).__name__}.")
    for name in given:
        if name not in SIGNAL_FIELDS:
            raise unknown_field("A signal has no field", name, SIGNAL_FIELDS)
    body = {name: value for name, value in given.items() if value is not None}
    if not body.get("source"):
        raise InvalidArgumentError(f"{call}: a signal needs a source, such as ci.")
    for one, other in (("trace_id", "key"), ("outcome", "score")):
        if (one in body) == (other in body):
            raise InvalidArgumentError(f"{call}: pass exactly one of {one} and {other}.")
    if "key" in body:
        body["key"] = _key(call, body["key"])
    if "outcome" in body:
        body["outcome"] = review_result(body["outcome"])
    occurred_at = body.get("occurred_at")
    if isinstance(occurred_at, datetime):
        # A time without a zone is the local one, as everywhere in Python.
        body["occurred_at"] = occurred_at.astimezone().isoformat()
    return body


def _key(call: str, given: object) -> dict[str, str]:
    if is_mapping(given) and set(given) == {"name", "value"}:
        return {"name": str(given["name"]), "value": str(given["value"])}
    if isinstance(given, tuple) and len(cast("tuple[object, ...]", given)) == 2:
        name, value = cast("tuple[object, object]", given)
        return {"name": str(name), "value": str(value)}
    raise InvalidArgumentError(f"{call}: a key is a name and a value, such as ('commit', '4f2a9c1'), not {given!r}.")


def trace(
    *,
    trace_id: str,
    task: str,
    trajectory: TrajectoryInput,
    final_response: str | None = None,
    retrieved_memory_ids: Sequence[str] = (),
    model: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    review: Mapping[str, Any] | None = None,
    reference_context: str | None = None,
    retrieval_id: str | None = None,
    used_memory_ids: Sequence[str] | None = None,
    keys: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The JSON body of a trace."""
    body: dict[str, Any] = {
        "trace_id": trace_id,
        "task": task,
        "trajectory": _messages(trajectory),
        "retrieved_memory_ids": list(retrieved_memory_ids),
        "model": model,
        "metadata": dict(metadata or {}),
    }
    optional: dict[str, Any] = {
        "final_response": final_response,
        "reference_context": reference_context,
        "retrieval_id": retrieval_id,
        "used_memory_ids": None if used_memory_ids is None else list(used_memory_ids),
        "keys": None if not keys else dict(keys),
        "review": review,
    }
    body.update((name, value) for name, value in optional.items() if value is not None)
    return body


def _messages(trajectory: object) -> object:
    """The messages as a list; a single message becomes a list of one."""
    if isinstance(trajectory, str):
        return trajectory
    if is_mapping(trajectory):
        return [trajectory]
    return list(cast("Iterable[object]", trajectory))


def query(
    *,
    task: str,
    limit: int,
    lambda_: float | None = None,
    mmr_lambda: float | None = None,
    similarity_threshold: float | None = None,
    metadata_filter: Mapping[str, Any] | None = None,
    ranking: str | None = None,
    max_tokens: int | None = None,
) -> dict[str, Any]:
    """The JSON body of a query for memories."""
    body: dict[str, Any] = {"task": task, "limit": limit}
    optional: dict[str, Any] = {
        "lambda": lambda_,
        "mmr_lambda": mmr_lambda,
        "similarity_threshold": similarity_threshold,
        "metadata_filter": None if metadata_filter is None else dict(metadata_filter),
        "ranking": ranking,
        "max_tokens": max_tokens,
    }
    body.update((name, value) for name, value in optional.items() if value is not None)
    return body
