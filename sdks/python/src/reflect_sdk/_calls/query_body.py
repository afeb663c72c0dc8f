"""The request body of a retrieval, from the arguments of the calls that retrieve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reflect_sdk._arguments import require_text
from reflect_sdk._calls.base import BaseClient
from reflect_sdk._wire import bodies


def query_body(client: BaseClient, call: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a query. `given` has the call's arguments; only calls that build a prompt have `max_tokens`."""
    require_text(call, "task", given["task"])
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
