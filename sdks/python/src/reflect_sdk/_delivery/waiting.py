"""Waiting for runs to arrive. Called without the guard."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from reflect_sdk._delivery.lane import Lane
from reflect_sdk._delivery.record import Entry, Stage
from reflect_sdk._delivery.state import State
from reflect_sdk._delivery.trouble import Health
from reflect_sdk._delivery.worker import Workers

# How long a thread that does the work itself waits for it before it looks at the end again.
_GLANCE = 0.1


def until_flushed(state: State, workers: Workers, lanes: list[Lane], deadline: float) -> None:
    """Waits for what is here now and for what earlier processes left."""
    with state.guard:
        todo: dict[Lane, list[Entry]] = {lane: lane.entries() for lane in lanes}
        for lane in lanes:
            lane.push = True
            lane.sweep = lane.journal is not None
    with _awaited(state, lanes):
        _wait(state, workers, lambda: all(_flushed(lane, todo[lane]) for lane in lanes), deadline)


def until_own_arrived(state: State, workers: Workers, lanes: list[Lane], deadline: float) -> None:
    """Waits for what this process put, as long as there is hope that it arrives in time."""
    with state.guard:
        hopeful = [lane for lane in lanes if lane.own_waiting and not lane.trouble.hopeless]
        for lane in hopeful:
            lane.push = True

    def given_up(lane: Lane) -> bool:
        tried = not lane.push and not lane.busy
        return lane.trouble.hopeless or (tried and lane.trouble.not_before > deadline)

    with _awaited(state, hopeful):
        _wait(state, workers, lambda: all(not lane.own_waiting or given_up(lane) for lane in hopeful), deadline)


def _flushed(lane: Lane, todo: list[Entry]) -> bool:
    while todo and todo[-1].stage is Stage.SETTLED:
        todo.pop()
    if not todo and not lane.sweep and not lane.adopted_waiting:
        return True
    # Whoever is refused now will be refused until somebody mends it.
    return lane.trouble.health is Health.REFUSING and not lane.push and not lane.busy


def _wait(state: State, workers: Workers, finished: Callable[[], bool], deadline: float) -> None:
    while True:
        with state.guard as entered:
            now = time.monotonic()
            if finished() or now >= deadline or not entered:
                return
            workers.ensure()
            state.guard.work.notify_all()
            if workers.running:
                state.guard.wait(state.guard.news, deadline - now)
                continue
        workers.help(min(deadline, now + _GLANCE))


@contextmanager
def _awaited(state: State, lanes: list[Lane]) -> Generator[None, None, None]:
    with state.guard:
        for lane in lanes:
            lane.awaited += 1
    try:
        yield
    finally:
        with state.guard:
            for lane in lanes:
                lane.awaited -= 1
