"""What a hook costs: the time that an agent waits for it, with a warm server.

On a busy machine, the time that passes shows the load of other processes. The processor time of the hook is
compared with the limit there.
"""

from __future__ import annotations

import os
import resource
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hooks_run.documented import session_of
from hooks_run.place import LESSON, TASK, Place

LIMIT_MS = 100.0
# Below this idle share, other processes use the machine: the hook and the server use about one processor.
LEAST_IDLE = 0.2


@dataclass
class Waits:
    """How long an agent waited for each hook, in milliseconds, and the processor time of each."""

    passed: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    began: tuple[float, float] = field(default_factory=lambda: (time.monotonic(), idle_seconds()))

    def measure(self, hook: Callable[[], Any]) -> Any:
        """Calls a hook and adds its times."""
        began, used = time.perf_counter(), used_by_children()
        result = hook()
        self.passed.append((time.perf_counter() - began) * 1000)
        self.processor.append((used_by_children() - used) * 1000)
        return result

    def is_disturbed(self) -> bool:
        """Whether other processes used the machine since the first hook."""
        room = (time.monotonic() - self.began[0]) * (os.cpu_count() or 1)
        return idle_seconds() - self.began[1] < LEAST_IDLE * room


def used_by_children() -> float:
    """The processor seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def idle_seconds() -> float:
    """The idle seconds of all processors."""
    fields = Path("/proc/stat").read_text().split()
    return int(fields[4]) / os.sysconf("SC_CLK_TCK")


def percentile(values: list[float], share: float) -> float:
    """The smallest value that is at least this share of all values."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def budget(place: Place, agent: str, rounds: int) -> None:
    """The hooks of a prompt and of a stop, each as a process of its own, against the limit."""
    user = place.user(f"{agent}-timing")
    for number in range(20):
        user.reflect("memories", "add", "--task", f"{TASK} {number}", "--guidance", f"{LESSON} {number}")
    session = session_of(user, agent)
    with_lesson = 0
    prompts = Waits()
    for number in range(rounds):
        prompt = session.prompt_event(f"turn-{number}", f"{TASK} {number % 20}")
        answered = prompts.measure(lambda event=prompt: user.hook(agent, event))
        with_lesson += LESSON in answered.stdout
    place.check(with_lesson == rounds, f"{agent}: each of {rounds} prompts got its lessons", with_lesson)
    check(place, f"{agent}: a prompt", prompts)
    stops = Waits()
    for number in range(rounds):
        turn = f"turn-{number}"
        session.turn(turn, f"{TASK} {number % 20}", [("pytest", 0)], f"Done {number}.")
        stop = session.stop_event(turn, f"Done {number}.")
        stops.measure(lambda event=stop: user.hook(agent, event))
        # An agent does not stop again while the run is recorded in the background.
        user.wait_recorded()
    check(place, f"{agent}: a stop", stops)


def check(place: Place, what: str, waits: Waits) -> None:
    """Compares the 99th percentile with the limit."""
    is_disturbed = waits.is_disturbed()
    values = waits.processor if is_disturbed else waits.passed
    kind = "of processor time, on a busy machine" if is_disturbed else "until it has ended"
    p50, p99 = percentile(values, 0.5), percentile(values, 0.99)
    figures = f"{p50:.0f} ms {kind}, p99 {p99:.0f} ms, at most {LIMIT_MS:.0f}"
    place.check(p99 <= LIMIT_MS, f"{what} takes {figures}", [round(value) for value in sorted(values)[-5:]])
