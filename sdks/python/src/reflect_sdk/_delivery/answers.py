"""What an answer to a batch means for each of its runs."""

from __future__ import annotations

import enum
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from reflect_sdk._delivery.post import BatchAnswer
from reflect_sdk._delivery.trouble import Health

# The server may do better next time.
TEMPORARY_CODES = frozenset({"unavailable", "overloaded", "timeout", "internal", "provider_unavailable"})
_BUSY = frozenset({408, 425, 429})
# The body is at fault, so one of its runs is.
_UNACCEPTABLE = frozenset({400, 413, 422})
_LONGEST_MESSAGE = 500


class Fate(enum.Enum):
    """What becomes of one run of a batch."""

    ARRIVED = "arrived"
    AGAIN = "again"
    REJECTED = "rejected"


@dataclass(frozen=True)
class Reading:
    """An answer, understood."""

    fates: Sequence[Fate] = ()
    """One per run, when the server answered for each of them; otherwise empty."""
    words: Sequence[str] = ()
    """What the server said of each run, when it answered for each of them."""
    split: bool = False
    """Send fewer at a time: one of them makes the server refuse or fail."""
    health: Health = Health.GOOD
    message: str = ""
    """What the server said of the whole."""


def read(answer: BatchAnswer, count: int) -> Reading:
    """What an answer says about a batch of `count` runs."""
    status = answer.status
    body = _json(answer.body)
    if status == 200:
        results = body.get("results")
        if isinstance(results, list) and len(cast("list[object]", results)) == count:
            return _each([_object(result) for result in cast("list[object]", results)])
        return Reading(health=Health.BUSY, message="the answer is not one of a Reflect server")
    message = f"{status} {_error_words(_object(body.get('error')))}".strip()
    if status in _UNACCEPTABLE:
        return Reading(split=True, message=message)
    if status >= 500 or status in _BUSY:
        return Reading(split=status == 500, health=Health.BUSY, message=message)
    return Reading(health=Health.REFUSING, message=message)


def _each(results: list[dict[str, Any]]) -> Reading:
    fates: list[Fate] = []
    words: list[str] = []
    for result in results:
        error = _object(result.get("error"))
        if not error:
            fates.append(Fate.ARRIVED)
        else:
            fates.append(Fate.AGAIN if error.get("code") in TEMPORARY_CODES else Fate.REJECTED)
        words.append(_error_words(error))
    return Reading(fates=fates, words=words)


def _error_words(error: dict[str, Any]) -> str:
    code, message = error.get("code", ""), error.get("message", "")
    return f"{code}: {message}"[:_LONGEST_MESSAGE] if code or message else ""


def _json(body: bytes) -> dict[str, Any]:
    try:
        return _object(json.loads(body))
    except (ValueError, RecursionError):
        return {}


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
