"""Waits until runs are sent. Called without the guard."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from reflect_sdk._delivery.backoff import Health
from reflect_sdk._delivery.destination_queue import DestinationQueue
from reflect_sdk._delivery.record import Entry, Stage
from reflect_sdk._delivery.state import State
from reflect_sdk._delivery.worker import Workers

# How often a thread that sends without workers checks its deadline.
_POLL_INTERVAL = 0.1


def wait_until_flushed(state: State, workers: Workers, queues: list[DestinationQueue], deadline: float) -> None:
    """Waits for the runs that are queued now and for runs that earlier processes left."""
    with state.guard:
        todo: dict[DestinationQueue, list[Entry]] = {queue: queue.entries() for queue in queues}
        for queue in queues:
            queue.push = True
            queue.sweep = queue.journal is not None
    with _counted_waiter(state, queues):
        _wait(state, workers, lambda: all(_flushed(queue, todo[queue]) for queue in queues), deadline)


def wait_until_own_sent(state: State, workers: Workers, queues: list[DestinationQueue], deadline: float) -> None:
    """Waits for the runs that this process queued, unless the server is unavailable."""
    with state.guard:
        reachable = [queue for queue in queues if queue.own_waiting and not queue.backoff.unavailable]
        for queue in reachable:
            queue.push = True

    def is_unavailable(queue: DestinationQueue) -> bool:
        tried = not queue.push and not queue.busy
        return queue.backoff.unavailable or (tried and queue.backoff.not_before > deadline)

    with _counted_waiter(state, reachable):
        _wait(
            state,
            workers,
            lambda: all(not queue.own_waiting or is_unavailable(queue) for queue in reachable),
            deadline,
        )


def _flushed(queue: DestinationQueue, todo: list[Entry]) -> bool:
    while todo and todo[-1].stage is Stage.SETTLED:
        todo.pop()
    if not todo and not queue.sweep and not queue.adopted_waiting:
        return True
    # A rejected client stays rejected until the user fixes the cause.
    return queue.backoff.health is Health.REFUSING and not queue.push and not queue.busy


def _wait(state: State, workers: Workers, finished: Callable[[], bool], deadline: float) -> None:
    while True:
        with state.guard as entered:
            now = time.monotonic()
            if finished() or now >= deadline or not entered:
                return
            workers.ensure()
            state.guard.work.notify_all()
            if workers.running:
                state.guard.wait(state.guard.progress, deadline - now)
                continue
        workers.run_one(min(deadline, now + _POLL_INTERVAL))


@contextmanager
def _counted_waiter(state: State, queues: list[DestinationQueue]) -> Generator[None, None, None]:
    with state.guard:
        for queue in queues:
            queue.waiters += 1
    try:
        yield
    finally:
        with state.guard:
            for queue in queues:
                queue.waiters -= 1
