"""Interprets the response to a batch.

A run counts as accepted only if the server names it in its response, and as rejected only if the response is an error
of a Reflect server. After every other response, such as the HTML of a proxy, the run is kept and sent again.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from reflect_sdk._body_kind import TRUNCATED, body_kind
from reflect_sdk._delivery.backoff import Health
from reflect_sdk._delivery.post import BatchAnswer

# Temporary errors: a retry may succeed.
TEMPORARY_CODES = frozenset({"unavailable", "overloaded", "timeout", "internal", "provider_unavailable"})
_BUSY = frozenset({408, 425, 429})
# The body is invalid, so at least one of its runs is.
_UNACCEPTABLE = frozenset({400, 413, 422})
_TOO_LARGE = 413
_MAX_MESSAGE = 500


class RecordOutcome(enum.Enum):
    """The outcome of one run of a batch."""

    ACCEPTED = "accepted"
    RETRY = "retry"
    REJECTED = "rejected"


@dataclass(frozen=True)
class BatchOutcome:
    """The parsed response to a batch."""

    outcomes: Sequence[RecordOutcome] = ()
    """One outcome per run if the server returned results per run; otherwise empty."""
    errors: Sequence[str] = ()
    """The error text of each run if the server returned results per run."""
    split: bool = False
    """Retry with a smaller batch: one run makes the server reject the batch or fail."""
    health: Health = Health.GOOD
    foreign: bool = False
    """The response is not from a Reflect server, so it says nothing about the runs."""
    message: str = ""
    """The error text for the whole batch."""


def read(answer: BatchAnswer, count: int) -> BatchOutcome:
    """Interprets the response to a batch of `count` runs."""
    status = answer.status
    body = _json(answer.body)
    if status == 200:
        results = body.get("results")
        if isinstance(results, list) and len(cast("list[object]", results)) == count:
            each = [_object(result) for result in cast("list[object]", results)]
            if all(_names_run(result) for result in each):
                return _each(each)
        return _foreign(answer)
    error = _object(body.get("error"))
    if not error.get("code") and status < 500 and status not in _BUSY:
        return _foreign(answer)
    message = f"{status} {_error_text(error)}".strip()
    if status in _UNACCEPTABLE:
        return BatchOutcome(split=True, message=message)
    if status >= 500 or status in _BUSY:
        return BatchOutcome(split=status == 500, health=Health.BUSY, message=message)
    return BatchOutcome(health=Health.REFUSING, message=message)


def _foreign(answer: BatchAnswer) -> BatchOutcome:
    """The outcome of a response that is not from a Reflect server."""
    kind = "other JSON" if _is_json(answer.body) else body_kind(answer.body, answer.content_type)
    message = f"{answer.status}, the response is {kind}; is a proxy or a sign-in page in front of the server?"
    if answer.status == _TOO_LARGE:
        message = f"{answer.status}, a proxy limits the size of requests; in nginx, raise client_max_body_size"
        return BatchOutcome(split=True, health=Health.BUSY, foreign=True, message=message)
    # A response that broke off is temporary. A sign-in page is not.
    broken = answer.status == 200 and kind == TRUNCATED
    return BatchOutcome(health=Health.BUSY if broken else Health.REFUSING, foreign=True, message=message)


def _names_run(result: dict[str, Any]) -> bool:
    """Whether it is the result of one run: its id, or an error."""
    if "error" in result:
        return bool(_object(result["error"]).get("code"))
    return any(isinstance(result.get(name), str) and result[name] for name in ("trace_id", "id"))


def _each(results: list[dict[str, Any]]) -> BatchOutcome:
    outcomes: list[RecordOutcome] = []
    errors: list[str] = []
    for result in results:
        error = _object(result.get("error"))
        if not error:
            outcomes.append(RecordOutcome.ACCEPTED)
        else:
            outcomes.append(RecordOutcome.RETRY if error.get("code") in TEMPORARY_CODES else RecordOutcome.REJECTED)
        errors.append(_error_text(error))
    return BatchOutcome(outcomes=outcomes, errors=errors)


def _error_text(error: dict[str, Any]) -> str:
    code, message = error.get("code", ""), error.get("message", "")
    return f"{code}: {message}"[:_MAX_MESSAGE] if code or message else ""


def _json(body: bytes) -> dict[str, Any]:
    try:
        return _object(json.loads(body))
    except (ValueError, RecursionError):
        return {}


def _is_json(body: bytes) -> bool:
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
