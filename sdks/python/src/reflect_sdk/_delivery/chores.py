"""What is done about once a minute, beside sending."""

from __future__ import annotations

import logging
import time

from reflect_sdk._delivery.folder import measure, remove_outdated
from reflect_sdk._delivery.state import State

INTERVAL = 60.0
_DAY_MS = 24 * 3600 * 1000


def do_chores(state: State) -> None:
    """Looks for segments that nobody owns any more, measures the spool, gives up what is too old."""
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
                state.notices.say(
                    logging.WARNING,
                    f"{path} was not sent for {days:g} days and was removed; {runs} run(s) in it are lost.",
                )
        if state.budget is not None and used is not None:
            state.budget.set(used)
        for lane in state.lanes.values():
            old = [entry for entry in lane.waiting_entries() if entry.written_ms < horizon]
            state.drop(old, "expired", f"they could not be sent for {days:g} days")
            if lane.journal is not None:
                lane.journal.tidy()
                lane.sweep = True
        state.guard.news.notify_all()
    state.notices.emit()
