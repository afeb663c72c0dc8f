"""Periodic maintenance of the spool, about once a minute."""

from __future__ import annotations

import logging
import time

from reflect_sdk._delivery.folder import measure, remove_outdated
from reflect_sdk._delivery.state import State

INTERVAL = 60.0
_DAY_MS = 24 * 3600 * 1000


def run_maintenance(state: State) -> None:
    """Adopts segments without an owner, measures the spool, and drops expired runs."""
    days = state.settings.spool_days
    outdated: list[tuple[object, int]] = []
    used: int | None = None
    if state.budget is not None:
        outdated.extend(remove_outdated(state.budget.root, days))
        used = measure(state.budget.root)
    horizon = time.time_ns() // 1_000_000 - days * _DAY_MS
    with state.guard:
        for path, runs in outdated:
            if runs:
                state.stale += runs
                state.log_buffer.add(
                    logging.WARNING,
                    f"{path} could not be sent for {days:g} days and was removed; {runs} run(s) in it are lost.",
                )
        if state.budget is not None and used is not None:
            state.budget.set(used)
        for queue in state.queues.values():
            old = [entry for entry in queue.waiting_entries() if entry.written_ms < horizon]
            state.drop(old, "expired", f"they could not be sent for {days:g} days")
            if queue.journal is not None:
                queue.journal.tidy()
                queue.sweep = True
        state.guard.progress.notify_all()
    state.log_buffer.emit()
