"""The question that a retrieval asks, from the arguments of the calls that make one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reflect_sdk._calls.base import Caller
from reflect_sdk._wire import bodies


def question(client: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a query. `given` are the arguments of the call; one that writes no prompt has no budget."""
    budget = None
    if "max_tokens" in given:
        budget = given["max_tokens"] or client._settings.memory_tokens  # pyright: ignore[reportPrivateUsage]
    return bodies.query(
        task=given["task"],
        limit=given["limit"],
        lambda_=given["lambda_"],
        mmr_lambda=given["mmr_lambda"],
        similarity_threshold=given["similarity_threshold"],
        metadata_filter=given["metadata_filter"],
        ranking=given["ranking"],
        max_tokens=budget,
    )
