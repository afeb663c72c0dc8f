"""Keeps an eye on the learning loop: says once what the server finds broken, and tells it what this client lost.

Both happen in the outbox's own thread, after a batch was acknowledged or once a minute, so no agent waits for them.
"""

from __future__ import annotations

import json
import logging
import os
import platform
import threading
import time
from urllib.parse import quote
from weakref import WeakSet

from reflect_sdk import _fork
from reflect_sdk._delivery import Destination, Outbox
from reflect_sdk._transport import blocking
from reflect_sdk._transport.address import Address
from reflect_sdk._version import __version__
from reflect_sdk._wire.encode import encode
from reflect_sdk._wire.http import Request, Unreachable

_log = logging.getLogger("reflect_sdk")

# The server looks at thousands of rows to answer, so it is asked seldom, and not for a single run.
HEALTH_EVERY = 3600.0
RUNS_BEFORE_HEALTH = 5
REPORT_EVERY = 300.0
TIMEOUT = 10.0

# The server's advice is about HTTP; who reads this log has Python before them.
_ADVICE = {
    "credit_lost": "Use `with client.trace(task)`, or pass retrieved_memory_ids=[m.id for m in augmented.memories] "
    "to create_trace.",
    "nobody_reviews": "Pass result= to ctx.set_output, or review what is pending: "
    'client.iter_traces(review_status="pending") and client.review_traces([...]).',
    "always_empty": "While there are few memories, retrieve with similarity_threshold=0.2 and lambda_=0.1.",
    "sdk_losing_data": "Look at client.delivery and at the log of reflect_sdk.delivery of that client.",
}

_watched: WeakSet[Outbox] = WeakSet()
_lock = threading.Lock()


def _unlock() -> None:
    """In a forked child: whoever held the lock is not there."""
    global _lock
    _lock = threading.Lock()


_fork.in_child(_unlock)


def watch(outbox: Outbox) -> None:
    """Watches over an outbox from now on; once is enough."""
    if outbox in _watched:
        return
    with _lock:
        if outbox not in _watched:
            _watched.add(outbox)
            watcher = _Watcher(outbox)
            outbox.on_accepted.append(watcher.after_batch)
            outbox.periodic.append(watcher.report)


class _Watcher:
    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        self._batches: dict[Destination, int] = {}
        self._health_at: dict[Destination, float] = {}
        self._said: set[tuple[str, str, str]] = set()
        self._reported: dict[Destination, tuple[int, int, float]] = {}

    def after_batch(self, destination: Destination) -> None:
        """Asks for the loop's health, now and then."""
        self._batches[destination] = self._batches.get(destination, 0) + 1
        now = time.monotonic()
        if now - self._health_at.get(destination, -HEALTH_EVERY) < HEALTH_EVERY:
            return
        if self._outbox.counters().sent < RUNS_BEFORE_HEALTH:
            return
        self._health_at[destination] = now
        self._say(destination, self._send(destination, "GET", "loop-health", None))

    def _say(self, destination: Destination, answer: bytes | None) -> None:
        if answer is None:
            return
        for check in json.loads(answer).get("checks", []):
            key = (destination.base_url, destination.project_id, check.get("check", ""))
            if check.get("level") in ("warning", "failing") and key not in self._said:
                self._said.add(key)
                _log.warning(
                    "Loop health of project %r: %s What to do: %s",
                    destination.project_id,
                    check.get("message", ""),
                    _ADVICE.get(check.get("check", ""), check.get("fix", "")),
                )

    def report(self) -> None:
        """Tells the server what was dropped and what waits here; once there is something, until there is not."""
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

    def _send(self, destination: Destination, method: str, what: str, body: bytes | None) -> bytes | None:
        path = f"/v1/projects/{quote(destination.project_id, safe='')}/{what}"
        address = Address(destination.base_url, destination.api_key)
        try:
            own = blocking.own_client(destination.base_url)
            answer = blocking.send(address, Request(method, path, body, timeout=TIMEOUT), TIMEOUT, own)
        except Unreachable:
            return None
        # A key without the scope gets no warnings; that is no trouble of the run's.
        return answer.body if answer.status < 300 else None


def _name() -> str:
    """Which process this is, for whoever looks for it."""
    return f"{platform.node() or 'unknown'}:{os.getpid()}"[:200]
