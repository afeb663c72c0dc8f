"""Advice for the checks of the learning loop, in terms of the Python client, derived from the figures of the check.

The server's advice is about HTTP. A check without an entry here uses the server's advice.
"""

from __future__ import annotations

import math

from reflect_sdk.models import HealthCheck

# Below this similarity, tasks are usually unrelated, so a lower threshold would return wrong memories.
_RELATED = 0.2

_ADVICE = {
    "credit_lost": "Use `with client.trace(task)`, or pass retrieved_memory_ids=[m.id for m in augmented.memories] "
    "to create_trace.",
    "nobody_reviews": "Pass result= to ctx.set_output, or review what is pending: "
    'client.iter_traces(review_status="pending") and client.review_traces([...]).',
    "sdk_losing_data": "Look at client.delivery and at the log of reflect_sdk.delivery of that client.",
    "keys_expiring": "Call client.rotate_api_key(key_id) with a key that has key:manage, and use the new key.",
}


def advice_for(check: HealthCheck) -> str:
    """What to do about a failed check."""
    if check.check == "always_empty":
        return _always_empty(check)
    return _ADVICE.get(check.check, check.fix)


def _always_empty(check: HealthCheck) -> str:
    """Retrievals return nothing: the figures say why."""
    empty = _figure(check, "empty") or 0.0
    if 2 * (_figure(check, "without_room") or 0.0) > empty:
        return "Memories were found but did not fit: pass a larger max_tokens, or memory_tokens to the client."
    if 2 * (_figure(check, "degraded") or 0.0) > empty:
        return "The server searched by keywords, because its embedding model did not answer: configure one that does."
    nearest = _figure(check, "near_miss")
    if nearest is None:
        return "No memory was compared: check metadata_filter, and that project_id is the project with the memories."
    if nearest < _RELATED:
        return (
            f"The nearest memories have a similarity of only {nearest:.2f}, so a lower similarity_threshold would "
            "return unrelated ones. Retrieve with the same task text that the runs are recorded with, without "
            "instructions or history, and review runs of these tasks."
        )
    threshold = math.floor(nearest * 20) / 20
    return (
        f"The nearest memories have a similarity of {nearest:.2f}: while there are few memories, retrieve with "
        f"similarity_threshold={threshold:g} and lambda_=0.1."
    )


def _figure(check: HealthCheck, name: str) -> float | None:
    value = check.numbers.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)
