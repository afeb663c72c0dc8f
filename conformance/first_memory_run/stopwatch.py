"""Measures time, and how much of the machine other processes used meanwhile."""

from __future__ import annotations

import os
import resource
import time
from dataclasses import dataclass
from pathlib import Path

# Above this share, the load of other processes dominates the wall-clock time.
BUSY = 0.2


@dataclass(frozen=True)
class Duration:
    """Wall-clock seconds, processor seconds of child processes, and the share that other processes used."""

    passed: float
    processor: float
    others: float

    @property
    def machine(self) -> float:
        """The time that is compared with the limit: wall-clock time, or processor time on a busy machine."""
        return self.passed if self.others <= BUSY else min(self.passed, self.processor)

    def __str__(self) -> str:
        note = "" if self.others <= BUSY else f"; others had {self.others:.0%} of the machine"
        of = f"{self.passed:.1f} s passed, {self.processor:.1f} s of processor time{note}"
        return f"{self.machine:.1f} s ({of})"


class Stopwatch:
    """Measures from its creation. Processor time of a child counts after the child has ended."""

    def __init__(self) -> None:
        self._began, self._own, self._busy = time.monotonic(), _children(), _busy_seconds()
        self._stopped: tuple[float, float] | None = None

    def stop(self) -> None:
        """Stops the measurement."""
        self._stopped = time.monotonic(), _busy_seconds()

    def read(self) -> Duration:
        """The measured duration."""
        ended, busy = self._stopped or (time.monotonic(), _busy_seconds())
        passed, processor = ended - self._began, _children() - self._own
        room = passed * (os.cpu_count() or 1)
        return Duration(passed, processor, max(0.0, busy - self._busy - processor) / room)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _busy_seconds() -> float:
    """The busy seconds of all processors, including time stolen by other guests of the host."""
    user, nice, system, _, _, irq, soft, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")
