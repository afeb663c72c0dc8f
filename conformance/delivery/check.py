"""Runs the scenarios and the mutants of one SDK, and prints the counts."""

from __future__ import annotations

import argparse
import dataclasses
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from announced import NotReached
from database import DatabaseProblem
from delivery.accounting import Outcome
from delivery.scenarios import Sizes
from delivery.world import Broken, World, started
from server import ServerProblem
from surroundings import Missing, find_surroundings

# What they take is the SDK's own kind of world and sizes.
Scenario = Callable[[Any, Any], list[Outcome]]
Mutant = Callable[[Any, Any], tuple[Outcome, bool]]


@dataclasses.dataclass(frozen=True)
class Check:
    """The delivery check of one SDK."""

    scenarios: Mapping[str, Scenario]
    mutants: Mapping[str, Mutant]
    """Each returns its counts, and whether they show what it does wrong."""
    full: Sizes
    quick: Sizes


def say(text: str) -> None:
    """Prints a line and flushes."""
    print(text, flush=True)


def options_parser(check: Check) -> argparse.ArgumentParser:
    """The options of every check."""
    parser = argparse.ArgumentParser(description="Check that every run is delivered exactly once.")
    parser.add_argument("--down-seconds", type=float, help="how long the server is down; default 60")
    parser.add_argument("--quick", action="store_true", help="fewer runs, and the server is down for 10 s")
    only = "run only this scenario; may be repeated"
    parser.add_argument("--only", choices=check.scenarios, action="append", help=only)
    return parser


def run(check: Check, make_world: Callable[..., World], options: argparse.Namespace) -> int:
    """Exit code 0: all passed; 1: a loss, a duplicate or an uncaught mutant; 2: the run could not start."""
    sizes = check.quick if options.quick else check.full
    if options.down_seconds is not None:
        sizes = dataclasses.replace(sizes, down_seconds=options.down_seconds)
    # Without this, SIGTERM would leave the server and the database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return _run(check, make_world, sizes, options.only or list(check.scenarios))
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"delivery could not be checked: {problem}", file=sys.stderr)
        return 2


def _run(check: Check, make_world: Callable[..., World], sizes: Sizes, chosen: list[str]) -> int:
    outcomes: list[Outcome] = []
    caught: list[bool] = []
    with (
        tempfile.TemporaryDirectory(prefix="delivery-") as folder,
        started(make_world, find_surroundings(), Path(folder)) as world,
    ):
        try:
            for name in chosen:
                began = time.monotonic()
                for outcome in check.scenarios[name](world, sizes):
                    outcomes.append(outcome)
                    say(f"{outcome}")
                    for problem in outcome.problems:
                        say(f"  WRONG: {problem}\n{world.log_of(outcome.name)}")
                say(f"  ({name}: {time.monotonic() - began:.1f} s)")
            for name, mutant in check.mutants.items():
                outcome, is_caught = mutant(world, sizes)
                caught.append(is_caught)
                gone = outcome.produced - outcome.accepted
                say(
                    f"mutant {name}: {outcome.produced} runs, {gone} of them gone, "
                    f"{outcome.duplicates} stored again: {'caught' if is_caught else 'NOT CAUGHT'}"
                )
        except (Broken, ServerProblem) as problem:
            say(f"FAILED: {problem}\n--- the end of the server's log ---\n{world.server.log_tail(8)}")
            return 1
        leftovers = world.spooled()
    return _conclude(outcomes, caught, leftovers)


def _conclude(outcomes: list[Outcome], caught: list[bool], leftovers: frozenset[str]) -> int:
    """Prints the total; returns the exit code."""
    if leftovers:
        say(f"WRONG: {len(leftovers)} runs are left in the spool")
    total = {
        name: sum(getattr(outcome, name) for outcome in outcomes)
        for name in ("produced", "accepted", "spooled", "dropped", "duplicates")
    }
    say(
        f"delivery: {total['produced']} produced = {total['accepted']} accepted + "
        f"{total['spooled']} spooled + {total['dropped']} dropped, {total['duplicates']} duplicates, "
        f"{sum(caught)} of {len(caught)} mutants caught"
    )
    balanced = total["produced"] == total["accepted"] + total["spooled"] + total["dropped"]
    wrong = leftovers or not all(caught) or not balanced or any(outcome.problems for outcome in outcomes)
    return 1 if wrong else 0
