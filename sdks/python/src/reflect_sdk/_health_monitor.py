"""Monitors the learning loop: logs failed health checks once a day, and reports lost runs to the server.

Both run in the outbox's thread, after a batch was acknowledged or once a minute, so the application never waits.
"""

from __future__ import annotations

import logging
import os
import platform
import threading
import time
from urllib.parse import quote
from weakref import WeakSet

from reflect_sdk import _fork
from reflect_sdk._delivery import Destination, Outbox
from reflect_sdk._health_advice import advice_for
from reflect_sdk._transport import blocking
from reflect_sdk._transport.address import Address
from reflect_sdk._version import __version__
from reflect_sdk._wire.decode import decoded
from reflect_sdk._wire.encode import encode
from reflect_sdk._wire.http import Answer, Request, Unreachable
from reflect_sdk.errors import InvalidResponseError
from reflect_sdk.models import LoopHealth

# Python prints warnings of a program without logging on stderr, unless a logger has a handler. These warnings are
# only for programs that configure logging: `client.loop_health()` and `reflect doctor` show the same on demand.
_log = logging.getLogger("reflect_sdk.health")
_log.addHandler(logging.NullHandler())

# The server reads thousands of rows for this request, so it is sent rarely, and not for a single run.
HEALTH_EVERY = 3600.0
RUNS_BEFORE_HEALTH = 5
REPORT_EVERY = 300.0
WARN_EVERY = 24 * 3600.0
TIMEOUT = 10.0
MAX_BYTES = 1024 * 1024

# When a warning was logged last. A process logs at most one per day, for all its projects.
_warned_at: list[float] = []
_monitored: WeakSet[Outbox] = WeakSet()
_lock = threading.Lock()


def _reset_lock() -> None:
    """In a forked child: the thread that held the lock does not exist."""
    global _lock
    _lock = threading.Lock()


_fork.in_child(_reset_lock)


def monitor(outbox: Outbox) -> None:
    """Starts monitoring an outbox. Repeated calls have no effect."""
    if outbox in _monitored:
        return
    with _lock:
        if outbox not in _monitored:
            _monitored.add(outbox)
            health_monitor = _HealthMonitor(outbox)
            outbox.on_accepted.append(health_monitor.after_batch)
            outbox.periodic.append(health_monitor.report)


class _HealthMonitor:
    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._batches: dict[Destination, int] = {}
        self._health_at: dict[Destination, float] = {}
        self._reported: dict[Destination, tuple[int, int, float]] = {}

    def after_batch(self, destination: Destination) -> None:
        """Requests the loop health at most once per interval."""
        self._batches[destination] = self._batches.get(destination, 0) + 1
        now = time.monotonic()
        if now - self._health_at.get(destination, -HEALTH_EVERY) < HEALTH_EVERY:
            return
        if _warned_at and now - _warned_at[-1] < WARN_EVERY:
            return
        if self._outbox.counters().sent < RUNS_BEFORE_HEALTH:
            return
        self._health_at[destination] = now
        answer = self._send(destination, "GET", "loop-health", None)
        if answer is not None:
            self._warn(destination, answer)

    def _warn(self, destination: Destination, answer: Answer) -> None:
        """Logs the worst failed check in one line, with the names of the others."""
        try:
            health = decoded(answer, "loop_health", destination.base_url, LoopHealth.from_dict)
        except InvalidResponseError:
            # A proxy answered. Delivery reports it for the runs.
            return
        failed = [check for check in health.checks if check.level in ("warning", "failing")]
        with _lock:
            now = time.monotonic()
            if not failed or (_warned_at and now - _warned_at[-1] < WARN_EVERY):
                return
            _warned_at[:] = [now]
        others = ", ".join(check.check for check in failed[1:])
        _log.warning(
            "Loop health of project %r: %s Fix: %s%s",
            destination.project_id,
            failed[0].message,
            advice_for(failed[0]),
            f" Also: {others}; see client.loop_health()." if others else "",
        )

    def report(self) -> None:
        """Reports dropped and spooled runs to the server, from the first one until both counts are 0 again."""
        counters = self._outbox.counters()
        dropped, spooled = sum(counters.dropped.values()), counters.spooled
        now = time.monotonic()
        for destination in self._batches:
            before = self._reported.get(destination)
            if before is None and dropped == 0 and spooled == 0:
                continue
            if before is not None and (before[:2] == (0, 0) == (dropped, spooled) or now - before[2] < REPORT_EVERY):
                continue
            body = {
                "client": _name(),
                "sdk": f"reflect-sdk {__version__}",
                "dropped": dropped,
                "spooled": spooled,
            }
            if self._send(destination, "POST", "client-reports", encode(body)) is not None:
                self._reported[destination] = (dropped, spooled, now)

    def _send(self, destination: Destination, method: str, what: str, body: bytes | None) -> Answer | None:
        path = f"/v1/projects/{quote(destination.project_id, safe='')}/{what}"
        address = Address(destination.base_url, destination.api_key)
        try:
            own = blocking.registered_client(destination.base_url)
            request = Request(method, path, body, timeout=TIMEOUT, max_bytes=MAX_BYTES)
            answer = blocking.send(address, request, TIMEOUT, own)
        except Unreachable:
            return None
        # A key without the scope gets no warnings; delivery is not affected.
        return answer if answer.status < 300 else None


def _name() -> str:
    """Identifies this process in the server's reports."""
    return f"{platform.node() or 'unknown'}:{os.getpid()}"[:200]
