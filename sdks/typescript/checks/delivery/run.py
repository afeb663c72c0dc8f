"""Checks that every run is delivered exactly once, despite failures of the process, the server and the disk.

    python3 sdks/typescript/checks/delivery/run.py [--quick] [--down-seconds 60] [--only NAME]

Test programs use the built package and the real server on a fresh database. Every run has a marker, and its
process logs it. After each scenario the runs are counted: produced = accepted + spooled + counted drops, and
none is stored twice. At the end, three mutants must be caught: one that sends runs without ids (duplicates),
one without a spool and one that acknowledges too early (losses).
"""

from __future__ import annotations

import argparse
import dataclasses
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The accounting and the proxy are those of the Python client's check.
sys.path[1:1] = [
    str(HERE.parents[2] / "python" / "checks" / "delivery"),
    str(HERE.parents[3] / "conformance"),
]

from accounting import Outcome  # noqa: E402
from database import DatabaseProblem  # noqa: E402
from scenarios import (  # noqa: E402
    FULL,
    QUICK,
    Sizes,
    ended,
    ended_without_spool,
    hasty,
    killed,
    outage,
    together,
    unacknowledged,
    unspooled,
)
from server import ServerProblem  # noqa: E402
from surroundings import Missing, find_surroundings  # noqa: E402
from world import Broken, World, world  # noqa: E402

Scenario = Callable[[World, Sizes], list[Outcome]]

PACKAGES = HERE.parents[1] / "node_modules"
RUNTIMES = {
    "node": lambda: ["node"],
    "bun": lambda: [str(next(PACKAGES.glob("@oven/*/bin/bun")))],
    "deno": lambda: [str(next(PACKAGES.glob("@deno/*/deno"))), "run", "--allow-all", "--quiet"],
}

SCENARIOS: dict[str, Scenario] = {
    "kill": lambda world, sizes: [killed(world, sizes)],
    "together": lambda world, sizes: [together(world, sizes)],
    "exit": lambda world, sizes: [
        *(ended(world, sizes, how) for how in ("in order", "handlers", "at once")),
        ended(world, sizes, "error", status=1),
        ended_without_spool(world, sizes),
    ],
    "answers": lambda world, sizes: [unacknowledged(world, mutant=False)],
    "outage": lambda world, sizes: outage(world, sizes, say),
}


def say(text: str) -> None:
    """Prints a line and flushes."""
    print(text, flush=True)


def run(runtime: list[str], sizes: Sizes, chosen: list[str]) -> int:
    """Runs the scenarios; returns 0 if all passed and the mutants were caught."""
    found = find_surroundings()
    outcomes: list[Outcome] = []
    with (
        tempfile.TemporaryDirectory(prefix="delivery-") as folder,
        world(found, runtime, Path(folder)) as environment,
    ):
        try:
            for name in chosen:
                began = time.monotonic()
                for outcome in SCENARIOS[name](environment, sizes):
                    outcomes.append(outcome)
                    say(f"{outcome}")
                    for problem in outcome.problems:
                        say(f"  WRONG: {problem}\n{environment.log_of(outcome.name)}")
                say(f"  ({name}: {time.monotonic() - began:.1f} s)")
            twice, lost, early = (
                unacknowledged(environment, mutant=True),
                unspooled(environment, sizes),
                hasty(environment),
            )
        except (Broken, ServerProblem) as problem:
            say(f"FAILED: {problem}\n--- the end of the server's log ---\n{environment.server.log_tail(8)}")
            return 1
        leftovers = environment.spooled()
    say(f"mutant without ids: {twice.accepted} runs, {twice.duplicates} stored again")
    say(f"mutant without a spool: {lost.produced} runs, {lost.produced - lost.accepted} of them gone")
    say(f"mutant that is too early: {early.produced} runs, {early.produced - early.accepted} of them gone")
    # The others prove that a loss is detected.
    caught = [twice.duplicates > 0, bool(lost.problems), bool(early.problems)]
    return conclude(outcomes, caught, leftovers)


def conclude(outcomes: list[Outcome], caught: list[bool], leftovers: frozenset[str]) -> int:
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


def main() -> int:
    """Exit code 0: all passed; 1: a loss, a duplicate or an uncaught mutant; 2: the run could not start."""
    parser = argparse.ArgumentParser(description="Check that every run is delivered exactly once.")
    parser.add_argument("--runtime", choices=RUNTIMES, default="node", help="what runs the test programs")
    parser.add_argument("--down-seconds", type=float, help="how long the server is down; default 60")
    parser.add_argument("--quick", action="store_true", help="fewer runs, and the server is down for 10 s")
    parser.add_argument(
        "--only", choices=SCENARIOS, action="append", help="run only this scenario; may be repeated"
    )
    options = parser.parse_args()
    sizes = QUICK if options.quick else FULL
    if options.down_seconds is not None:
        sizes = dataclasses.replace(sizes, down_seconds=options.down_seconds)
    # Without this, SIGTERM would leave the server and the database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return run(RUNTIMES[options.runtime](), sizes, options.only or list(SCENARIOS))
    except (Missing, DatabaseProblem, ServerProblem) as problem:
        print(f"delivery could not be checked: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
