"""Scenarios of the TypeScript client alone."""

from __future__ import annotations

from dataclasses import dataclass

from delivery.accounting import Outcome
from delivery.scenarios import Sizes, arrived, replayed
from delivery.world import World


@dataclass(frozen=True)
class TypeScriptSizes(Sizes):
    """The sizes of the scenarios."""

    processes: int


FULL = TypeScriptSizes(kills=4, runs=12, processes=6, down_seconds=60.0)
QUICK = TypeScriptSizes(kills=2, runs=6, processes=3, down_seconds=10.0)


def together(world: World, sizes: TypeScriptSizes) -> Outcome:
    """Several processes with one folder; half of them are killed."""
    project = "together"
    processes = [world.start("steady", world.order(project, parallel=2)) for _ in range(sizes.processes)]
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


def ended_without_spool(world: World, sizes: Sizes) -> Outcome:
    """A client without a spool sends its runs before the process ends by itself."""
    project = "exit-without-spool"
    order = world.order(project, count=sizes.runs, how="in order", spool=False)
    world.finished(world.start("ending", order), project)
    return arrived(world, project)


def hasty(world: World, sizes: Sizes) -> tuple[Outcome, bool]:
    """A mutant that acknowledges too early, and is killed: runs are lost, and the counts must show it."""
    project = "mutant-hasty"
    process = world.start("hasty", world.order(project, count=50))
    world.heard(process, "produced")
    process.kill()
    process.communicate()
    outcome = replayed(world, project)
    return outcome, bool(outcome.problems)
