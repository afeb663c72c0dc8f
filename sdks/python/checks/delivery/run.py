"""Whether runs arrive, once each, whatever happens to the process, the server and the disk.

    python3 sdks/python/checks/delivery/run.py [--python PYTHON] [--down-seconds 60] [--quick]

Runs go through the public client of this checkout, in processes of a Python that has httpx2 and gunicorn, to the
real server on a fresh database. Every run has a marker and is written down by who produced it. After each scenario
they are counted: produced = accepted + spooled + counted drops, and none stored twice. In the end a mutant that
sends runs without their ids must be caught storing some of them twice, and one without a spool losing some.
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

from announced import NotReached  # noqa: E402
from database import DatabaseProblem  # noqa: E402
from ledger import Outcome  # noqa: E402
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
    """Prints a line at once."""
    print(text, flush=True)


def run(python: Path, sizes: Sizes, chosen: list[str]) -> int:
    """Runs the scenarios; 0 when all of them and the mutant ended as they must."""
    found = find_surroundings()
    _require(python)
    outcomes: list[Outcome] = []
    with (
        tempfile.TemporaryDirectory(prefix="delivery-") as folder,
        world(found, python, Path(folder)) as stage,
    ):
        try:
            for name in chosen:
                began = time.monotonic()
                for outcome in SCENARIOS[name](stage, sizes):
                    outcomes.append(outcome)
                    say(f"{outcome}")
                    for problem in outcome.problems:
                        say(f"  WRONG: {problem}\n{stage.log_of(outcome.name)}")
                say(f"  ({name}: {time.monotonic() - began:.1f} s)")
            twice, lost = unacknowledged(stage, mutant=True), unspooled(stage, sizes)
        except (Broken, ServerProblem) as problem:
            say(f"FAILED: {problem}\n--- the end of the server's log ---\n{stage.server.log_tail(8)}")
            return 1
        leftovers = stage.spooled()
    say(f"mutant without ids: {twice.accepted} runs, {twice.duplicates} stored again")
    say(f"mutant without a spool: {lost.produced} runs, {lost.produced - lost.accepted} of them gone")
    # The second one shows that a loss would be seen.
    return conclude(outcomes, twice.duplicates > 0 and bool(lost.problems), leftovers)


def conclude(outcomes: list[Outcome], caught: bool, leftovers: frozenset[str]) -> int:
    """Prints the sum; the exit code."""
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
    """0 when all is well, 1 when something was lost, doubled or not caught, 2 when the run could not begin."""
    parser = argparse.ArgumentParser(description="Check that runs arrive, once each.")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="has httpx2 and gunicorn")
    parser.add_argument("--down-seconds", type=float, help="how long the server is down; 60 when absent")
    parser.add_argument("--quick", action="store_true", help="fewer runs, and the server is down for 10 s")
    parser.add_argument("--only", choices=SCENARIOS, action="append", help="this scenario; may be repeated")
    options = parser.parse_args()
    sizes = QUICK if options.quick else FULL
    if options.down_seconds is not None:
        sizes = dataclasses.replace(sizes, down_seconds=options.down_seconds)
    # Without this, a run that is told to end would leave its server and its database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return run(options.python, sizes, options.only or list(SCENARIOS))
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"delivery could not be checked: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
