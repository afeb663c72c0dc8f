"""The receipts of recent retrievals in this context, by task.

A caller that stores a run with `create_trace` and forgets `retrieved_memory_ids` would silently break credit. So
each retrieval is remembered in its context, and a run of the same task without memory ids gets its receipt.
"""

from __future__ import annotations

import logging
from contextvars import ContextVar

_log = logging.getLogger("reflect_sdk")

# More retrievals than a run makes before it is stored.
_MAX_RECEIPTS = 32

_receipts: ContextVar[tuple[tuple[tuple[str, str, str], str], ...]] = ContextVar("reflect_sdk_receipts", default=())
_warned: set[str] = set()


def remember(base_url: str, project_id: str, task: str, retrieval_id: str | None) -> None:
    """Remembers the receipt of a retrieval."""
    if retrieval_id is None:
        return
    key = (base_url, project_id, task)
    kept = tuple(entry for entry in _receipts.get() if entry[0] != key)
    _receipts.set((*kept[-(_MAX_RECEIPTS - 1) :], (key, retrieval_id)))


def receipt_for(base_url: str, project_id: str, task: str, *, named: bool) -> str | None:
    """The receipt for a run of this task without memory ids. Each receipt is used at most once."""
    key = (base_url, project_id, task)
    for entry in _receipts.get():
        if entry[0] == key:
            _receipts.set(tuple(other for other in _receipts.get() if other is not entry))
            if named:
                return None
            _warn_once()
            return entry[1]
    return None


def _warn_once() -> None:
    if "receipt" not in _warned:
        _warned.add("receipt")
        _log.warning(
            "create_trace was called without retrieved_memory_ids although memories were retrieved for its task; "
            "the receipt of that retrieval is sent instead. Pass retrieved_memory_ids=[m.id for m in memories], "
            "or use `with client.trace(task)`. This message is logged once."
        )
