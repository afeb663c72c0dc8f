"""What a hook costs: the time that an agent waits for it, with a warm server."""

from __future__ import annotations

import time

from hooks_run.documented import session_of
from hooks_run.place import LESSON, TASK, Place

LIMIT_MS = 100.0


def percentile(values: list[float], share: float) -> float:
    """The smallest value that is at least this share of all values."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def budget(place: Place, agent: str, rounds: int) -> None:
    """The hooks of a prompt and of a stop, each as a process of its own, against the limit."""
    user = place.user(f"{agent}-timing")
    for number in range(20):
        user.reflect("memories", "add", "--task", f"{TASK} {number}", "--guidance", f"{LESSON} {number}")
    session = session_of(user, agent)
    prompts: list[float] = []
    stops: list[float] = []
    with_lesson = 0
    for number in range(rounds):
        began = time.perf_counter()
        answered = user.hook(agent, session.prompt_event(f"turn-{number}", f"{TASK} {number % 20}"))
        prompts.append((time.perf_counter() - began) * 1000)
        with_lesson += LESSON in answered.stdout
    for number in range(rounds):
        turn = f"turn-{number}"
        session.turn(turn, f"{TASK} {number % 20}", [("pytest", 0)], f"Done {number}.")
        event = session.stop_event(turn, f"Done {number}.")
        began = time.perf_counter()
        user.hook(agent, event)
        stops.append((time.perf_counter() - began) * 1000)
        # An agent does not stop again while the run is recorded in the background.
        user.wait_recorded()
    place.check(with_lesson == rounds, f"{agent}: each of {rounds} prompts got its lessons", with_lesson)
    for name, values in (("prompt", prompts), ("stop", stops)):
        p50, p99 = percentile(values, 0.5), percentile(values, 0.99)
        what = f"{agent}: a {name} waits {p50:.0f} ms, p99 {p99:.0f} ms, at most {LIMIT_MS:.0f}"
        place.check(p99 <= LIMIT_MS, what, [round(value) for value in sorted(values)[-5:]])
