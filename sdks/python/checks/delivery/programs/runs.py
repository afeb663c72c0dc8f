"""The common part of the test programs: runs with the public client, each recorded in a run log.

A line `b` is written before a run and a line `d` after its block has ended, so the log shows what was
produced even if the process is killed.
"""

from __future__ import annotations

import itertools
import json
import os
import secrets
import sys
from typing import Any

from reflect_sdk import ReflectClient

ORDER: dict[str, Any] = json.loads(os.environ["ORDER"])


class RunLog:
    """A file to which processes and threads append whole lines."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write(self, kind: str, text: str) -> None:
        """Appends a line; it is written when this returns, also if the process is killed."""
        os.write(self._fd, f"{kind} {text}\n".encode())


class Runs:
    """Runs of one project."""

    def __init__(self, order: dict[str, Any] = ORDER) -> None:
        self.client = ReflectClient(
            base_url=order["base_url"],
            api_key=order["api_key"],
            project_id=order["project"],
            spool=order["spool"],
        )
        self._run_log = RunLog(order["run_log"])
        self._text = "The sum is 4. " * (order.get("size", 2000) // 14 + 1)
        self._numbers = itertools.count()

    def one(self) -> None:
        """One run with a marker that no other run has."""
        marker = secrets.token_hex(12)
        self._run_log.write("b", marker)
        with self.client.trace(f"add {marker}", metadata={"marker": marker}) as ctx:
            self._say(ctx)
        self._run_log.write("d", marker)

    async def one_async(self) -> None:
        """The same in an event loop."""
        marker = secrets.token_hex(12)
        self._run_log.write("b", marker)
        async with self.client.trace_async(f"add {marker}", metadata={"marker": marker}) as ctx:
            self._say(ctx)
        self._run_log.write("d", marker)

    def _say(self, ctx: Any) -> None:
        # Every tenth run has a review; those are dropped last.
        result = "pass" if next(self._numbers) % 10 == 9 else None
        ctx.set_output(trajectory=[{"role": "assistant", "content": self._text}], result=result)

    def many(self, count: int) -> None:
        """Produces `count` runs sequentially."""
        for _ in range(count):
            self.one()

    def note_dropped(self) -> None:
        """Logs the drops that this process counted."""
        self._run_log.write("x", json.dumps(dict(self.client.delivery.dropped)))


def told(word: str) -> None:
    """Waits for this word from the check."""
    line = sys.stdin.readline().strip()
    if line != word:
        raise SystemExit(f"expected {word!r}, got {line!r}")


def tell(word: str) -> None:
    """Sends a word to the check."""
    print(word, flush=True)
