"""Scenarios that every SDK has: failures of processes and of the connection."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from delivery.accounting import Outcome, reconcile
from delivery.lossy import Lossy
from delivery.world import Broken, World


@dataclass(frozen=True)
class Sizes:
    """The sizes of the scenarios."""

    kills: int
    runs: int
    down_seconds: float


def killed(world: World, sizes: Sizes) -> Outcome:
    """kill -9 during runs, several times."""
    project = "killed"
    for round_number in range(1, sizes.kills + 1):
        process = world.start("steady", world.order(project, parallel=4))
        world.heard(process, "producing")
        # At a different point of the batch cycle each time.
        wanted = len(world.produced(project).done) + 15 * round_number
        world.wait_for(
            "runs before the kill", lambda wanted=wanted: len(world.produced(project).done) >= wanted
        )
        process.kill()
        process.communicate()
    return replayed(world, project)


def ended(world: World, sizes: Sizes, how: str, status: int = 0) -> Outcome:
    """The end of the process, without a flush."""
    project = f"exit-{how.replace(' ', '-')}"
    order = world.order(project, count=sizes.runs, how=how)
    world.finished(world.start("ending", order), project, status)
    return replayed(world, project)


def unacknowledged(world: World, *, mutant: bool) -> Outcome:
    """Responses of the server are lost, so batches are sent again. The mutant sends runs without ids."""
    project = "mutant-without-ids" if mutant else "lost-answers"
    port = int(world.server.base_url.rsplit(":", 1)[1])
    with Lossy(port, lose=3) as lossy:
        order = world.order(project, base_url=lossy.url, mutant=mutant, count=30)
        said = world.finished(world.start("unacknowledged", order), project)
        if lossy.lost != 3 or said != "0 pending, 0 spooled":
            raise Broken(f"{lossy.lost} of 3 responses were lost, and the client printed: {said}")
    return arrived(world, project)


def without_ids(world: World, sizes: Sizes) -> tuple[Outcome, bool]:
    """A mutant that sends runs without ids: runs are stored again."""
    outcome = unacknowledged(world, mutant=True)
    return outcome, outcome.duplicates > 0


def unspooled(world: World, sizes: Sizes) -> tuple[Outcome, bool]:
    """A mutant without a spool that ends at once: runs are lost, and the counts must show it."""
    project = "mutant-without-spool"
    order = world.order(project, count=sizes.runs, how="at once", spool=False)
    world.finished(world.start("ending", order), project)
    outcome = arrived(world, project)
    return outcome, bool(outcome.problems)


def arrived(world: World, project: str, spool: Path | None = None) -> Outcome:
    """Counts the runs that were delivered without a later process."""
    return reconcile(
        project, world.produced(project), world.stored(project), world.spooled(spool), clean=True
    )


def replayed(world: World, project: str) -> Outcome:
    """Counts the runs after a later process has sent the rest."""
    world.replay(project)
    return arrived(world, project)
