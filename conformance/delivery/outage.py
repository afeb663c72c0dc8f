"""A server outage and a full disk."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from delivery.accounting import Outcome, reconcile
from delivery.scenarios import Sizes, arrived, replayed
from delivery.small_disk import SMALL_DISK, Disk, small_disk
from delivery.world import Broken, World

# The maximum exit time with a server that is known to be down, also on a slow machine.
LONGEST_END = 15.0


def outage(world: World, sizes: Sizes, say: Callable[[str], None]) -> list[Outcome]:
    """The server stops while runs are produced, and comes back on the same port."""
    with small_disk(world.folder / "small") as (spool, disk):
        say(f"disk full: {disk.what}")
        outcomes = [_full_disk(world, spool, disk)]
        steady = world.start("steady", world.order("outage", parallel=2, pause=0.2))
        world.heard(steady, "producing")
        world.wait_for("runs before the outage", lambda: len(world.produced("outage").done) >= 20)
        world.server.stop()
        down_since = time.monotonic()
        bounds = {**disk.bounds, **world.big_runs.get("bounds", {})}
        order = {**world.order("disk-full-server-down", spool=str(spool)), **world.big_runs, "bounds": bounds}
        full = world.start("burst", order)
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
    order = world.order(project, parallel=4, count=5, size=SMALL_DISK, spool=str(spool), bounds=disk.bounds)
    process = world.start("burst", order)
    world.heard(process, "produced")
    world.say(process, "end")
    world.finished(process, project)
    if "cannot be stored on disk" not in world.log_of(project):
        raise Broken("the disk was not full, or no warning was logged")
    return arrived(world, project, spool)


def _full_and_down(world: World, spool: Path) -> Outcome:
    """A full disk with the server down: what neither disk nor memory can hold is dropped and counted."""
    project = "disk-full-server-down"
    outcome = reconcile(
        project, world.produced(project), world.stored(project), world.spooled(spool), clean=False
    )
    if not outcome.dropped:
        outcome.problems.append("nothing was dropped, so the drop counter was not tested")
    if outcome.spooled:
        outcome.problems.append("runs are left on disk although the server is up")
    return outcome
