"""Scenarios with failures of processes, of the connection, of the server and of the disk."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from accounting import Outcome, reconcile
from lossy import Lossy
from small_disk import SMALL_DISK, Disk, small_disk
from world import Broken, World


@dataclass(frozen=True)
class Sizes:
    """The sizes of the scenarios."""

    kills: int
    runs: int
    processes: int
    down_seconds: float


FULL = Sizes(kills=4, runs=12, processes=6, down_seconds=60.0)
QUICK = Sizes(kills=2, runs=6, processes=3, down_seconds=10.0)

# About a tenth more than the memory of the client can hold.
BIG_RUNS = {"count": 740, "size": 100_000}
# The maximum exit time with a server that is known to be down, also on a slow machine.
LONGEST_END = 15.0


def killed(world: World, sizes: Sizes) -> Outcome:
    """kill -9 during runs, several times."""
    project = "killed"
    for round_number in range(1, sizes.kills + 1):
        process = world.start("steady", world.order(project, tasks=4))
        world.heard(process, "producing")
        before = len(world.produced(project).done)
        # At a different point of the batch cycle each time.
        wanted = before + 15 * round_number
        world.wait_for(
            "runs before the kill", lambda wanted=wanted: len(world.produced(project).done) >= wanted
        )
        process.kill()
        process.communicate()
    return replayed(world, project)


def together(world: World, sizes: Sizes) -> Outcome:
    """Several processes with one folder; half of them are killed."""
    project = "together"
    processes = [world.start("steady", world.order(project, tasks=2)) for _ in range(sizes.processes)]
    for process in processes:
        world.heard(process, "producing")
    wanted = 20 * sizes.processes
    world.wait_for("runs of all processes", lambda: len(world.produced(project).done) >= wanted)
    for process in processes[::2]:
        process.kill()
        process.communicate()
    for process in processes[1::2]:
        world.say(process, "stop")
        world.heard(process, "stopped")
        world.say(process, "end")
        world.finished(process, project)
    return replayed(world, project)


def ended(world: World, sizes: Sizes, how: str, status: int = 0) -> Outcome:
    """The end of the process, without a flush."""
    project = f"exit-{how.replace(' ', '-')}"
    order = world.order(project, count=sizes.runs, how=how)
    world.finished(world.start("ending", order), project, status)
    return replayed(world, project)


def ended_without_spool(world: World, sizes: Sizes) -> Outcome:
    """A client without a spool sends its runs before the process ends by itself."""
    project = "exit-without-spool"
    order = world.order(project, count=sizes.runs, how="in order", spool=None)
    world.finished(world.start("ending", order), project)
    return arrived(world, project)


def unspooled(world: World, sizes: Sizes) -> Outcome:
    """A mutant without a spool that ends at once: runs are lost, and the counts must show it."""
    project = "mutant-without-spool"
    order = world.order(project, count=sizes.runs, how="at once", spool=None)
    world.finished(world.start("ending", order), project)
    return arrived(world, project)


def hasty(world: World) -> Outcome:
    """A mutant that acknowledges too early, and is killed: runs are lost, and the counts must show it."""
    project = "mutant-hasty"
    process = world.start("hasty", world.order(project, count=50))
    world.heard(process, "produced")
    process.kill()
    process.communicate()
    return replayed(world, project)


def unacknowledged(world: World, *, mutant: bool) -> Outcome:
    """Responses of the server are lost, so batches are sent again."""
    project = "mutant-without-ids" if mutant else "lost-answers"
    port = int(world.server.base_url.rsplit(":", 1)[1])
    with Lossy(port, lose=3) as lossy:
        order = world.order(project, base_url=lossy.url, mutant=mutant, count=30)
        said = world.finished(world.start("unacknowledged", order), project)
        if lossy.lost != 3 or said != "0 pending, 0 spooled":
            raise Broken(f"{lossy.lost} of 3 responses were lost, and the client printed: {said}")
    return arrived(world, project)


def outage(world: World, sizes: Sizes, say: Callable[[str], None]) -> list[Outcome]:
    """The server stops while runs are produced, and comes back on the same port."""
    with small_disk(world.folder / "small") as (spool, disk):
        say(f"disk full: {disk.what}")
        outcomes = [_full_disk(world, spool, disk)]
        steady = world.start("steady", world.order("outage", tasks=2, pause=200))
        world.heard(steady, "producing")
        world.wait_for("runs before the outage", lambda: len(world.produced("outage").done) >= 20)
        world.server.stop()
        down_since = time.monotonic()
        full = world.start(
            "burst", world.order("disk-full-server-down", **BIG_RUNS, spool=str(spool), **disk.bounds)
        )
        seconds = _end_while_down(world, sizes)
        say(f"exit with the server down took {seconds:.1f} s")
        world.heard(full, "produced")
        while (left := sizes.down_seconds - (time.monotonic() - down_since)) > 0:
            if steady.poll() is not None:
                raise Broken(f"the producing process ended\n{world.log_of('outage')}")
            time.sleep(min(left, 0.5))
        produced = len(world.produced("outage").done)
        world.server.start()
        say(f"the server was down for {time.monotonic() - down_since:.0f} s, {produced} runs were produced")
        world.say(steady, "stop")
        world.heard(steady, "stopped")
        # No flush and no other process: the process that survived the outage sends them.
        world.wait_for(
            "what was produced during the outage",
            lambda: world.produced("outage").done <= world.stored("outage").keys(),
        )
        world.say(steady, "end")
        world.finished(steady, "outage")
        outcomes.append(arrived(world, "outage"))
        say(f"caught up {time.monotonic() - down_since - sizes.down_seconds:.1f} s after that")
        world.say(full, "end")
        world.finished(full, "disk-full-server-down")
        outcomes.append(_full_and_down(world, spool))
    outcomes.append(replayed(world, "exit-server-down"))
    return outcomes


def _end_while_down(world: World, sizes: Sizes) -> float:
    """A process that ends while the server is down; returns its exit time."""
    project = "exit-server-down"
    process = world.start("ending", world.order(project, count=sizes.runs, how="in order"))
    world.wait_for("runs while the server is down", lambda: len(world.produced(project).done) == sizes.runs)
    last_run = time.monotonic()
    world.finished(process, project)
    seconds = time.monotonic() - last_run
    if not world.produced(project).done <= world.spooled():
        raise Broken("a run that was produced while the server was down is not on disk")
    if seconds > LONGEST_END:
        raise Broken(f"the exit of a process took {seconds:.1f} s with the server down")
    return seconds


def _full_disk(world: World, spool: Path, disk: Disk) -> Outcome:
    """A full disk with the server up: nothing may be lost."""
    project = "disk-full-server-up"
    # None of these fits on the disk.
    order = world.order(project, count=20, size=SMALL_DISK, spool=str(spool), **disk.bounds)
    process = world.start("burst", order)
    world.heard(process, "produced")
    world.say(process, "end")
    world.finished(process, project)
    if "cannot be stored on disk" not in world.log_of(project):
        raise Broken("the disk was not full, or no warning was logged")
    return reconcile(
        project, world.produced(project), world.stored(project), world.spooled(spool), clean=True
    )


def _full_and_down(world: World, spool: Path) -> Outcome:
    project = "disk-full-server-down"
    outcome = reconcile(
        project, world.produced(project), world.stored(project), world.spooled(spool), clean=False
    )
    if not outcome.dropped:
        outcome.problems.append("nothing was dropped, so the drop counter was not tested")
    if outcome.spooled:
        outcome.problems.append("runs are left on disk although the server is up")
    return outcome


def arrived(world: World, project: str) -> Outcome:
    """Counts the runs that were delivered without a later process."""
    return reconcile(project, world.produced(project), world.stored(project), world.spooled(), clean=True)


def replayed(world: World, project: str) -> Outcome:
    """Counts the runs after a later process has sent the rest."""
    world.replay(project)
    return arrived(world, project)
