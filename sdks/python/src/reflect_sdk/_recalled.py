"""Which memories this context asked for last, by task.

Whoever stores a run by hand and forgets `retrieved_memory_ids` would break learning without noticing. So each
retrieval is remembered, in the context in which it was made, and a run of the same task that names no memories
gets its receipt.
"""

from __future__ import annotations

import logging
from contextvars import ContextVar

_log = logging.getLogger("reflect_sdk")

# More than any run asks for before it is stored.
_REMEMBERED = 32

_receipts: ContextVar[tuple[tuple[tuple[str, str, str], str], ...]] = ContextVar("reflect_sdk_receipts", default=())
_said: set[str] = set()


def remember(base_url: str, project_id: str, task: str, retrieval_id: str | None) -> None:
    """Notes the receipt of a retrieval."""
    if retrieval_id is None:
        return
    key = (base_url, project_id, task)
    kept = tuple(entry for entry in _receipts.get() if entry[0] != key)
    _receipts.set((*kept[-(_REMEMBERED - 1) :], (key, retrieval_id)))


def receipt_for(base_url: str, project_id: str, task: str, *, named: bool) -> str | None:
    """The receipt for a run of this task that names no memories; a receipt is used up by the run it belongs to."""
    key = (base_url, project_id, task)
    for entry in _receipts.get():
        if entry[0] == key:
            _receipts.set(tuple(other for other in _receipts.get() if other is not entry))
            if named:
                return None
            _say_once()
            return entry[1]
    return None


def _say_once() -> None:
    if "filled in" not in _said:
        _said.add("filled in")
        _log.warning(
            "create_trace was given no retrieved_memory_ids although memories were retrieved for its task; "
            "the receipt of that retrieval was sent instead. Pass retrieved_memory_ids=[m.id for m in memories], "
            "or use `with client.trace(task)`. This is said once."
        )
