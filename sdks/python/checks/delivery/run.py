"""Checks that every run is delivered exactly once, despite failures of the process, the server and the disk.

    python3 sdks/python/checks/delivery/run.py [--python PYTHON] [--down-seconds 60] [--quick]

Test processes use the public client of this checkout, with a Python that has httpx2 and gunicorn, and the real
server on a fresh database. Every run has a marker, and its process logs it. After each scenario the runs are
counted: produced = accepted + spooled + counted drops, and none stored twice. At the end, two mutants must be
caught: one that sends runs without ids (duplicates), and one without a spool (losses).
"""

from __future__ import annotations

import argparse
import dataclasses
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3] / "conformance"))

from accounting import Outcome  # noqa: E402
from announced import NotReached  # noqa: E402
from database import DatabaseProblem  # noqa: E402
from outage import outage  # noqa: E402
from scenarios import (  # noqa: E402
    FULL,
    QUICK,
    Sizes,
    ended,
    forked,
    killed,
    many_loops,
    many_threads,
    prefork_server,
    unacknowledged,
    unspooled,
)
from server import ServerProblem  # noqa: E402
from surroundings import Missing, find_surroundings  # noqa: E402
from world import Broken, World, world  # noqa: E402

Scenario = Callable[[World, Sizes], list[Outcome]]

SCENARIOS: dict[str, Scenario] = {
    "kill": lambda world, sizes: [killed(world, sizes)],
    "fork": lambda world, sizes: [forked(world, sizes, after_first_use=later) for later in (False, True)],
    "prefork": lambda world, sizes: [prefork_server(world, sizes)],
    "threads": lambda world, sizes: [many_threads(world, sizes)],
    "loops": lambda world, sizes: [many_loops(world, sizes)],
    "exit": lambda world, sizes: [ended(world, sizes, how) for how in ("in order", "handlers", "at once")],
    "answers": lambda world, sizes: [unacknowledged(world, mutant=False)],
    "outage": lambda world, sizes: outage(world, sizes, say),
}


def say(text: str) -> None:
    """Prints a line and flushes."""
    print(text, flush=True)


def run(python: Path, sizes: Sizes, chosen: list[str]) -> int:
    """Runs the scenarios; returns 0 if all passed and the mutants were caught."""
    found = find_surroundings()
    _require(python)
    outcomes: list[Outcome] = []
    with (
        tempfile.TemporaryDirectory(prefix="delivery-") as folder,
        world(found, python, Path(folder)) as environment,
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
            twice, lost = unacknowledged(environment, mutant=True), unspooled(environment, sizes)
        except (Broken, ServerProblem) as problem:
            say(f"FAILED: {problem}\n--- the end of the server's log ---\n{environment.server.log_tail(8)}")
            return 1
        leftovers = environment.spooled()
    say(f"mutant without ids: {twice.accepted} runs, {twice.duplicates} stored again")
    say(f"mutant without a spool: {lost.produced} runs, {lost.produced - lost.accepted} of them gone")
    # The second one proves that a loss is detected.
    return conclude(outcomes, twice.duplicates > 0 and bool(lost.problems), leftovers)


def conclude(outcomes: list[Outcome], caught: bool, leftovers: frozenset[str]) -> int:
    """Prints the total; returns the exit code."""
    if leftovers:
        say(f"WRONG: {len(leftovers)} runs are left in the spool")
    total = {
        name: sum(getattr(outcome, name) for outcome in outcomes)
        for name in ("produced", "accepted", "spooled", "dropped", "duplicates")
    }
    say(
        f"delivery: {total['produced']} produced = {total['accepted']} accepted + {total['spooled']} spooled + "
        f"{total['dropped']} dropped, {total['duplicates']} duplicates, mutant {'caught' if caught else 'NOT CAUGHT'}"
    )
    balanced = total["produced"] == total["accepted"] + total["spooled"] + total["dropped"]
    wrong = leftovers or not caught or not balanced or any(outcome.problems for outcome in outcomes)
    return 1 if wrong else 0


def _require(python: Path) -> None:
    done = subprocess.run([str(python), "-c", "import httpx2, gunicorn"], capture_output=True, check=False)
    if done.returncode != 0:
        raise Missing(f"{python} has no httpx2 or no gunicorn: `pip install 'httpx2>=2.14,<3' gunicorn` adds them")


def main() -> int:
    """Exit code 0: all passed; 1: a loss, a duplicate or an uncaught mutant; 2: the run could not start."""
    parser = argparse.ArgumentParser(description="Check that every run is delivered exactly once.")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="a Python with httpx2 and gunicorn")
    parser.add_argument("--down-seconds", type=float, help="how long the server is down; default 60")
    parser.add_argument("--quick", action="store_true", help="fewer runs, and the server is down for 10 s")
    parser.add_argument("--only", choices=SCENARIOS, action="append", help="run only this scenario; may be repeated")
    options = parser.parse_args()
    sizes = QUICK if options.quick else FULL
    if options.down_seconds is not None:
        sizes = dataclasses.replace(sizes, down_seconds=options.down_seconds)
    # Without this, SIGTERM would leave the server and the database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return run(options.python, sizes, options.only or list(SCENARIOS))
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"delivery could not be checked: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
