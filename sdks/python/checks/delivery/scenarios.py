"""Scenarios of Python's own ways to run: forks, threads and event loops."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import threading
from dataclasses import dataclass

from delivery.accounting import Outcome
from delivery.scenarios import Sizes, arrived, replayed
from delivery.world import Broken
from world import PythonWorld


@dataclass(frozen=True)
class PythonSizes(Sizes):
    """The sizes of the scenarios."""

    threads: int
    requests: int


FULL = PythonSizes(kills=4, runs=12, threads=200, requests=50, down_seconds=60.0)
QUICK = PythonSizes(kills=2, runs=6, threads=200, requests=20, down_seconds=10.0)


def forked(world: PythonWorld, sizes: PythonSizes, *, after_first_use: bool) -> Outcome:
    """Forked children of a process that has, or has not, used its client."""
    project = f"forked-{'after' if after_first_use else 'before'}-first-use"
    order = world.order(project, after_first_use=after_first_use, children=6, count=sizes.runs)
    world.finished(world.start("forks", order), project)
    return replayed(world, project)


def prefork_server(world: PythonWorld, sizes: PythonSizes) -> Outcome:
    """gunicorn with --preload: loaded and used before it forks, one worker killed, then ended by SIGTERM."""
    project = "gunicorn-preload"
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [str(world.python), "-m", "gunicorn", "--preload", "--workers", "3", "--threads", "2"]
    command += ["--bind", f"127.0.0.1:{port}", "--worker-tmp-dir", str(world.folder), "web:application"]
    process = world.start("web", world.order(project), command=command)
    try:
        world.wait_for("gunicorn answers", lambda: bool(_requests(port, 1)) or process.poll() is not None)
        workers = _requests(port, sizes.requests)
        if len(workers) != sizes.requests:
            raise Broken(f"gunicorn did not answer all requests\n{world.log_of(project)}")
        os.kill(workers[-1], signal.SIGKILL)
        world.wait_for("gunicorn answers after a worker was killed", lambda: len(_requests(port, 20)) == 20)
    finally:
        process.send_signal(signal.SIGTERM)
    world.finished(process, project)
    return replayed(world, project)


def _requests(port: int, count: int) -> list[int]:
    """Sends requests, ten in parallel; returns the process ids of the workers."""
    answered: list[int] = []
    left = threading.Semaphore(count)

    def ask() -> None:
        while left.acquire(blocking=False):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            try:
                connection.request("GET", "/")
                answer = connection.getresponse()
                if answer.status == 200:
                    answered.append(int(answer.read()))
            except (OSError, http.client.HTTPException):
                pass
            finally:
                connection.close()

    threads = [threading.Thread(target=ask) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answered


def many_threads(world: PythonWorld, sizes: PythonSizes) -> Outcome:
    """200 concurrent threads of one process."""
    project = "threads"
    process = world.start("burst", world.order(project, parallel=sizes.threads, count=max(2, sizes.runs // 4)))
    world.heard(process, "produced")
    world.say(process, "end")
    world.finished(process, project)
    return arrived(world, project)


def many_loops(world: PythonWorld, sizes: PythonSizes) -> Outcome:
    """Ten event loops in ten threads. The process ends without a flush."""
    project = "event-loops"
    order = world.order(project, loops=10, tasks=4, count=max(2, sizes.runs // 4))
    world.finished(world.start("loops", order), project)
    return replayed(world, project)
