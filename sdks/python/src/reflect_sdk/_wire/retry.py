"""When to try again, and how long to wait before."""

from __future__ import annotations

import random
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Final

from reflect_sdk._wire.http import Answer, Request, Unreachable

RETRIED_STATUSES: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
FIRST_WAIT, LONGEST_WAIT, LONGEST_RETRY_AFTER = 0.5, 8.0, 60.0


def may_retry(request: Request, outcome: Answer | Unreachable) -> bool:
    """Whether the same request may be sent once more after this."""
    if isinstance(outcome, Unreachable):
        return request.repeatable or not outcome.sent
    return request.repeatable and outcome.status in RETRIED_STATUSES


def wait_before(attempt: int, outcome: Answer | Unreachable) -> float:
    """Seconds before attempt number `attempt` (1 is the first repeat).

    What the server asks for is honoured. Otherwise any time up to a bound that doubles, so that clients which
    failed together do not come back together.
    """
    if isinstance(outcome, Answer):
        asked = retry_after(outcome)
        if asked is not None:
            return min(asked, LONGEST_RETRY_AFTER)
    return random.uniform(0.0, min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1)))


def retry_after(answer: Answer) -> float | None:
    """What `Retry-After-Ms` or `Retry-After` says, in seconds."""
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
        except ValueError:
            continue
        return max(0.0, (when - datetime.now(timezone.utc)).total_seconds())
    return None
