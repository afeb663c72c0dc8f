"""Runs every example, and every Python block of the README, against the real binary on a fresh database.

    python3 sdks/python/checks/examples.py [--python PYTHON] [--only NAME ...]

`--python` is a Python with httpx2, openai, langgraph and langchain-openai; the SDK is from this checkout. Agents that
need a language model use a very small real one. An example or a block without an expectation fails.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "conformance"))

from announced import NotReached
from database import DatabaseProblem
from documented.environment import Environment, started_environment
from documented.expected import CHECKS
from documented.program import Program
from documented.readme import NotRead, run_readme
from server import ServerProblem
from surroundings import Missing, find_surroundings

PACKAGE = Path(__file__).resolve().parents[1]
EXAMPLES = PACKAGE / "examples"
README = "README.md"


class Tally:
    """Prints one line per example with the reason of a failure, and the total."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0

    def add(self, name: str, said: str, *, passed: bool, seconds: float | None = None) -> None:
        """Prints and counts one result."""
        self.passed += passed
        self.failed += not passed
        first, *rest = said.splitlines() or [""]
        took = "" if seconds is None else f" ({seconds:.1f} s)"
        print(f"{'ok' if passed else 'FAIL':<5} {name}: {first}{took}", flush=True)
        for line in rest:
            print(f"      {line}", flush=True)


def run(options: argparse.Namespace, tally: Tally) -> None:
    """Runs the selected examples."""
    found = find_surroundings()
    there = {path.name: path for path in sorted(EXAMPLES.glob("*.py"))}
    with (
        tempfile.TemporaryDirectory(prefix="examples-") as folder,
        started_environment(found, Path(options.python), Path(folder)) as world,
    ):
        for name in sorted({*there, *CHECKS}):
            if not options.only or name in options.only:
                example(world, name, there.get(name), tally)
        if not options.only or README in options.only:
            for name, said, passed in run_readme(world, PACKAGE / README):
                tally.add(f"{README}, {name}", said, passed=passed)
        if tally.failed:
            print(f"--- the end of the server's log ---\n{world.server.log_tail(15)}\n---", file=sys.stderr)


def example(world: Environment, name: str, path: Path | None, tally: Tally) -> None:
    """Runs one example and checks its effects."""
    check = CHECKS.get(name)
    if path is None or check is None:
        tally.add(
            name, "not there" if path is None else "it has no expectation: add one to expected.py", passed=False
        )
        return
    began, program = time.monotonic(), Program(world, path)
    try:
        said, passed = check(program), True
    except (AssertionError, subprocess.TimeoutExpired) as problem:
        said, passed = f"{problem or type(problem).__name__}\n{program.written}", False
    tally.add(name, said, passed=passed, seconds=time.monotonic() - began)


def main() -> int:
    """Exit code 0: all passed; 1: one failed; 2: the run could not start."""
    parser = argparse.ArgumentParser(description="Run the examples and the README's Python.")
    parser.add_argument(
        "--python", default=sys.executable, help="a Python with the packages that the examples import"
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", help=f"run only these files, such as {README}")
    options = parser.parse_args()
    # Without this, SIGTERM would leave child processes and the database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    tally = Tally()
    try:
        run(options, tally)
    except (Missing, DatabaseProblem, NotRead, NotReached, ServerProblem) as problem:
        print(f"the examples could not run: {problem}", file=sys.stderr)
        return 2
    print(f"examples: {tally.passed} passed, {tally.failed} failed", flush=True)
    return 0 if tally.passed and not tally.failed else 1


if __name__ == "__main__":
    sys.exit(main())
