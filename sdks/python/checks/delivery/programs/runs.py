"""What the producing programs share: runs through the public client, each written down in a ledger.

A line `b` is written before a run and a line `d` after its block has ended, so that it is known what was
produced however the process ends.
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


class Ledger:
    """A file to which processes and threads append whole lines."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def write(self, kind: str, text: str) -> None:
        """Appends a line; it is there when this returns, also after a kill."""
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
        self._ledger = Ledger(order["ledger"])
        self._text = "The sum is 4. " * (order.get("size", 2000) // 14 + 1)
        self._numbers = itertools.count()

    def one(self) -> None:
        """One run with a marker that no other run has."""
        marker = secrets.token_hex(12)
        self._ledger.write("b", marker)
        with self.client.trace(f"add {marker}", metadata={"marker": marker}) as ctx:
            self._say(ctx)
        self._ledger.write("d", marker)

    async def one_async(self) -> None:
        """The same in an event loop."""
        marker = secrets.token_hex(12)
        self._ledger.write("b", marker)
        async with self.client.trace_async(f"add {marker}", metadata={"marker": marker}) as ctx:
            self._say(ctx)
        self._ledger.write("d", marker)

    def _say(self, ctx: Any) -> None:
        # Every tenth has its review, which is dropped last and learned from.
        result = "pass" if next(self._numbers) % 10 == 9 else None
        ctx.set_output(trajectory=[{"role": "assistant", "content": self._text}], result=result)

    def many(self, count: int) -> None:
        """So many, one after the other."""
        for _ in range(count):
            self.one()

    def note_dropped(self) -> None:
        """Writes down what this process has lost so far, by its own count."""
        self._ledger.write("x", json.dumps(dict(self.client.delivery.dropped)))


def told(word: str) -> None:
    """Waits until the check says this word."""
    line = sys.stdin.readline().strip()
    if line != word:
        raise SystemExit(f"expected {word!r}, got {line!r}")


def tell(word: str) -> None:
    """Says a word to the check."""
    print(word, flush=True)
