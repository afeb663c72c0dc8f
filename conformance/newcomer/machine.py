"""How long something took, and how much of the machine others had meanwhile."""

from __future__ import annotations

import os
import resource
import time
from dataclasses import dataclass
from pathlib import Path

# Above this share of the machine, others decide how long something takes.
BUSY = 0.2


@dataclass(frozen=True)
class Taken:
    """Seconds that passed, processor seconds of what was started, and the share that others had meanwhile."""

    passed: float
    processor: float
    others: float

    @property
    def machine(self) -> float:
        """What is held to the budget: the time that passed, or on a busy machine the work that was done."""
        return self.passed if self.others <= BUSY else min(self.passed, self.processor)

    def __str__(self) -> str:
        note = "" if self.others <= BUSY else f"; others had {self.others:.0%} of the machine"
        of = f"{self.passed:.1f} s passed, {self.processor:.1f} s of processor time{note}"
        return f"{self.machine:.1f} s ({of})"


class Watch:
    """Runs from when it is made until it is read. Work counts once the program that did it has ended."""

    def __init__(self) -> None:
        self._began, self._own, self._busy = time.monotonic(), _children(), _busy_seconds()
        self._stopped: tuple[float, float] | None = None

    def stop(self) -> None:
        """The moment to which time is counted."""
        self._stopped = time.monotonic(), _busy_seconds()

    def read(self) -> Taken:
        """What was taken until then."""
        ended, busy = self._stopped or (time.monotonic(), _busy_seconds())
        passed, processor = ended - self._began, _children() - self._own
        room = passed * (os.cpu_count() or 1)
        return Taken(passed, processor, max(0.0, busy - self._busy - processor) / room)


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _busy_seconds() -> float:
    """Of all processors, also what was given to other guests of the same host."""
    user, nice, system, _, _, irq, soft, steal = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK")
