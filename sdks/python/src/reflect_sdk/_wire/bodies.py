"""The bodies of requests, from what users say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from reflect_sdk._shapes import is_mapping
from reflect_sdk.errors import InvalidReviewResultError

# Messages, or text: JSON text of messages, or anything that somebody wrote down.
TrajectoryInput: TypeAlias = "Sequence[Mapping[str, Any]] | str"

_RESULTS = {"pass": "pass", "success": "pass", "fail": "fail", "failure": "fail"}


def review_result(given: str) -> str:
    """`pass` or `fail`, of any of the four words in any case."""
    result = _RESULTS.get(given.strip().lower()) if isinstance(given, str) else None  # pyright: ignore[reportUnnecessaryIsInstance]
    if result is None:
        raise InvalidReviewResultError(
            f"A review's result is pass, fail, success or failure, not {given!r}.",
            hint="To defer the review, send the run without one.",
        )
    return result


def review(
    result: str,
    feedback_text: str | None,
    alpha: float | None,
    reflection: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A review as the server reads it."""
    body: dict[str, Any] = {"result": review_result(result), "feedback_text": feedback_text}
    if alpha is not None:
        body["alpha"] = alpha
    if reflection is not None:
        body["reflection"] = dict(reflection)
    return body


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
) -> dict[str, Any]:
    """A trace as the server reads it."""
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
        "review": review,
    }
    body.update((name, value) for name, value in optional.items() if value is not None)
    return body


def _messages(trajectory: object) -> object:
    """The messages as a list; one message alone is a list of one."""
    if isinstance(trajectory, str):
        return trajectory
    if is_mapping(trajectory):
        return [trajectory]
    return list(trajectory) if isinstance(trajectory, Iterable) else [trajectory]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def query(
    *,
    task: str,
    limit: int,
    lambda_: float,
    mmr_lambda: float | None = None,
    similarity_threshold: float | None = None,
    metadata_filter: Mapping[str, Any] | None = None,
    ranking: str | None = None,
    max_tokens: int | None = None,
) -> dict[str, Any]:
    """A question for memories as the server reads it."""
    body: dict[str, Any] = {"task": task, "limit": limit, "lambda": lambda_}
    optional: dict[str, Any] = {
        "mmr_lambda": mmr_lambda,
        "similarity_threshold": similarity_threshold,
        "metadata_filter": None if metadata_filter is None else dict(metadata_filter),
        "ranking": ranking,
        "max_tokens": max_tokens,
    }
    body.update((name, value) for name, value in optional.items() if value is not None)
    return body
