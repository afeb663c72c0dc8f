"""Scenarios with failures of the producing process, while the server is up."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import threading
from dataclasses import dataclass

from accounting import Outcome, reconcile
from lossy import Lossy
from world import Broken, World


@dataclass(frozen=True)
class Sizes:
    """The sizes of the scenarios."""

    kills: int
    runs: int
    threads: int
    requests: int
    down_seconds: float


FULL = Sizes(kills=4, runs=12, threads=200, requests=50, down_seconds=60.0)
QUICK = Sizes(kills=2, runs=6, threads=200, requests=20, down_seconds=10.0)


def killed(world: World, sizes: Sizes) -> Outcome:
    """kill -9 during runs, several times."""
    project = "killed"
    for round_number in range(1, sizes.kills + 1):
        process = world.start("steady", world.order(project, threads=4))
        world.heard(process, "producing")
        before = len(world.produced(project).done)
        # At a different point of the batch cycle each time.
        wanted = before + 15 * round_number
        world.wait_for("runs before the kill", lambda wanted=wanted: len(world.produced(project).done) >= wanted)
        process.kill()
        process.communicate()
    return replayed(world, project)


def forked(world: World, sizes: Sizes, *, after_first_use: bool) -> Outcome:
    """Forked children of a process that has, or has not, used its client."""
    project = f"forked-{'after' if after_first_use else 'before'}-first-use"
    order = world.order(project, after_first_use=after_first_use, children=6, count=sizes.runs)
    world.finished(world.start("forks", order), project)
    return replayed(world, project)


def prefork_server(world: World, sizes: Sizes) -> Outcome:
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


def many_threads(world: World, sizes: Sizes) -> Outcome:
    """200 concurrent threads of one process."""
    project = "threads"
    process = world.start("burst", world.order(project, threads=sizes.threads, count=max(2, sizes.runs // 4)))
    world.heard(process, "produced")
    world.say(process, "end")
    world.finished(process, project)
    return arrived(world, project)


def many_loops(world: World, sizes: Sizes) -> Outcome:
    """Ten event loops in ten threads. The process ends without a flush."""
    project = "event-loops"
    order = world.order(project, loops=10, tasks=4, count=max(2, sizes.runs // 4))
    world.finished(world.start("loops", order), project)
    return replayed(world, project)


def ended(world: World, sizes: Sizes, how: str) -> Outcome:
    """The end of the interpreter, without a flush."""
    project = f"exit-{how.replace(' ', '-')}"
    process = world.start("ending", world.order(project, count=sizes.runs), {"HOW": how})
    world.finished(process, project)
    return replayed(world, project)


def unspooled(world: World, sizes: Sizes) -> Outcome:
    """A client without a spool ends immediately: runs are lost, and the counts must show it."""
    project = "mutant-without-spool"
    order = world.order(project, count=sizes.runs, spool=False)
    world.finished(world.start("ending", order, {"HOW": "at once"}), project)
    return arrived(world, project)


def unacknowledged(world: World, *, mutant: bool) -> Outcome:
    """Responses of the server are lost, so batches are sent again."""
    project = "mutant" if mutant else "lost-answers"
    port = int(world.server.base_url.rsplit(":", 1)[1])
    with Lossy(port, lose=3) as lossy:
        order = world.order(project, base_url=lossy.url, mutant=mutant, count=30)
        said = world.finished(world.start("unacknowledged", order), project)
        if lossy.lost != 3 or said != "0 pending, 0 spooled":
            raise Broken(f"{lossy.lost} of 3 responses were lost, and the client printed: {said}")
    return arrived(world, project)


def arrived(world: World, project: str) -> Outcome:
    """Counts the runs that were delivered without a later process."""
    return reconcile(project, world.produced(project), world.stored(project), world.spooled(), clean=True)


def replayed(world: World, project: str) -> Outcome:
    """Counts the runs after a later process has sent the rest."""
    world.replay(project)
    return arrived(world, project)
