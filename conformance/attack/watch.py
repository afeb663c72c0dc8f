"""What others notice of an attack: the latency of another tenant, and the memory of the server."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from attack.target import Caller, Target

PROGRAM = Path(__file__).with_name("neighbour.py")
MEMORIES = 50


@dataclass(frozen=True)
class Sample:
    """One query of the neighbour."""

    began: float
    seconds: float
    status: int


@dataclass(frozen=True)
class Latencies:
    """The neighbour's queries of one period."""

    samples: list[Sample]

    def p99(self) -> float:
        """The 99th percentile in seconds, where a failed query counts as endless.

        With fewer than 100 samples it is the largest.
        """
        times = sorted(s.seconds if s.status == 200 else float("inf") for s in self.samples)
        return times[min(len(times) - 1, int(len(times) * 0.99))] if times else 0.0


class Neighbour:
    """Another tenant of the same server, as a context manager."""

    def __init__(self, target: Target, rate: float) -> None:
        self._samples: list[Sample] = []
        self._process: subprocess.Popen[str] | None = None
        owner = target.owner(target.fresh("neighbour"))
        for number in range(MEMORIES):
            owner.memory(f"Water the plants on floor {number}", f"Start at the window of room {number}.")
        key = target.caller(owner.slug, "memory:read")
        self.place = _place(target, key, rate)

    def __enter__(self) -> Neighbour:
        self._process = subprocess.Popen(
            [sys.executable, str(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdin is not None
        self._process.stdin.write(self.place)
        self._process.stdin.close()
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def _read(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        for line in self._process.stdout:
            began, seconds, status = line.split()
            self._samples.append(Sample(float(began), float(seconds), int(status)))

    def between(self, start: float, end: float) -> Latencies:
        """The queries that were in progress in a period. A slow one counts although it ended later."""
        return Latencies([s for s in list(self._samples) if s.began < end and s.began + s.seconds > start])

    def settle(self) -> None:
        """Waits until the query in progress has ended."""
        seen, deadline = len(self._samples), time.monotonic() + 40
        while len(self._samples) == seen and time.monotonic() < deadline:
            time.sleep(0.01)


def _place(target: Target, key: Caller, rate: float) -> str:
    path = f"{key.root}/memory/query"
    return json.dumps({"port": target.port, "path": path, "key": key.key, "rate": rate})


def until_memory_is_back(target: Target, most_kilobytes: float, seconds: float) -> int:
    """Waits until the server uses no more than this, at most `seconds`; returns what it uses then."""
    deadline = time.monotonic() + seconds
    while True:
        used = target.memory_kilobytes()
        if used <= most_kilobytes or time.monotonic() > deadline:
            return used
        time.sleep(1)
