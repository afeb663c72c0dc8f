"""The retry policy: when to retry and how long to wait."""

from __future__ import annotations

import random
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Final

from reflect_sdk._wire.http import Answer, Request, Unreachable

RETRIED_STATUSES: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
FIRST_WAIT, MAX_WAIT, MAX_RETRY_AFTER = 0.5, 8.0, 60.0


def may_retry(request: Request, outcome: Answer | Unreachable) -> bool:
    """Whether the request may be retried after this outcome."""
    if isinstance(outcome, Unreachable):
        return request.repeatable or not outcome.sent
    return request.repeatable and outcome.status in RETRIED_STATUSES


def wait_before(attempt: int, outcome: Answer | Unreachable) -> float:
    """Seconds before retry number `attempt` (1 is the first retry).

    Uses the server's `Retry-After` if present. Otherwise exponential backoff with full jitter, which spreads the
    retries of clients that failed at the same time.
    """
    if isinstance(outcome, Answer):
        asked = retry_after(outcome)
        if asked is not None:
            return min(asked, MAX_RETRY_AFTER)
    return random.uniform(0.0, min(MAX_WAIT, FIRST_WAIT * 2 ** (attempt - 1)))


def retry_after(answer: Answer) -> float | None:
    """The value of `Retry-After-Ms` or `Retry-After` in seconds."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = answer.headers.get(name)
        if text is None:
            continue
        try:
            return max(0.0, float(text) * unit)
        except ValueError:
            pass
        try:
            when = parsedate_to_datetime(text)
            # A date with the zone "-0000" has no time zone in Python.
            when = when if when.tzinfo is not None else when.replace(tzinfo=timezone.utc)
            return max(0.0, (when - datetime.now(timezone.utc)).total_seconds())
        except (ValueError, TypeError, OverflowError):
            continue
    return None
