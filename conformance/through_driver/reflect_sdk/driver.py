"""The driver program: one line per call, one line per result."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Sequence
from typing import Any

from reflect_sdk.errors import error_of


class Driver:
    """A running driver. Calls from several threads are serialized."""

    def __init__(self, command: Sequence[str]) -> None:
        # It ends when its stdin is closed, so also with this process. It shares our stderr.
        self._process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._turn = threading.Lock()
        self._dropped: list[int] = []

    def call(self, name: str, arguments: dict[str, Any], *, client: int = 0) -> Any:
        """Calls a method; returns its result or raises its error."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with self._turn:
            dropped, self._dropped = self._dropped, []
            line = json.dumps({"dropped": dropped, "call": name, "client": client, "arguments": arguments})
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            said = self._process.stdout.readline()
        if not said:
            raise AssertionError(f"the driver ended with {self._process.wait()} during {name}")
        answer = json.loads(said)
        if "problem" in answer:
            raise error_of(answer["problem"])
        return answer["value"]

    def drop(self, client: int) -> None:
        """Drops the client with the next call, because garbage collection may run during a call."""
        self._dropped.append(client)


_running: list[Driver] = []


def start(command: Sequence[str]) -> None:
    """Starts the program; all clients of this process use it."""
    _running.append(Driver(command))


def driver() -> Driver:
    """The program that `start` started."""
    assert _running, "the worker starts the driver before any case runs"
    return _running[-1]
